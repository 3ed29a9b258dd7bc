package flow

import "github.com/reconcile-tracer/tracer/tracer/semconv"

// Kinds returns every kind of row, reconciles first. The caller owns it.
func Kinds() []RowKind {
	return []RowKind{
		RowReconcile, RowWait, RowHold, RowControl, RowSample, RowEdge, RowGap, RowFinding, RowController, RowItem,
	}
}

// Results returns every result that a reconcile can end with. The caller owns it.
func Results() []string {
	return []string{
		semconv.ResultSuccess, semconv.ResultRequeue, semconv.ResultRequeueAfter, semconv.ResultError,
		semconv.ResultTerminalError, semconv.ResultPanic, semconv.ResultTimeout, ResultLost,
	}
}

// A row in an Output is always a pointer to one of the row types: the pointer
// types implement Row, the plain ones do not, so that a type switch has one
// case for each kind.
var _ = []Row{
	&Reconcile{}, &Wait{}, &Hold{}, &Control{}, &Sample{}, &Edge{}, &Gap{}, &Finding{}, &Controller{}, &Item{},
}

// Kind implements Row.
func (*Reconcile) Kind() RowKind { return RowReconcile }

// ID implements Row; it is the trace id.
func (r *Reconcile) ID() string { return r.Key }

// Kind implements Row.
func (*Wait) Kind() RowKind { return RowWait }

// ID implements Row; it is controller, item, state and From.
func (r *Wait) ID() string { return r.Key }

// Kind implements Row.
func (*Hold) Kind() RowKind { return RowHold }

// ID implements Row; it is controller, worker and From.
func (r *Hold) ID() string { return r.Key }

// Kind implements Row.
func (*Control) Kind() RowKind { return RowControl }

// ID implements Row; it is the command's id.
func (r *Control) ID() string { return r.Key }

// Kind implements Row.
func (*Sample) Kind() RowKind { return RowSample }

// ID implements Row; it is controller and second.
func (r *Sample) ID() string { return r.Key }

// Kind implements Row.
func (*Edge) Kind() RowKind { return RowEdge }

// ID implements Row; it is the write's span and the reconcile it caused.
func (r *Edge) ID() string { return r.Key }

// Kind implements Row.
func (*Gap) Kind() RowKind { return RowGap }

// ID implements Row; it is source, epoch and first number.
func (r *Gap) ID() string { return r.Key }

// Kind implements Row.
func (*Finding) Kind() RowKind { return RowFinding }

// ID implements Row; it is rule, item and From.
func (r *Finding) ID() string { return r.Key }

// Kind implements Row.
func (*Controller) Kind() RowKind { return RowController }

// ID implements Row; it is the controller's name.
func (r *Controller) ID() string { return r.Key }

// Kind implements Row.
func (*Item) Kind() RowKind { return RowItem }

// ID implements Row; it is controller and item.
func (r *Item) ID() string { return r.Key }
