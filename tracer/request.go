package tracer

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// target is what an API request is about.
type target struct {
	resource    schema.GroupResource
	subresource string
	namespace   string
	name        string
}

// connections are subresources whose requests are conversations, not reads or
// writes of an object; they are never touched.
var connections = []string{"exec", "attach", "portforward", "proxy", "log"}

// parseTarget reads the path of an API request. ok is false for what is none:
// discovery, health, watches and connections. A prefix before /api or /apis,
// as proxies have, is passed over.
func parseTarget(u *url.URL) (t target, ok bool) {
	t, ok = pathTarget(u)
	return t, ok && !isWatch(u.Query()) && !slices.Contains(connections, t.subresource)
}

// pathTarget is parseTarget for whatever the request is.
func pathTarget(u *url.URL) (t target, ok bool) {
	segments := strings.Split(strings.Trim(u.Path, "/"), "/")
	for i, s := range segments {
		switch s {
		case "api":
			t, ok = parseResource("", segments[i+1:], 1)
		case "apis":
			if i+1 < len(segments) {
				t, ok = parseResource(segments[i+1], segments[i+1:], 2)
			}
		}
		if ok {
			break
		}
	}
	return t, ok
}

func isWatch(query url.Values) bool {
	w := query.Get("watch")
	return w == "true" || w == "1"
}

// parseResource reads what follows /api or /apis; skip is how many segments
// group and version take.
func parseResource(group string, segments []string, skip int) (target, bool) {
	if len(segments) <= skip || segments[skip] == "watch" || segments[skip] == "proxy" {
		return target{}, false
	}
	rest := segments[skip:]
	t := target{resource: schema.GroupResource{Group: group}}
	if rest[0] == "namespaces" && len(rest) > 2 && !ofNamespace(rest[2]) {
		t.namespace, rest = rest[1], rest[2:]
	}
	t.resource.Resource = rest[0]
	if len(rest) > 1 {
		t.name = rest[1]
	}
	if len(rest) > 2 {
		t.subresource = strings.Join(rest[2:], "/")
	}
	return t, t.resource.Resource != ""
}

// ofNamespace tells the subresources of a namespace from resources in it.
func ofNamespace(s string) bool { return s == "status" || s == "finalize" }

// isWrite tells whether a method changes something.
func isWrite(method string) bool {
	switch method {
	case http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete:
		return true
	}
	return false
}
