package main

import (
	"context"
	"encoding/hex"
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	tracev1 "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/grpc"
	"k8s.io/client-go/rest"
)

const traceID = "0af7651916cd43dd8448eb211c80319c"

// TestSpansOfATracedRequest sends a request with a trace and expects the spans of
// the API server and of etcd for it, and none of the rest of the cluster.
func TestSpansOfATracedRequest(t *testing.T) {
	receiver := newSpanReceiver(t)
	i := start(t, "--nodes", "0", "--controllers", "none", "--tracing-endpoint", receiver.address)
	i.tracedRequest(t, "localcluster-admin")
	eventually(t, 5*time.Second, func() string {
		mine, others := receiver.services()
		if !slices.Equal(mine, []string{"apiserver", "etcd"}) || others > 0 {
			return fmt.Sprintf("the trace has spans of %v, and %d other spans came; want apiserver and etcd, and none", mine, others)
		}
		return ""
	})
}

// TestSpansOfOthersAreLinked sends the same as somebody whose trace the API
// server does not go on with.
func TestSpansOfOthersAreLinked(t *testing.T) {
	receiver := newSpanReceiver(t)
	i := start(t, "--nodes", "0", "--controllers", "none", "--tracing-endpoint", receiver.address, "--tracing-sampling", "1000000")
	i.tracedRequest(t, "localcluster-user")
	eventually(t, 5*time.Second, func() string {
		if mine, _ := receiver.services(); len(mine) > 0 {
			t.Fatalf("%v went on with the trace", mine)
		}
		if n := receiver.links(); n != 1 {
			return fmt.Sprintf("%d spans link to the request's trace, want 1", n)
		}
		return ""
	})
}

// tracedRequest sends a request that has a trace.
func (i *instance) tracedRequest(t *testing.T, contextName string) {
	t.Helper()
	_, cfg := i.client(t, contextName)
	client, err := rest.HTTPClientFor(cfg)
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, cfg.Host+"/api/v1/namespaces/default", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("traceparent", "00-"+traceID+"-b7ad6b7169203331-01")
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
}

// spanReceiver is an OTLP receiver that remembers which service sent spans of
// the test's trace.
type spanReceiver struct {
	collector.UnimplementedTraceServiceServer
	address string

	mu     sync.Mutex
	mine   map[string]int
	others int
	linked int
}

func newSpanReceiver(t *testing.T) *spanReceiver {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &spanReceiver{address: l.Addr().String(), mine: map[string]int{}}
	server := grpc.NewServer()
	collector.RegisterTraceServiceServer(server, r)
	go func() { _ = server.Serve(l) }() // ends with Stop
	t.Cleanup(server.Stop)
	return r
}

// Export is called by the exporters.
func (r *spanReceiver) Export(_ context.Context, request *collector.ExportTraceServiceRequest) (*collector.ExportTraceServiceResponse, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, rs := range request.ResourceSpans {
		for _, scope := range rs.ScopeSpans {
			for _, span := range scope.Spans {
				r.count(serviceOf(rs), hex.EncodeToString(span.TraceId))
				for _, link := range span.Links {
					if hex.EncodeToString(link.TraceId) == traceID {
						r.linked++
					}
				}
			}
		}
	}
	return &collector.ExportTraceServiceResponse{}, nil
}

func (r *spanReceiver) count(service, trace string) {
	if trace != traceID {
		r.others++
		return
	}
	r.mine[service]++
}

func (r *spanReceiver) services() (mine []string, others int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Sorted(maps.Keys(r.mine)), r.others
}

func (r *spanReceiver) links() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.linked
}

func serviceOf(rs *tracev1.ResourceSpans) string {
	for _, a := range rs.GetResource().GetAttributes() {
		if a.Key == "service.name" {
			return a.GetValue().GetStringValue()
		}
	}
	return ""
}
