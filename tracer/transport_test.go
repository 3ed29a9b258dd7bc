package tracer_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/tools/cache"

	"github.com/reconcile-tracer/tracer/tracer"
	"github.com/reconcile-tracer/tracer/tracer/semconv"
	"github.com/reconcile-tracer/tracer/tracer/tracertest"
)

const podSets = "/apis/demo.reconcile-tracer.io/v1alpha1/namespaces/default/podsets"

// api is a server that answers every request the same way.
type api struct {
	*httptest.Server
	client *http.Client
	// seen gets each request's header before it is answered.
	seen chan http.Header
}

func newAPI(t *testing.T, tr *tracer.Tracer, status int, body string) *api {
	t.Helper()
	return serve(t, tr, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	})
}

func serve(t *testing.T, tr *tracer.Tracer, answer http.HandlerFunc) *api {
	t.Helper()
	a := &api{seen: make(chan http.Header, 10)}
	a.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a.seen <- r.Header
		answer(w, r)
	}))
	base := http.DefaultTransport.(*http.Transport).Clone()
	a.client = &http.Client{Transport: tr.Transport(base)}
	t.Cleanup(a.Close)
	t.Cleanup(base.CloseIdleConnections)
	return a
}

// do sends a request and gives what the client sees of the answer.
func (a *api) do(ctx context.Context, t *testing.T, method, path, body string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, method, a.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := a.client.Do(req)
	if err != nil {
		return ""
	}
	defer res.Body.Close()
	got, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(got)
}

func object(name string, version int) string {
	return fmt.Sprintf(`{"kind":"PodSet","metadata":{"namespace":"default","name":%q,"uid":"uid-%s","resourceVersion":"%d"},"spec":{"replicas":3}}`, name, name, version)
}

// reconcileA runs one reconcile of default/a.
func reconcileA(t *testing.T, q *tracer.Queue[string], work func(ctx context.Context)) {
	t.Helper()
	q.Add("default/a")
	pass(t, q, func(ctx context.Context, _ string) { work(ctx) })
}

func TestACreateIsAWriteSpan(t *testing.T) {
	rec := tracertest.NewRecorder(t)
	tr := start(t, rec)
	q, a := newQueue(t, tr), newAPI(t, tr, 201, object("a-x7k", 42))
	reconcileA(t, q, func(ctx context.Context) {
		if got := a.do(ctx, t, "POST", podSets, `{"metadata":{"generateName":"a-"}}`); got != object("a-x7k", 42) {
			t.Errorf("the client sees %q", got)
		}
	})
	header := <-a.seen
	got := rec.WaitReconciles("default/a", 1)[0]
	if len(got.Writes) != 1 {
		t.Fatalf("%d writes", len(got.Writes))
	}
	w := got.Writes[0]
	wantAttrs(t, w.Attrs, tracertest.Attrs{
		semconv.AttrHTTPMethod: "POST", semconv.AttrHTTPStatus: int64(201), semconv.AttrWriteOwned: false,
		semconv.AttrWriteResource: "podsets", semconv.AttrWriteNamespace: "default", semconv.AttrWriteName: "a-x7k",
		semconv.AttrWriteUID: "uid-a-x7k", semconv.AttrWriteResourceVersionNew: "42", semconv.AttrWriteNoop: false,
		semconv.AttrAuditID: got.Root.TraceID + "-1",
	})
	if !w.Client || w.Parent != got.Phases[3].SpanID {
		t.Errorf("client %v, parent %s, apply is %s", w.Client, w.Parent, got.Phases[3].SpanID)
	}
	if header.Get("Audit-ID") != got.Root.TraceID+"-1" || header.Get("Traceparent") != "00-"+got.Root.TraceID+"-"+w.SpanID+"-01" {
		t.Errorf("the API server saw %q and %q", header.Get("Audit-ID"), header.Get("Traceparent"))
	}
}

func wantAttrs(t *testing.T, got, want tracertest.Attrs) {
	t.Helper()
	for name, value := range want {
		if got[name] != value {
			t.Errorf("%s is %v, want %v", name, got[name], value)
		}
	}
}

func TestRefusedAndEmptyWrites(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		body   string
		want   tracertest.Attrs
	}{
		"conflict": {409, `{"kind":"Status","reason":"Conflict","message":"secret"}`, tracertest.Attrs{
			semconv.AttrErrorType: "Conflict", semconv.AttrHTTPStatus: int64(409), semconv.AttrWriteResourceVersionOld: "42",
		}},
		"not JSON": {503, `down`, tracertest.Attrs{semconv.AttrErrorType: "503"}},
		"no-op":    {200, object("a", 42), tracertest.Attrs{semconv.AttrWriteNoop: true, semconv.AttrWriteResourceVersionNew: "42"}},
		"update":   {200, object("a", 43), tracertest.Attrs{semconv.AttrWriteNoop: false, semconv.AttrWriteSubresource: "status"}},
	} {
		t.Run(name, func(t *testing.T) {
			rec := tracertest.NewRecorder(t)
			tr := start(t, rec)
			q, a := newQueue(t, tr), newAPI(t, tr, c.status, c.body)
			reconcileA(t, q, func(ctx context.Context) { a.do(ctx, t, "PUT", podSets+"/a/status", object("a", 42)) })
			w := rec.WaitReconciles("", 1)[0].Writes[0]
			wantAttrs(t, w.Attrs, c.want)
			if w.Failed != (c.status >= 400) {
				t.Errorf("failed: %v", w.Failed)
			}
		})
	}
}

func TestAWriteWithoutAnAnswer(t *testing.T) {
	rec := tracertest.NewRecorder(t)
	tr := start(t, rec)
	q, a := newQueue(t, tr), newAPI(t, tr, 200, "")
	a.Close()
	reconcileA(t, q, func(ctx context.Context) { a.do(ctx, t, "PUT", podSets+"/a", object("a", 1)) })
	wantAttrs(t, rec.WaitReconciles("", 1)[0].Writes[0].Attrs, tracertest.Attrs{semconv.AttrErrorType: "connection"})
}

func TestRequestsOfNoReconcileAndWatchesPassUntouched(t *testing.T) {
	rec := tracertest.NewRecorder(t)
	tr := start(t, rec)
	q, a := newQueue(t, tr), newAPI(t, tr, 201, object("a", 1))
	a.do(t.Context(), t, "POST", "/api/v1/namespaces/default/events", "{}")
	reconcileA(t, q, func(ctx context.Context) { a.do(ctx, t, "GET", podSets+"?watch=true", "") })
	for range 2 {
		if id := (<-a.seen).Get("Audit-ID"); id != "" {
			t.Errorf("it carries the audit id %s", id)
		}
	}
	if got := rec.WaitReconciles("", 1)[0]; len(got.Writes)+len(got.Reads) != 0 {
		t.Errorf("%d writes, %d reads", len(got.Writes), len(got.Reads))
	}
}

func TestALiveReadIsAReadSpan(t *testing.T) {
	rec := tracertest.NewRecorder(t)
	tr := start(t, rec)
	q, a := newQueue(t, tr), newAPI(t, tr, 200, `{"kind":"PodSetList","items":[{},{},{}]}`)
	reconcileA(t, q, func(ctx context.Context) { a.do(ctx, t, "GET", podSets, "") })
	got := rec.WaitReconciles("", 1)[0]
	wantAttrs(t, got.Reads[0].Attrs, tracertest.Attrs{
		semconv.AttrReadSource: "api", semconv.AttrReadKind: "PodSetList", semconv.AttrReadCount: int64(3),
	})
	if got.Reads[0].Parent != got.Phases[1].SpanID {
		t.Error("it is no child of fetch")
	}
}

func TestAnEventOfAnOwnWriteIsBySelfAndLinked(t *testing.T) {
	rec := tracertest.NewRecorder(t)
	tr := start(t, rec)
	q, a := newQueue(t, tr), newAPI(t, tr, 200, object("a", 43))
	reconcileA(t, q, func(ctx context.Context) { a.do(ctx, t, "PUT", podSets+"/a/status", object("a", 42)) })
	h := adding(q)
	h.OnUpdate(thing("a", 42, 1), thing("a", 43, 1))
	h.OnUpdate(thing("a", 43, 1), thing("a", 44, 2))
	pass(t, q, nil)
	got := rec.WaitReconciles("default/a", 2)
	wantSelf(t, got, 1, 0)
	if c := got[1].Causes[1]; c.By != semconv.ByOther || c.Write.SpanID != "" {
		t.Errorf("the other's update: %+v", c)
	}
}

// wantSelf checks that a cause of pass n links to the first write of pass 0.
func wantSelf(t *testing.T, got []tracertest.Reconcile, n, cause int) {
	t.Helper()
	c, w := got[n].Causes[cause], got[0].Writes[0]
	want := tracertest.Link{TraceID: w.TraceID, SpanID: w.SpanID}
	if c.By != semconv.BySelf || c.Write != want {
		t.Errorf("cause %+v, want self and %+v", c, want)
	}
	if links := got[n].Phases[0].Links; len(links) == 0 || links[0] != want {
		t.Errorf("links %+v, want %+v", links, want)
	}
}

// The watch is faster than the answer to the write.
func TestAnEventBeforeItsAnswerIsResolvedAtGet(t *testing.T) {
	rec := tracertest.NewRecorder(t)
	tr := start(t, rec)
	q, answer := newQueue(t, tr), make(chan struct{})
	a := serve(t, tr, func(w http.ResponseWriter, _ *http.Request) {
		<-answer
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, object("a", 43))
	})
	reconcileA(t, q, func(ctx context.Context) {
		go func() {
			<-a.seen
			adding(q).OnUpdate(thing("a", 42, 1), thing("a", 43, 1))
			close(answer)
		}()
		a.do(ctx, t, "PUT", podSets+"/a/status", object("a", 42))
	})
	pass(t, q, nil)
	wantSelf(t, rec.WaitReconciles("default/a", 2), 1, 0)
}

func TestADeletionIsJoinedByUID(t *testing.T) {
	rec := tracertest.NewRecorder(t)
	tr := start(t, rec)
	q, a := newQueue(t, tr), newAPI(t, tr, 200, `{"kind":"Status","status":"Success","details":{"name":"a","uid":"uid-a"}}`)
	reconcileA(t, q, func(ctx context.Context) { a.do(ctx, t, "DELETE", podSets+"/a", "") })
	adding(q).OnDelete(cache.DeletedFinalStateUnknown{Key: "default/a", Obj: thing("a", 42, 1)})
	pass(t, q, nil)
	got := rec.WaitReconciles("default/a", 2)
	wantSelf(t, got, 1, 0)
	if !got[1].Causes[0].Inferred {
		t.Error("it is not marked as inferred")
	}
}

func TestReadsFromACacheThatLags(t *testing.T) {
	rec := tracertest.NewRecorder(t)
	tr := start(t, rec)
	q, a := newQueue(t, tr), newAPI(t, tr, 200, object("a", 43))
	store := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
	get := func(ctx context.Context) { _, _, _ = tr.Indexer(ctx, podSet, store).GetByKey("default/a") }
	if err := store.Add(thing("a", 42, 1)); err != nil {
		t.Fatal(err)
	}
	reconcileA(t, q, func(ctx context.Context) {
		get(ctx)
		a.do(ctx, t, "PUT", podSets+"/a/status", object("a", 42))
		get(ctx)
		if err := store.Update(thing("a", 43, 1)); err != nil {
			t.Error(err)
		}
		get(ctx)
	})
	got := rec.WaitReconciles("default/a", 1)[0]
	for i, want := range []string{"", semconv.StaleYes, semconv.StaleNo} {
		if stale := got.Reads[i].Attrs.Text(semconv.AttrReadStale); stale != want {
			t.Errorf("read %d: stale %q, want %q", i, stale, want)
		}
	}
	since := time.UnixMicro(got.Reads[1].Attrs.Int(semconv.AttrReadStaleSince))
	if got.Reads[1].Attrs.Int(semconv.AttrReadStaleBy) != 1 || since.Before(got.Writes[0].From.Truncate(time.Microsecond)) {
		t.Errorf("the stale read: %v", got.Reads[1].Attrs)
	}
	want := []string{"dequeue", "fetch", "compute", "apply", "fetch", "compute", "requeue"}
	if names := got.PhaseNames(); strings.Join(names, " ") != strings.Join(want, " ") {
		t.Errorf("phases %v, want %v", names, want)
	}
}

// A patch does not say which version it was made for; that it changed nothing
// shows in the version that was read, or made, before.
func TestAPatchThatChangesNothing(t *testing.T) {
	rec := tracertest.NewRecorder(t)
	tr := start(t, rec)
	q, a := newQueue(t, tr), newAPI(t, tr, 200, object("a", 43))
	store := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
	patch := func(ctx context.Context) { a.do(ctx, t, "PATCH", podSets+"/a", `{"spec":{"replicas":3}}`) }
	reconcileA(t, q, func(ctx context.Context) { patch(ctx); patch(ctx) })
	if err := store.Add(thing("b", 43, 1)); err != nil {
		t.Fatal(err)
	}
	b := newAPI(t, tr, 200, object("b", 43))
	reconcileA(t, q, func(ctx context.Context) {
		_, _, _ = tr.Indexer(ctx, podSet, store).GetByKey("default/b")
		b.do(ctx, t, "PATCH", podSets+"/b", `{}`)
	})
	adding(q).OnUpdate(thing("a", 42, 1), thing("a", 43, 1))
	pass(t, q, nil)
	got := rec.WaitReconciles("default/a", 3)
	for i, w := range []struct {
		span tracertest.Span
		noop bool
	}{{got[0].Writes[0], false}, {got[0].Writes[1], true}, {got[1].Writes[0], true}} {
		if w.span.Attrs.Bool(semconv.AttrWriteNoop) != w.noop {
			t.Errorf("write %d: %v", i, w.span.Attrs)
		}
	}
	wantSelf(t, got, 2, 0)
}
