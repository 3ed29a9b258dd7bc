package server

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/go-chi/chi/v5"

	"github.com/reconcile-tracer/tracer/server/flow"
	"github.com/reconcile-tracer/tracer/templates"
)

// answerNothing lets routes answer what they do not serve: programs in JSON, people
// with a page. Elsewhere says where else it may be, for programs.
func (h *Hub) answerNothing(routes *chi.Mux, elsewhere string) {
	answer := func(w http.ResponseWriter, r *http.Request) {
		status, why := http.StatusNotFound, fmt.Sprintf("there is nothing at %q: %s", flow.Brief(r.URL.Path), elsewhere)
		if methods := methodsAt(routes, r.URL.Path); methods != nil {
			allow := strings.Join(methods, ", ")
			w.Header().Set("Allow", allow)
			status, why = http.StatusMethodNotAllowed, fmt.Sprintf("%q does not take %s: use %s", flow.Brief(r.URL.Path), flow.Brief(r.Method), allow)
		}
		if forPrograms(r.URL.Path) {
			fail(w, status, "%s", why)
			return
		}
		w.Header().Set("Cache-Control", "no-store")
		h.say(w, r, templates.Notice{
			Status: status, Title: "There is nothing at this address", Text: "The hub has one page:",
			Links: []templates.Link{{Text: "Open the page", Address: "/"}},
		})
	}
	routes.NotFound(answer)
	routes.MethodNotAllowed(answer)
}

// forPrograms says of a path that programs call it, and no person.
func forPrograms(path string) bool {
	return slices.ContainsFunc([]string{"/api/", "/v1/", "/metrics/", "/healthz/", "/readyz/"}, func(p string) bool {
		return strings.HasPrefix(path+"/", p)
	})
}

// methodsAt are the methods that a path takes, nil where there is nothing.
func methodsAt(routes chi.Routes, path string) (found []string) {
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete} {
		if routes.Match(chi.NewRouteContext(), method, path) {
			found = append(found, method)
		}
	}
	return found
}
