package control

import (
	"context"
	"io"
	"net/http"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/reconcile-tracer/tracer/tracer/control/wire"
)

// Request is what a fault is chosen by.
type Request struct {
	// Verb is the API's: get, list, create, update, patch, delete, ….
	Verb        string
	Resource    schema.GroupResource
	Subresource string
	// Name is the object's, "" where the server makes it.
	Name string
	// Item is whose reconcile sends it.
	Item string
}

// Send sends a request of a reconcile through next, with the faults that stand
// for it. Fault names the one that made the answer, "" for none; latency makes
// none.
func (d *Debugger) Send(next http.RoundTripper, req *http.Request, r Request) (res *http.Response, fault string, err error) {
	if slices.Contains(untouched, r.Resource.Resource) {
		res, err = next.RoundTrip(req)
		return res, "", err
	}
	if s := d.take(r, true); s != nil {
		wanted := s.delay(req.Context())
		d.used(s) // also by a request that has ended meanwhile
		if !wanted {
			return nil, "", interrupted(req)
		}
	}
	s := d.take(r, false)
	if s == nil {
		res, err = next.RoundTrip(req)
		return res, "", err
	}
	if s.DelayMS > 0 && !s.delay(req.Context()) {
		d.giveBack(s)
		return nil, "", interrupted(req)
	}
	return d.answer(s, next, req, r)
}

// answer has a request answered by a fault.
func (d *Debugger) answer(s *standing, next http.RoundTripper, req *http.Request, r Request) (*http.Response, string, error) {
	if s.Fault != wire.FaultTimeoutAfter {
		closeBody(req)
		d.used(s)
		return refusal(s.Fault, req, r), s.Fault, nil
	}
	res, err := next.RoundTrip(req)
	if err != nil || res == nil || res.StatusCode >= 400 {
		// The server did not take it: that is answer enough, and the next write
		// that it takes is the one.
		d.giveBack(s)
		return res, "", err
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, maxDiscarded))
	_ = res.Body.Close()
	d.used(s)
	return refusal(s.Fault, req, r), s.Fault, nil
}

// maxDiscarded is how much of an answer that nobody sees is read, so that its
// connection can be used again.
const maxDiscarded = 4 << 20

// take finds the fault that a request meets: a delay, or an answer.
func (d *Debugger) take(r Request, latency bool) *standing {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, s := range d.standing {
		if s.Command.Command != wire.Fault || s.Fault == wire.FaultHoldWatch || (s.Fault == wire.FaultLatency) != latency {
			continue
		}
		if (s.Count > 0 && s.left == 0) || !s.MatchesRequest(r.Item, r.Verb, r.Resource.Resource, r.Subresource) {
			continue
		}
		s.left--
		s.under++
		return s
	}
	return nil
}

// used ends a fault that has hit all that it was for, once none is on its way.
func (d *Debugger) used(s *standing) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s.under--
	if s.Count > 0 && s.left <= 0 && s.under == 0 {
		d.end(s, whyUsedUp)
		d.rearm()
	}
}

// giveBack undoes a take that came to nothing.
func (d *Debugger) giveBack(s *standing) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s.left++
	s.under--
}

// delay waits as long as a fault says, or until it is lifted, and says whether
// the request is still wanted.
func (s *standing) delay(ctx context.Context) bool {
	timer := time.NewTimer(time.Duration(s.DelayMS) * time.Millisecond)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-s.over:
	case <-ctx.Done():
		return false
	}
	return true
}

// interrupted is the error of a request whose context has ended while it waited.
func interrupted(req *http.Request) error {
	closeBody(req)
	return context.Cause(req.Context())
}

// closeBody does what a transport must even if it sends nothing.
func closeBody(req *http.Request) {
	if req.Body != nil {
		_ = req.Body.Close()
	}
}
