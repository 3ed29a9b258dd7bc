package tracertest

import (
	"encoding/hex"
	"slices"
	"strings"
	"time"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	logspb "go.opentelemetry.io/proto/otlp/logs/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// Attrs are attributes by name: string, int64, float64, bool or []string.
type Attrs map[string]any

// Text is a string attribute, "" when there is none.
func (a Attrs) Text(name string) string { s, _ := a[name].(string); return s }

// Int is an integer attribute, 0 when there is none.
func (a Attrs) Int(name string) int64 { n, _ := a[name].(int64); return n }

// Float is a number, 0 when there is none.
func (a Attrs) Float(name string) float64 {
	switch n := a[name].(type) {
	case float64:
		return n
	case int64:
		return float64(n)
	}
	return 0
}

// Bool is a boolean attribute, false when there is none.
func (a Attrs) Bool(name string) bool { b, _ := a[name].(bool); return b }

// List is a list attribute, nil when there is none.
func (a Attrs) List(name string) []string { l, _ := a[name].([]string); return l }

// Span is a finished span. IDs are lower-case hex; a root's Parent is empty.
type Span struct {
	TraceID, SpanID, Parent, Name string
	From, To                      time.Time
	Client, Failed                bool
	Attrs                         Attrs
	Events                        []Event
	Links                         []Link
}

// Event is an event of a span.
type Event struct {
	Name  string
	At    time.Time
	Attrs Attrs
}

// Link is a link to another span.
type Link struct{ TraceID, SpanID string }

// Record is a log record.
type Record struct {
	Event           string
	At              time.Time
	TraceID, SpanID string
	Attrs           Attrs
}

// Cause is one cause of a reconcile; Write is set when it is known.
type Cause struct {
	What, By, Kind, Name, UID, ResourceVersion, Manager string
	Changed                                             []string
	Raced, Inferred                                     bool
	Write                                               Link
}

// Reconcile is a finished reconcile.
type Reconcile struct {
	Item, Result string
	Root         Span
	// Phases are in the order of time and begin with dequeue.
	Phases []Span
	Causes []Cause
	// Counts are all causes by kind, also those that Causes leaves out.
	Counts []string
	// Plan are the summaries of the planned actions.
	Plan          []string
	Reads, Writes []Span
}

// PhaseNames are the names of the phases in order.
func (r Reconcile) PhaseNames() []string {
	names := make([]string, len(r.Phases))
	for i, p := range r.Phases {
		names[i] = p.Name
	}
	return names
}

// reconciles puts the spans of each finished trace together.
func reconciles(spans []Span, item string) []Reconcile {
	var out []Reconcile
	for _, root := range spans {
		if root.Parent != "" || !strings.HasPrefix(root.Name, semconv.SpanReconcilePrefix) {
			continue
		}
		r := Reconcile{Item: itemOf(root.Attrs), Result: root.Attrs.Text(semconv.AttrResult), Root: root}
		if item != "" && r.Item != item {
			continue
		}
		for _, s := range spans {
			if s.TraceID == root.TraceID && s.Parent != "" {
				r.add(s)
			}
		}
		slices.SortStableFunc(r.Phases, func(a, b Span) int { return a.From.Compare(b.From) })
		out = append(out, r)
	}
	return out
}

func itemOf(a Attrs) string {
	name := a.Text(semconv.AttrObjectName)
	if namespace := a.Text(semconv.AttrNamespace); namespace != "" {
		return namespace + "/" + name
	}
	return name
}

// add puts a span in its place.
func (r *Reconcile) add(s Span) {
	switch s.Name {
	case semconv.SpanRead:
		r.Reads = append(r.Reads, s)
		return
	case semconv.SpanWrite:
		r.Writes = append(r.Writes, s)
		return
	case semconv.SpanDequeue:
		r.Counts = s.Attrs.List(semconv.AttrCauseCounts)
	}
	r.Phases = append(r.Phases, s)
	for _, e := range s.Events {
		switch e.Name {
		case semconv.EventCause:
			r.Causes = append(r.Causes, causeOf(e.Attrs))
		case semconv.EventPlanAction:
			r.Plan = append(r.Plan, e.Attrs.Text(semconv.AttrActionSummary))
		}
	}
}

func causeOf(a Attrs) Cause {
	return Cause{
		What:            a.Text(semconv.AttrCause),
		By:              a.Text(semconv.AttrCauseBy),
		Kind:            a.Text(semconv.AttrCauseObjectKind),
		Name:            a.Text(semconv.AttrCauseObjectName),
		UID:             a.Text(semconv.AttrCauseObjectUID),
		ResourceVersion: a.Text(semconv.AttrCauseObjectRV),
		Manager:         a.Text(semconv.AttrCauseManager),
		Changed:         a.List(semconv.AttrCauseChanged),
		Raced:           a.Bool(semconv.AttrCauseRaced),
		Inferred:        a.Bool(semconv.AttrCauseInferred),
		Write:           Link{a.Text(semconv.AttrCauseWriteTraceID), a.Text(semconv.AttrCauseWriteSpanID)},
	}
}

func span(s *tracepb.Span) Span {
	out := Span{
		TraceID: hex.EncodeToString(s.TraceId), SpanID: hex.EncodeToString(s.SpanId),
		Parent: hex.EncodeToString(s.ParentSpanId), Name: s.Name,
		From: at(s.StartTimeUnixNano), To: at(s.EndTimeUnixNano),
		Client: s.Kind == tracepb.Span_SPAN_KIND_CLIENT,
		Failed: s.Status.GetCode() == tracepb.Status_STATUS_CODE_ERROR,
		Attrs:  attributes(s.Attributes),
	}
	for _, e := range s.Events {
		out.Events = append(out.Events, Event{e.Name, at(e.TimeUnixNano), attributes(e.Attributes)})
	}
	for _, l := range s.Links {
		out.Links = append(out.Links, Link{hex.EncodeToString(l.TraceId), hex.EncodeToString(l.SpanId)})
	}
	return out
}

func logRecord(l *logspb.LogRecord) Record {
	return Record{
		Event: l.EventName, At: at(l.TimeUnixNano),
		TraceID: hex.EncodeToString(l.TraceId), SpanID: hex.EncodeToString(l.SpanId),
		Attrs: attributes(l.Attributes),
	}
}

func at(nanos uint64) time.Time { return time.Unix(0, int64(nanos)) }

func attributes(list []*commonpb.KeyValue) Attrs {
	out := Attrs{}
	for _, kv := range list {
		out[kv.Key] = value(kv.Value)
	}
	return out
}

func value(v *commonpb.AnyValue) any {
	switch x := v.GetValue().(type) {
	case *commonpb.AnyValue_IntValue:
		return x.IntValue
	case *commonpb.AnyValue_BoolValue:
		return x.BoolValue
	case *commonpb.AnyValue_DoubleValue:
		return x.DoubleValue
	case *commonpb.AnyValue_ArrayValue:
		list := []string{}
		for _, e := range x.ArrayValue.Values {
			list = append(list, e.GetStringValue())
		}
		return list
	default:
		return v.GetStringValue()
	}
}
