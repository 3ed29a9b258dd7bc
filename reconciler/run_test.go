package reconciler

import (
	"net/http"
	"testing"
	"time"
)

// A pass that hangs in a request is given up after the drain time.
func TestRunEndsThoughARequestHangs(t *testing.T) {
	b := newBench(t)
	o := b.options()
	hanging, hang := make(chan struct{}, 10), newGate()
	hang.shut()
	o.Config.Wrap(before(http.MethodPost, "/pods", func(r *http.Request) {
		hanging <- struct{}{}
		hang.wait(r.Context().Done())
	}))
	const drain = 300 * time.Millisecond
	o.DrainTimeout = drain
	stop := b.start(o)
	b.create("web", 1)
	<-hanging
	began := time.Now()
	if err := stop(); err != nil {
		t.Errorf("Run = %v, want nil", err)
	}
	if took := time.Since(began); took < drain || took > drain+2*time.Second {
		t.Errorf("Run took %v to end, want the drain time of %v", took, drain)
	}
}

// A pass under way is finished, not cut off.
func TestRunFinishesWhatIsUnderWay(t *testing.T) {
	b := newBench(t)
	o := b.options()
	hanging, hang := make(chan struct{}, 10), newGate()
	hang.shut()
	o.Config.Wrap(before(http.MethodPost, "/pods", func(r *http.Request) {
		hanging <- struct{}{}
		hang.wait(r.Context().Done())
	}))
	stop := b.start(o)
	b.create("web", 3)
	<-hanging
	stopped := make(chan error, 1)
	go func() { stopped <- stop() }()
	hang.lift()
	if err := <-stopped; err != nil {
		t.Errorf("Run = %v, want nil", err)
	}
	if got := len(b.pods("web")); got != 3 {
		t.Errorf("%d Pods after the end, want the 3 of the plan", got)
	}
}
