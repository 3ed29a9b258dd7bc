// Package version knows which Kubernetes this binary contains.
package version

import (
	"cmp"
	"fmt"
	"runtime/debug"
	"strconv"
	"strings"
)

// Kubernetes returns the version of the Kubernetes module that is linked in, for
// example "v1.37.2", and "unknown" when the binary carries no build information.
func Kubernetes() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, dep := range info.Deps {
		if dep.Path == "k8s.io/kubernetes" {
			return dep.Version
		}
	}
	return "unknown"
}

// Minor is the part of a Kubernetes version that decides whether stored data can
// be read.
type Minor struct {
	Major, Minor int
}

// ParseMinor reads "v1.37.2". Its error names the text that is wrong.
func ParseMinor(v string) (Minor, error) {
	parts := strings.SplitN(strings.TrimPrefix(v, "v"), ".", 3)
	if len(parts) < 2 {
		return Minor{}, fmt.Errorf("version %q is not of the form v1.37.2", v)
	}
	major, err1 := strconv.Atoi(parts[0])
	minor, err2 := strconv.Atoi(parts[1])
	if err1 != nil || err2 != nil {
		return Minor{}, fmt.Errorf("version %q is not of the form v1.37.2", v)
	}
	return Minor{major, minor}, nil
}

// Compare returns -1, 0 or 1 as m is older than, equal to or newer than o.
func (m Minor) Compare(o Minor) int {
	return cmp.Or(cmp.Compare(m.Major, o.Major), cmp.Compare(m.Minor, o.Minor))
}

// CanRead reports whether Kubernetes m may start on data written by stored:
// Kubernetes upgrades storage one minor version at a time and never back.
func (m Minor) CanRead(stored Minor) bool {
	return m.Major == stored.Major && (m.Minor == stored.Minor || m.Minor == stored.Minor+1)
}
