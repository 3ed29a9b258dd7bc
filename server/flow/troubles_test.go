package flow

import (
	"fmt"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// troubled emits passes over default/web one after another, without records of
// the queue.
type troubled struct {
	*sim
	at      int64
	version int
	pods    int
}

func newTroubled() *troubled {
	return &troubled{sim: newSim("podset", "PodSet"), at: ms(1000), version: 100}
}

// next emits a pass that begins pause after the last one.
func (m *troubled) next(pause int64, j job) ended {
	j.item, j.unplaced = "default/web", true
	j.ready = m.at + pause
	j.taken = j.ready + 100
	if j.result == "" {
		j.result = semconv.ResultSuccess
	}
	if j.object.UID == "" && j.result != "gone" {
		j.object = web(2, 2, m.now())
	}
	if j.result == "gone" {
		j.result, j.object = semconv.ResultSuccess, Object{}
	}
	if j.causes == nil {
		j.causes = []Cause{podSetCause(j.ready, semconv.CauseUpdate, semconv.ByOther, m.now(), "metadata")}
	}
	j.object.Namespace, j.object.Name = "default", "web"
	e := m.run(j)
	m.at = e.to
	return e
}

// now and anew are resourceVersions.
func (m *troubled) now() string  { return fmt.Sprint(m.version) }
func (m *troubled) anew() string { m.version++; return m.now() }

// own is the cause by the newest own status write.
func (m *troubled) own() Cause {
	return podSetCause(m.at, semconv.CauseUpdate, semconv.BySelf, m.now(), "status")
}

// loop is a pass that an own write alone has caused, and that writes again.
func (m *troubled) loop(more ...Cause) ended {
	j := job{causes: append([]Cause{m.own()}, more...), object: web(2, 2, m.now())}
	before := m.now()
	j.writes = []Write{writeStatus(before, m.anew())}
	return m.next(0, j)
}

func (m *troubled) pod(owned bool) Write {
	m.pods++
	w := createPod(fmt.Sprint("p", m.pods), m.anew())
	w.Owned, w.Unowned = owned, !owned
	return w
}

func fail(method, resource string, status int, kind string) Write {
	return Write{Method: method, Resource: resource, Namespace: "default", Status: status, Error: kind}
}

func refusedStatus(version string) Write {
	w := writeStatus(version, "")
	w.Status, w.Error = 409, "Conflict"
	return w
}

func wants(n int) Object {
	o := web(2, 2, "100")
	o.Fields = []Field{{"spec.replicas", fmt.Sprint(n)}}
	return o
}

func deleting(finalizers ...string) Object {
	o := web(2, 2, "100")
	o.Deleting, o.Finalizers = true, finalizers
	return o
}

func podReads(stale string, count int) []Read {
	return []Read{{Kind: "PodSet", Count: 1}, {Kind: "Pod", Count: count, Stale: stale}}
}

func webGone(at int64) []Cause {
	return []Cause{podSetCause(at, semconv.CauseDelete, semconv.ByOther, "900")}
}

// troubles are histories and the findings that they have to give 15 s later.
var troubles = map[string]struct {
	play func(m *troubled)
	want []string
}{
	"hot-loop": {func(m *troubled) {
		for range leastLoops {
			m.loop()
		}
	}, []string{"hot-loop"}},
	"a few own writes that wake it": {func(m *troubled) {
		for range leastLoops - 1 {
			m.loop()
		}
	}, nil},
	"own writes, each beside an event of a Pod": {func(m *troubled) {
		for range 3 * leastLoops {
			m.loop(podCause(m.at, semconv.CauseUpdate, semconv.ByOther, "p", m.anew(), "status"))
		}
	}, nil},
	"own writes that change nothing": {func(m *troubled) {
		for range 3 * leastLoops {
			m.next(0, job{causes: []Cause{m.own()}, object: web(2, 2, m.now())})
		}
	}, nil},
	"swallowed-error": {func(m *troubled) {
		m.next(0, job{writes: []Write{fail("POST", "pods", 403, "Forbidden")}})
	}, []string{"swallowed-error"}},
	"swallowed, and it came right by itself": {func(m *troubled) {
		m.next(0, job{writes: []Write{fail("POST", "pods", 403, "Forbidden")}})
		m.next(atRest/2, job{writes: []Write{m.pod(true)}})
		m.next(0, job{causes: []Cause{podCause(m.at, semconv.CauseAdd, semconv.BySelf, "p1", "101")}})
	}, nil},
	"an error that is returned": {func(m *troubled) {
		m.next(0, job{writes: []Write{fail("POST", "pods", 403, "Forbidden")}, result: semconv.ResultError, errorType: "Forbidden", delayMS: 5, requeues: 1})
	}, nil},
	"what may be passed over": {func(m *troubled) {
		m.next(0, job{writes: []Write{fail("DELETE", "pods", 404, "NotFound"), fail("POST", "pods", 409, "AlreadyExists"), refusedStatus("100")}})
	}, nil},
	"blind-update": {func(m *troubled) {
		r := refusedStatus("100")
		m.next(0, job{writes: []Write{r, r, r}, result: semconv.ResultError, errorType: "Conflict", delayMS: 5, requeues: 1})
	}, []string{"blind-update"}},
	"a conflict that is read again before each try": {func(m *troubled) {
		m.next(0, job{writes: []Write{refusedStatus("100"), refusedStatus("101"), refusedStatus("102"), writeStatus("103", "104")}})
	}, nil},
	"duplicate-create": {func(m *troubled) {
		m.next(0, job{object: wants(3), reads: podReads(semconv.StaleNo, 1), writes: []Write{m.pod(true), m.pod(true)}})
		m.next(1000, job{object: wants(3), reads: podReads(semconv.StaleYes, 1), writes: []Write{m.pod(true), m.pod(true)}})
		m.next(1000, job{causes: []Cause{podCause(m.at, semconv.CauseAdd, semconv.BySelf, "p1", "101"), podCause(m.at, semconv.CauseAdd, semconv.BySelf, "p2", "102"), podCause(m.at, semconv.CauseAdd, semconv.BySelf, "p3", "103"), podCause(m.at, semconv.CauseAdd, semconv.BySelf, "p4", "104")}})
	}, []string{"duplicate-create"}},
	"more are asked for while the cache lags": {func(m *troubled) {
		m.next(0, job{object: wants(3), reads: podReads(semconv.StaleNo, 1), writes: []Write{m.pod(true), m.pod(true)}})
		m.next(1000, job{object: wants(5), reads: podReads(semconv.StaleYes, 1), writes: []Write{m.pod(true), m.pod(true)}})
		m.next(1000, job{causes: []Cause{podCause(m.at, semconv.CauseAdd, semconv.BySelf, "p1", "101"), podCause(m.at, semconv.CauseAdd, semconv.BySelf, "p2", "102"), podCause(m.at, semconv.CauseAdd, semconv.BySelf, "p3", "103"), podCause(m.at, semconv.CauseAdd, semconv.BySelf, "p4", "104")}})
	}, nil},
	"requeue-after-with-error": {func(m *troubled) {
		m.next(0, job{result: semconv.ResultError, errorType: "Forbidden", delayMS: 5, requeues: 1, ignoredMS: 30_000})
	}, []string{"requeue-after-with-error"}},
	"no-owner-reference": {func(m *troubled) {
		m.next(0, job{writes: []Write{m.pod(false), m.pod(false)}})
		m.next(0, job{result: "gone", causes: webGone(m.at)})
	}, []string{"no-owner-reference"}},
	"no owner, and the controller deletes them itself": {func(m *troubled) {
		w := m.pod(false)
		m.next(0, job{writes: []Write{w}})
		w.Method, w.After, w.Status = methodDelete, "", 200
		m.next(0, job{object: deleting(), writes: []Write{w}})
		m.next(0, job{result: "gone", causes: webGone(m.at)})
	}, nil},
	"owned, and the owner goes": {func(m *troubled) {
		m.next(0, job{writes: []Write{m.pod(true)}})
		m.next(0, job{result: "gone", causes: webGone(m.at)})
	}, nil},
	"missing-watch": {func(m *troubled) {
		m.next(0, job{writes: []Write{m.pod(true)}})
		m.next(0, job{reads: podReads(semconv.StaleNo, 1)})
	}, []string{"missing-watch"}},
	"the event of a Pod comes late": {func(m *troubled) {
		m.next(0, job{writes: []Write{m.pod(true)}})
		m.next(0, job{reads: podReads(semconv.StaleNo, 1)})
		m.next(2*atRest, job{causes: []Cause{podCause(m.at, semconv.CauseAdd, semconv.BySelf, "p1", "101")}})
	}, nil},
	"the cache does not show a Pod yet": {func(m *troubled) {
		m.next(0, job{writes: []Write{m.pod(true)}})
		m.next(0, job{reads: podReads(semconv.StaleYes, 0)})
	}, nil},
	"finalizer-stuck": {func(m *troubled) {
		m.next(0, job{object: deleting("demo.example/clean-up")})
	}, []string{"finalizer-stuck"}},
	"held by the garbage collector": {func(m *troubled) {
		m.next(0, job{object: deleting("foregroundDeletion")})
	}, nil},
	"waiting for what it has deleted": {func(m *troubled) {
		m.next(0, job{object: deleting("demo.example/clean-up"), writes: []Write{{Method: methodDelete, Resource: "pods", UID: "uid-p", Status: 200}}})
		m.next(0, job{object: deleting("demo.example/clean-up")})
	}, nil},
	"observed-generation": {func(m *troubled) {
		m.next(0, job{object: web(3, 2, "100")})
	}, []string{"observed-generation"}},
	"the status is being written": {func(m *troubled) {
		m.next(0, job{object: web(3, 2, "100"), writes: []Write{writeStatus("100", "101")}})
		m.next(0, job{object: web(3, 3, "101")})
	}, nil},
	"a child is made first":               {func(m *troubled) { m.next(0, job{object: web(3, 2, "100"), writes: []Write{m.pod(true)}}) }, nil},
	"a status without observedGeneration": {func(m *troubled) { m.next(0, job{object: web(3, 0, "100")}) }, nil},
}
