package tracer

import (
	"io"
	"mime"
	"sort"
	"strings"
)

// scanned is what a scanner finds in a body: names, versions and allow-listed
// fields. Nothing else of the body is kept.
type scanned struct {
	kind    string
	uid     string
	version string
	name    string
	reason  string    // of a Status
	goneUID string    // of a Status: the object that it speaks of
	owned   bool      // the object has an owner
	items   int       // of a list
	objects []version // of a list: the first maxObjects
	fields  []string
}

// maxObjects is how many objects of a list are noted.
const maxObjects = 512

// scanner takes a body piece by piece. It holds a few bytes of it at a time,
// never fails, and on what it cannot read it finds nothing more.
type scanner interface {
	io.Writer
	result() scanned
}

// newScanner makes the scanner for a content type, nil when there is none.
func newScanner(contentType string) scanner {
	media := contentType
	if strings.ContainsAny(media, "; ,") { // apart from the plain ones, which are most
		var err error
		if media, _, err = mime.ParseMediaType(contentType); err != nil {
			return nil
		}
	}
	switch {
	case media == "application/json", strings.HasSuffix(media, "+json"):
		return newJSONScanner()
	case media == "application/vnd.kubernetes.protobuf":
		return newProtoScanner()
	default:
		return nil
	}
}

// sortedFields are the fields by path.
func sortedFields(fields []string) []string {
	sort.Strings(fields)
	return fields
}
