package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// pods is how many Pods there are.
const pods = 50

// api serves a few Pods as an API server does (list, watch, update of the
// status) and takes OTLP as a hub does. It is a process of its own, so that
// its CPU is not the controller's.
type api struct {
	mu       sync.Mutex
	version  int
	pods     map[string]*corev1.Pod
	watchers map[chan []byte]bool
}

// serveAPI serves on a free port of the loopback and prints its URL; it ends
// with its standard input.
func serveAPI(ctx context.Context) error {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listening: %w", err)
	}
	a := &api{version: pods, pods: map[string]*corev1.Pod{}, watchers: map[chan []byte]bool{}}
	for i := range pods {
		a.pods[podName(i)] = pod(podName(i), strconv.Itoa(i+1))
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/v1/pods", a.read)
	mux.HandleFunc("PUT /api/v1/namespaces/default/pods/{name}/status", a.update)
	mux.HandleFunc("POST /v1/", func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) })
	server := &http.Server{Handler: mux} //nolint:gosec // a benchmark's, on the loopback
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	fmt.Printf("http://%s\n", listener.Addr())
	_, _ = io.Copy(io.Discard, os.Stdin)
	_ = server.Close()
	if err := <-failed; !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serving: %w", err)
	}
	return nil
}

func podName(i int) string { return "pod-" + strconv.Itoa(i) }

func (a *api) read(w http.ResponseWriter, r *http.Request) {
	if r.URL.Query().Get("watch") != "" {
		a.watch(w, r)
		return
	}
	a.mu.Lock()
	list := corev1.PodList{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "PodList"},
		ListMeta: metav1.ListMeta{ResourceVersion: strconv.Itoa(a.version)},
	}
	for _, p := range a.pods {
		list.Items = append(list.Items, *p)
	}
	a.mu.Unlock()
	reply(w, list)
}

// watch sends every change from now on; the only watcher lists before there is
// any.
func (a *api) watch(w http.ResponseWriter, r *http.Request) {
	events := make(chan []byte, 1024)
	a.mu.Lock()
	a.watchers[events] = true
	a.mu.Unlock()
	defer func() { a.mu.Lock(); delete(a.watchers, events); a.mu.Unlock() }()
	w.Header().Set("Content-Type", "application/json")
	flush := http.NewResponseController(w)
	_ = flush.Flush()
	for {
		select {
		case e := <-events:
			_, _ = w.Write(e)
			_ = flush.Flush()
		case <-r.Context().Done():
			return
		}
	}
}

func (a *api) update(w http.ResponseWriter, r *http.Request) {
	p := &corev1.Pod{}
	if err := json.NewDecoder(r.Body).Decode(p); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	p.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.version++
	p.ResourceVersion = strconv.Itoa(a.version)
	a.pods[r.PathValue("name")] = p
	event, _ := json.Marshal(map[string]any{"type": "MODIFIED", "object": p}) // never fails
	for c := range a.watchers {
		c <- event
	}
	reply(w, p)
}

func reply(w http.ResponseWriter, what any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(what) // the client is gone
}
