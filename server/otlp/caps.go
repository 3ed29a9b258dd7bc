package otlp

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/reconcile-tracer/tracer/server/flow"
	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// Caps bound one span or log record. What is over a cap is rejected alone, the
// rest of its request is taken. 0 is the default.
type Caps struct {
	// Attributes of a span, an event, a link, a resource or a log record. As in
	// semconv, 128.
	Attributes int
	// String is the longest string, in bytes. As in semconv, 16 KiB.
	String int
	// Depth is how deep a value may nest. 8.
	Depth int
	// Events and Links of a span. As in semconv, 256 each.
	Events int
	Links  int
	// Ahead is how far after the hub's own time anything may be. 60 s.
	Ahead time.Duration

	latest pcommon.Timestamp // with Ahead; 0 is any
	// recorded lets through what a hub has said itself: it is in its recordings.
	recorded bool
}

func (c Caps) withDefaults() Caps {
	def := func(p *int, v int) {
		if *p == 0 {
			*p = v
		}
	}
	def(&c.Attributes, semconv.MaxAttributes)
	def(&c.String, semconv.MaxString)
	def(&c.Depth, 8)
	def(&c.Events, semconv.MaxEvents)
	def(&c.Links, semconv.MaxLinks)
	c.Ahead = cmp.Or(c.Ahead, time.Minute)
	return c
}

// rejection is how many spans or log records were left out, and why the first
// of them was.
type rejection struct {
	count  int
	reason string
}

func (r *rejection) add(err error, n int) {
	if r.count == 0 {
		r.reason = err.Error()
	}
	r.count += n
}

// apply drops from a request what is over a cap.
func (c Caps) apply(req request, now time.Time) rejection {
	c.latest = pcommon.NewTimestampFromTime(now.Add(c.Ahead))
	var rej rejection
	before := req.count()
	req.keep(func(v any) bool {
		err := c.check(v)
		if err != nil {
			rej.add(err, 1)
		}
		return err == nil
	})
	rej.count = before - req.count()
	return rej
}

func (c Caps) check(v any) error {
	switch v := v.(type) {
	case ptrace.Span:
		return c.checkSpan(v)
	case plog.LogRecord:
		return c.checkLog(v)
	case pcommon.Map:
		return c.checkMap("the resource", v)
	case pcommon.InstrumentationScope:
		return c.checkMap("the scope", v.Attributes())
	}
	return nil
}

func (c Caps) checkSpan(s ptrace.Span) error {
	what := fmt.Sprintf("span %q", flow.Brief(s.Name()))
	switch {
	case s.TraceID().IsEmpty() || s.SpanID().IsEmpty():
		return fmt.Errorf("%s has no trace id or no span id: give it both", what)
	case s.Events().Len() > c.Events:
		return over(what, "events", s.Events().Len(), c.Events)
	case s.Links().Len() > c.Links:
		return over(what, "links", s.Links().Len(), c.Links)
	case len(s.Name()) > c.String:
		return over(what, "bytes in its name", len(s.Name()), c.String)
	case len(s.Status().Message()) > c.String:
		return over(what, "bytes in its status", len(s.Status().Message()), c.String)
	}
	if err := c.checkTimes(what, s.StartTimestamp(), s.EndTimestamp()); err != nil {
		return err
	}
	if err := c.checkMap(what, s.Attributes()); err != nil {
		return err
	}
	if err := c.checkEvents(what+" event", s.Events()); err != nil {
		return err
	}
	for _, l := range s.Links().All() {
		if err := c.checkMap(what+" link", l.Attributes()); err != nil {
			return err
		}
	}
	return nil
}

func (c Caps) checkEvents(what string, events ptrace.SpanEventSlice) error {
	for _, e := range events.All() {
		if len(e.Name()) > c.String {
			return over(what, "bytes in its name", len(e.Name()), c.String)
		}
		if err := c.checkTimes(what, e.Timestamp()); err != nil {
			return err
		}
		if err := c.checkMap(what, e.Attributes()); err != nil {
			return err
		}
	}
	return nil
}

// checkTimes refuses what has not happened yet: the page would show it for
// ever. An end before its begin the fold takes for the begin.
func (c Caps) checkTimes(what string, times ...pcommon.Timestamp) error {
	for _, t := range times {
		if c.latest != 0 && t > c.latest {
			return fmt.Errorf("%s has the time %d ns, over %s after the hub's: set the sender's clock", what, uint64(t), c.Ahead)
		}
	}
	return nil
}

func (c Caps) checkLog(l plog.LogRecord) error {
	what := fmt.Sprintf("log record %q", flow.Brief(l.EventName()))
	if len(l.EventName()) > c.String {
		return over(what, "bytes in its name", len(l.EventName()), c.String)
	}
	if eventName(l) == semconv.LogControl && !c.recorded {
		return errors.New(what + " is the hub's own, which says what its presenter did: leave it out")
	}
	if err := c.checkTimes(what, l.Timestamp(), l.ObservedTimestamp()); err != nil {
		return err
	}
	if err := c.checkValue(what+" body", l.Body(), c.Depth); err != nil {
		return err
	}
	return c.checkMap(what, l.Attributes())
}

func (c Caps) checkMap(what string, m pcommon.Map) error {
	if m.Len() > c.Attributes {
		return over(what, "attributes", m.Len(), c.Attributes)
	}
	for k, v := range m.All() {
		if len(k) > c.String {
			return over(what, "bytes in an attribute's name", len(k), c.String)
		}
		if err := c.checkValue(what, v, c.Depth); err != nil {
			return fmt.Errorf("%w (attribute %q)", err, flow.Brief(k))
		}
	}
	return nil
}

func (c Caps) checkValue(what string, v pcommon.Value, left int) error {
	if left == 0 {
		return fmt.Errorf("%s has a value nested deeper than %d: flatten it", what, c.Depth)
	}
	switch v.Type() {
	case pcommon.ValueTypeStr:
		if n := len(v.Str()); n > c.String {
			return over(what, "bytes in a string", n, c.String)
		}
	case pcommon.ValueTypeBytes:
		if n := v.Bytes().Len(); n > c.String {
			return over(what, "bytes in a value", n, c.String)
		}
	case pcommon.ValueTypeSlice:
		return c.checkSlice(what, v.Slice(), left-1)
	case pcommon.ValueTypeMap:
		for _, inner := range v.Map().All() {
			if err := c.checkValue(what, inner, left-1); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c Caps) checkSlice(what string, s pcommon.Slice, left int) error {
	for _, inner := range s.All() {
		if err := c.checkValue(what, inner, left); err != nil {
			return err
		}
	}
	return nil
}

func over(what, of string, got, limit int) error {
	return fmt.Errorf("%s has %d %s, the limit is %d: send less", what, got, of, limit)
}
