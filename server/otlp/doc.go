// Package otlp receives the OpenTelemetry protocol: spans and log records over
// HTTP (protobuf and JSON) and gRPC. It authorises, limits, redacts, and decodes
// what the contract (tracer/semconv) knows into the fold's inputs.
//
// A request is taken whole or, where single spans break a cap, without these,
// which the answer says. It is answered with success only after Config.Store
// has returned, that is when it is durable. What is malformed is refused with
// its reason before anything is stored. Spans that the contract does not know
// are stored and left out of the fold.
package otlp
