package flow

// Input is one thing that the fold takes in. Now is the receive time stamped
// on the journal's block, in microseconds since the Unix epoch: the only clock
// the fold has. Offset is the block's position in the stream; both never go
// back (the fold clamps a Now that does). A block with neither spans nor logs
// lets time pass.
type Input struct {
	Offset uint64 `json:"offset"`
	Now    int64  `json:"now"`
	Spans  []Span `json:"spans,omitempty"`
	Logs   []Log  `json:"logs,omitempty"`
	// Emitters are the numbering of the requests which the block holds.
	Emitters []Emitter `json:"emitters,omitempty"`
}

// Source is who sent something: the controller's process.
type Source struct {
	Instance string `json:"instance"`
	Service  string `json:"service,omitempty"`
	Pod      string `json:"pod,omitempty"`
}

// Emitter is one request's claim about what it carries: spans First to Last of
// this Epoch, and how many the emitter has dropped so far.
type Emitter struct {
	Source  Source `json:"source"`
	Epoch   string `json:"epoch,omitempty"`
	First   int64  `json:"first,omitempty"`
	Last    int64  `json:"last,omitempty"`
	Dropped int64  `json:"dropped,omitempty"`
}

// Span is one finished span, decoded. Attributes that the contract does not
// know are kept out; IDs are lower-case hex.
type Span struct {
	Source  Source  `json:"source"`
	Epoch   string  `json:"epoch,omitempty"`
	TraceID string  `json:"traceId,omitempty"`
	SpanID  string  `json:"spanId,omitempty"`
	Parent  string  `json:"parent,omitempty"`
	Name    string  `json:"name"`
	From    int64   `json:"from"`
	To      int64   `json:"to"`
	Attrs   Attrs   `json:"attrs,omitempty"`
	Events  []Event `json:"events,omitempty"`
	Links   []Link  `json:"links,omitempty"`
	Failed  bool    `json:"failed,omitempty"`
}

// Event is one event of a span.
type Event struct {
	Name  string `json:"name"`
	At    int64  `json:"at"`
	Attrs Attrs  `json:"attrs,omitempty"`
}

// Link is one link of a span.
type Link struct {
	TraceID string `json:"traceId,omitempty"`
	SpanID  string `json:"spanId,omitempty"`
}

// Log is one log record of the contract. Epoch is the emitter's run, "" where
// it is not known.
type Log struct {
	Source  Source `json:"source"`
	Epoch   string `json:"epoch,omitempty"`
	Event   string `json:"event"`
	At      int64  `json:"at"`
	TraceID string `json:"traceId,omitempty"`
	SpanID  string `json:"spanId,omitempty"`
	Attrs   Attrs  `json:"attrs,omitempty"`
}

// Attrs are the attributes of a span, an event or a log record, by name. A
// value is a string, an int64, a float64, a bool or a []string. They are owned
// by the fold once handed over.
type Attrs map[string]any

// Output is one effect of a step: a row that is new or changed, or one that is
// gone (evicted). Exactly one of the two is set.
type Output struct {
	Row  Row     `json:"row,omitempty"`
	Gone *RowRef `json:"gone,omitempty"`
}

// RowRef names a row.
type RowRef struct {
	Kind RowKind `json:"row"`
	ID   string  `json:"key"`
}
