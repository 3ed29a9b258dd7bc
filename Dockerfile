# The hub and the reference controller in one small image: `tracer serve` and
# `tracer reconcile`. localcluster is not in it: give it a cluster.
FROM golang:1.26 AS build
WORKDIR /src
# The workspace is for development; what is released is built from go.mod alone.
ENV GOWORK=off CGO_ENABLED=0
COPY go.mod go.sum ./
COPY tracer/go.mod tracer/go.sum ./tracer/
RUN go mod download
COPY . .
ARG VERSION=dev
RUN go build -trimpath -ldflags "-s -w -X main.version=${VERSION}" -o /out/tracer ./cmd/tracer
# Whoever the container runs as may make the hub's folder in it.
RUN mkdir -m 1777 /out/data

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /out/tracer /tracer
COPY --from=build /out/data /data
USER 65532:65532
EXPOSE 7780 4317
ENTRYPOINT ["/tracer"]
CMD ["serve", "--help"]
