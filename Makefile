# tracer: see ARCHITECTURE.md for what is where. `make` prints this help.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

-include localcluster/build.mk

VERSION   ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS   := -s -w -X main.version=$(VERSION)
GO        ?= go
# localcluster and the tools have their own version selection, so that neither
# the size of Kubernetes nor a linter's taste moves what tracer itself is built with.
GO_OWN    := GOWORK=off $(GO)
# The packages of the modules that go.work joins.
WORKSPACE := ./... ./tracer/... ./tracer/benchmarks/... ./tracer/ctrlruntime/... ./examples/...
SUM       := bin/tools/gotestsum
LINT      := bin/tools/golangci-lint
# Flags of `go test`, e.g. make test-go TESTFLAGS='-run TestScale -v'.
TESTFLAGS ?=
DEMO_FLAGS ?=
RESULTS   := tmp/results

export CHROMIUM ?= $(shell command -v chromium || command -v chromium-browser || command -v google-chrome || echo /usr/bin/chromium)
export LOCALCLUSTER_BIN := $(CURDIR)/bin/localcluster
export TRACER_BIN := $(CURDIR)/bin/tracer

.PHONY: help
help: ## Print this help
	@echo 'tracer: a Kubernetes controller'"'"'s reconciliation loop, live in a browser'; echo
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | \
		awk -F'\t' '{ name[NR] = $$1; text[NR] = $$2; if (length($$1) > wide) wide = length($$1) } \
			END { for (i = 1; i <= NR; i++) printf "  make %-" wide "s  %s\n", name[i], text[i] }'

# --- build and run -------------------------------------------------------------

.PHONY: build
build: bin/tracer bin/localcluster ## Build tracer and localcluster into bin/ (the first time takes minutes)

# Without git, as in an unpacked archive, the files are looked for.
SOURCES       := $(shell git ls-files -co --exclude-standard 2>/dev/null || \
	find . -type d \( -name node_modules -o -path ./bin -o -path ./tmp -o -path ./.git \) -prune -o -type f -print | sed 's,^\./,,')
CLUSTER_FILES := $(filter localcluster/%,$(SOURCES))
GO_FILES      := $(filter-out localcluster/% tools/% internal/foreign/%,$(filter %.go %go.mod %go.sum,$(SOURCES)))
EMBEDDED      := $(filter-out %.go,$(filter static/% reconciler/% deploy/% server/recording/% lessons/%,$(SOURCES)))

.PHONY: go-ready
go-ready:
	@command -v $(GO) >/dev/null || { echo "this needs Go $$(sed -n 's/^go \([0-9]*\.[0-9]*\).*/\1/p' go.mod) or newer, and $(GO) is not on PATH: install it from https://go.dev/dl, then open a new shell"; exit 1; }

bin/tracer: $(GO_FILES) $(EMBEDDED) | go-ready
	@echo 'building bin/tracer (about a minute with an empty build cache)'
	@$(GO) build -trimpath -ldflags '$(LDFLAGS)' -o $@ ./cmd/tracer

bin/localcluster: $(CLUSTER_FILES) | go-ready
	@echo 'building bin/localcluster: etcd and the Kubernetes control plane (about 5 minutes with an empty build cache)'
	@.ci/progress bin/localcluster $(GO_OWN) build -C localcluster -trimpath -ldflags '$(LOCALCLUSTER_LDFLAGS)' -o ../bin/localcluster ./cmd/localcluster

.PHONY: demo
demo: build ## Run everything: a real control plane, the hub, the reconciler, the page
	@exec bin/tracer demo $(DEMO_FLAGS)

# A kubeconfig of its own, so that the user's current context stays what it is.
KIND_NAME       := $(shell sed -n 's/^name: //p' deploy/kind/cluster.yaml)
KIND_KUBECONFIG := tmp/kind/kubeconfig

.PHONY: kind-demo
kind-demo: kind-ready bin/tracer ## Make a kind cluster and attach to it (needs Docker and kind)
	@mkdir -p $(dir $(KIND_KUBECONFIG))
	@if kind get clusters 2>/dev/null | grep -qx $(KIND_NAME); \
	then kind export kubeconfig --name $(KIND_NAME) --kubeconfig $(KIND_KUBECONFIG); \
	else kind create cluster --config deploy/kind/cluster.yaml --kubeconfig $(KIND_KUBECONFIG) --wait 3m; fi
	@echo 'afterwards: kind delete cluster --name $(KIND_NAME)'
	@exec bin/tracer attach --kubeconfig $(KIND_KUBECONFIG) --context kind-$(KIND_NAME) $(DEMO_FLAGS)

.PHONY: kind-ready
kind-ready:
	@command -v docker >/dev/null || { echo 'kind-demo needs Docker, which is not on PATH: install it, or run make demo, which needs neither'; exit 1; }
	@docker info >/dev/null 2>&1 || { echo 'kind-demo needs Docker, which does not answer: start it, or run make demo, which needs neither'; exit 1; }
	@command -v kind >/dev/null || { echo 'kind-demo needs kind, which is not on PATH: go install sigs.k8s.io/kind@v0.33.0'; exit 1; }

# --- test ----------------------------------------------------------------------

.PHONY: test
test: build setup-web setup-chromium $(SUM) ## Run every test: Go, TypeScript, browser (installs what it needs)
	@rm -rf $(RESULTS) && mkdir -p $(RESULTS)
	@$(MAKE) test-go test-web test-browser
	@.ci/counts $(RESULTS)

.PHONY: test-go
test-go: build $(SUM) ## Run the Go tests against a real API server
	@mkdir -p $(RESULTS)
	$(SUM) --format pkgname --format-hide-empty-pkg --jsonfile $(RESULTS)/go.json -- -p 1 -timeout 15m $(TESTFLAGS) $(WORKSPACE)
	@$(MAKE) test-floor
	cd localcluster && GOWORK=off ../$(SUM) --format pkgname --format-hide-empty-pkg --jsonfile ../$(RESULTS)/go-localcluster.json -- -p 1 -timeout 15m $(TESTFLAGS) ./...
	@$(MAKE) test-foreign

# Without the workspace, the library's modules get the lowest versions that their go.mod names.
.PHONY: test-floor
test-floor: $(SUM) ## Run the library's tests with the oldest Kubernetes libraries that it supports
	@mkdir -p $(RESULTS)
	cd tracer && GOWORK=off ../$(SUM) --format pkgname --format-hide-empty-pkg --jsonfile ../$(RESULTS)/go-floor.json -- -timeout 5m $(TESTFLAGS) ./...
	cd tracer/ctrlruntime && GOWORK=off ../../$(SUM) --format pkgname --format-hide-empty-pkg --jsonfile ../../$(RESULTS)/go-floor-ctrlruntime.json -- -p 1 -timeout 5m $(TESTFLAGS) ./...

# Not in the workspace: what somebody else's controller needs must move no version of ours.
.PHONY: test-foreign
test-foreign: build $(SUM) ## Instrument a controller that others wrote, and run it (internal/foreign)
	@mkdir -p $(RESULTS)
	cd internal/foreign && GOWORK=off ../../$(SUM) --format pkgname --format-hide-empty-pkg --jsonfile ../../$(RESULTS)/go-foreign.json -- -timeout 15m $(TESTFLAGS) ./...

.PHONY: test-web
test-web: setup-web ## Run the TypeScript unit tests
	@mkdir -p $(RESULTS)
	cd web && npm test --silent | tee ../$(RESULTS)/web.txt

.PHONY: test-browser
test-browser: build setup-web setup-chromium ## Run the page in Chromium, end to end
	@mkdir -p $(RESULTS)
	cd web && npx playwright test | tee ../$(RESULTS)/browser.txt

.PHONY: pictures
pictures: build setup-web setup-chromium ## Make the pictures in docs/img anew
	cd web && PICTURES=1 npx playwright test look.spec.ts -g 'looks finished|whole loop'

.PHONY: sample
sample: build ## Record the sample session anew (3 minutes)
	$(GO) run ./internal/sample

.PHONY: lesson-recordings
lesson-recordings: build ## Record the lessons anew (10 minutes; after each change to a lesson)
	$(GO) run ./internal/sample -lessons lessons/recordings

.PHONY: race
race: build ## Run the Go tests with the race detector
	$(GO) test -race -p 1 -timeout 20m ./server/... ./tracer/... ./tracer/ctrlruntime/... ./reconciler/... ./actions/... ./lessons/... ./cmd/... ./internal/...

.PHONY: bench
bench: build ## Run the short benchmarks, and time the demo's first moving token
	$(GO) test -run '^$$' -bench . -benchmem -benchtime 200ms ./server/... ./tracer/...
	$(GO) run ./cmd/tracer/firsttoken -tracer bin/tracer -localcluster bin/localcluster

.PHONY: bench-library
bench-library: ## Measure the library beside the SDK, otelhttp and an untraced controller (3 minutes)
	@mkdir -p tmp && $(GO) build -o tmp/bench-library ./tracer/benchmarks && tmp/bench-library $(BENCH_FLAGS)

.PHONY: bench-web
bench-web: bin/tracer setup-web setup-chromium ## Measure the page in Chromium under load (4 minutes; BENCH_ONLY, BENCH_MINUTES, BENCH_HIDDEN)
	@mkdir -p tmp && $(GO) build -o tmp/load ./internal/load
	@cd web && npx tsx bench/main.ts

.PHONY: bench-classroom
bench-classroom: build ## Measure how far 35 viewers and 3 pages are behind their presenter (1 minute)
	$(GO) run ./cmd/tracer/classload -tracer bin/tracer -localcluster bin/localcluster -chromium "$(CHROMIUM)" $(BENCH_FLAGS)

# --- check and verify ----------------------------------------------------------

.PHONY: check
check: fmt-check vet lint types layers ## Format, vet, lint, types, layers

.PHONY: fmt-check
fmt-check: setup-web
	@bad=$$(git ls-files -co --exclude-standard '*.go' | xargs gofmt -l); [ -z "$$bad" ] || { echo "gofmt -w $$bad"; exit 1; }
	cd web && npm run --silent format:check

.PHONY: vet
vet:
	$(GO) vet $(WORKSPACE)
	cd localcluster && $(GO_OWN) vet ./...
	cd internal/foreign && $(GO_OWN) vet ./...

.PHONY: lint
lint: setup-web $(LINT)
	$(LINT) run $(WORKSPACE)
	cd localcluster && GOWORK=off ../$(LINT) run --config ../.golangci.yml ./...
	cd internal/foreign && GOWORK=off ../../$(LINT) run --config ../../.golangci.yml ./...
	cd web && npm run --silent lint

.PHONY: types
types: setup-web
	cd web && npm run --silent types

.PHONY: layers
layers:
	$(GO) test -count=1 ./internal/layers

.PHONY: generate
generate: ## Write every generated file anew
	$(GO) tool templ generate -path templates
	$(GO) run ./templates/gen
	$(GO) run ./internal/tsgen
	$(GO) run ./internal/bundle

.PHONY: verify
verify: generate ## Fail when a generated file is not current
	@git diff --exit-code --stat -- templates static web/src || { echo 'generated files were not current: commit what make generate wrote'; exit 1; }
	@[ -z "$$(git ls-files -o --exclude-standard templates static web/src)" ] || { echo 'generated files are not committed:'; git ls-files -o --exclude-standard templates static web/src; exit 1; }
	$(GO) mod verify

# --- set-up --------------------------------------------------------------------

$(SUM): tools/go.mod tools/go.sum | go-ready
	@echo 'building gotestsum'
	@$(GO_OWN) build -C tools -o ../$@ gotest.tools/gotestsum

$(LINT): tools/go.mod tools/go.sum | go-ready
	@echo 'building golangci-lint (about 3 minutes with an empty build cache)'
	@.ci/progress $@ $(GO_OWN) build -C tools -o ../$@ github.com/golangci/golangci-lint/v2/cmd/golangci-lint

.PHONY: setup-web
setup-web: web/node_modules/.package-lock.json

web/node_modules/.package-lock.json: web/package-lock.json
	@command -v npm >/dev/null || .ci/apt nodejs npm
	cd web && npm ci --no-audit --no-fund
	@touch $@

.PHONY: setup-chromium
setup-chromium:
	@[ -x "$(CHROMIUM)" ] || .ci/apt chromium

.PHONY: clean
clean: ## Remove what was built and installed below this folder
	rm -rf bin tmp web/node_modules
