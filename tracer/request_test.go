package tracer

import (
	"net/url"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestParseTarget(t *testing.T) {
	pods := schema.GroupResource{Resource: "pods"}
	podsets := schema.GroupResource{Group: "demo.reconcile-tracer.io", Resource: "podsets"}
	const demo = "/apis/demo.reconcile-tracer.io/v1alpha1"
	for path, want := range map[string]target{
		"/api/v1/namespaces/d/pods":                             {resource: pods, namespace: "d"},
		"/api/v1/namespaces/d/pods/p":                           {resource: pods, namespace: "d", name: "p"},
		"/api/v1/namespaces/d/pods/p/status":                    {resource: pods, namespace: "d", name: "p", subresource: "status"},
		"/api/v1/namespaces/d/pods/p/eviction?x=1":              {resource: pods, namespace: "d", name: "p", subresource: "eviction"},
		"/api/v1/pods?limit=5":                                  {resource: pods},
		"/api/v1/nodes/n":                                       {resource: schema.GroupResource{Resource: "nodes"}, name: "n"},
		"/api/v1/namespaces":                                    {resource: schema.GroupResource{Resource: "namespaces"}},
		"/api/v1/namespaces/d":                                  {resource: schema.GroupResource{Resource: "namespaces"}, name: "d"},
		"/api/v1/namespaces/d/status":                           {resource: schema.GroupResource{Resource: "namespaces"}, name: "d", subresource: "status"},
		demo + "/namespaces/d/podsets/a/scale":                  {resource: podsets, namespace: "d", name: "a", subresource: "scale"},
		demo + "/podsets":                                       {resource: podsets},
		"/k8s/clusters/c1/api/v1/namespaces/d/pods/p":           {resource: pods, namespace: "d", name: "p"},
		"/proxy/apis/demo.reconcile-tracer.io/v1alpha1/podsets": {resource: podsets},
		"/api/v1/namespaces/api/pods/apis":                      {resource: pods, namespace: "api", name: "apis"},
	} {
		if got, ok := parse(t, path); !ok || got != want {
			t.Errorf("%s: %+v, %v, want %+v", path, got, ok, want)
		}
	}
}

func TestParseTargetPassesOverOtherRequests(t *testing.T) {
	for _, path := range []string{
		"/", "/version", "/healthz", "/api", "/api/v1", "/apis", "/apis/apps", "/apis/apps/v1", "/openapi/v3/apis",
		"/api/v1/pods?watch=true", "/api/v1/pods?watch=1", "/api/v1/watch/pods",
		"/api/v1/namespaces/d/pods/p/exec", "/api/v1/namespaces/d/pods/p/log?follow=true",
		"/api/v1/namespaces/d/pods/p/portforward", "/api/v1/namespaces/d/pods/p/attach",
	} {
		if got, ok := parse(t, path); ok {
			t.Errorf("%s: taken for %+v", path, got)
		}
	}
}

func parse(t *testing.T, path string) (target, bool) {
	t.Helper()
	u, err := url.Parse("https://h:6443" + path)
	if err != nil {
		t.Fatal(err)
	}
	return parseTarget(u)
}
