package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"k8s.io/client-go/rest"
)

// What keeps a cluster from being used is told apart: only one that is silent is
// to be started.
func TestUnusableServersAreToldApart(t *testing.T) {
	answer := func(status int, body string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
		})
	}
	plain := httptest.NewServer(answer(404, "not here"))
	defer plain.Close()
	secure := httptest.NewTLSServer(answer(200, "{}"))
	defer secure.Close()
	page := httptest.NewServer(answer(200, "<html>"))
	defer page.Close()
	busy := httptest.NewServer(answer(503, ""))
	defer busy.Close()
	locked := httptest.NewServer(answer(401, ""))
	defer locked.Close()
	silent := httptest.NewServer(answer(200, ""))
	silent.Close()
	for name, c := range map[string]struct{ host, what, remedy string }{
		"nothing there":      {plain.URL, "answers, but not as an API server", "correct the server's URL"},
		"a page":             {page.URL, "answers, but not as an API server", "correct the server's URL"},
		"an unknown CA":      {secure.URL, "has a certificate that this kubeconfig does not trust", "certificate-authority-data"},
		"no TLS":             {"https://" + strings.TrimPrefix(plain.URL, "http://"), "does not speak TLS", "is it http"},
		"not ready":          {busy.URL, "answers with an error", "wait until it is ready"},
		"wrong credentials":  {locked.URL, "does not accept its credentials", "get a new kubeconfig"},
		"nobody who listens": {silent.URL, "does not answer", "start the cluster"},
	} {
		err := target{Config: &rest.Config{Host: c.host}, name: "kubeconfig f, context c"}.reach()
		if err == nil || !strings.Contains(err.Error(), c.host+" "+c.what+": ") || !strings.Contains(err.Error(), c.remedy) {
			t.Errorf("%s: %v, want that it %s, and %q", name, err, c.what, c.remedy)
		}
	}
}
