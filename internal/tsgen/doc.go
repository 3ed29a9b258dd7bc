// Command tsgen writes the TypeScript types of the hub's rows, and the table by
// which the page checks them at run time, from the Go source of server/flow.
// The Go structs are the one source of the contract.
//
// Use: go run ./internal/tsgen [-check], in the module's root. With -check
// nothing is written, and a difference is an error.
package main
