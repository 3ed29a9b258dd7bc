// Command tracer shows the reconciliation loop of a Kubernetes controller live
// in a browser. Its commands are thin: each fills an options struct from its
// flags and runs it.
package main

import (
	"os"
)

// version is set by the linker: -ldflags "-X main.version=v1.2.3".
var version = unset

// unset is the version of a build that nobody gave one.
const unset = "dev"

func main() {
	os.Exit(execute(os.Args[1:], streams{in: os.Stdin, out: os.Stdout, err: os.Stderr}))
}
