package flow

// Input is one thing that the fold takes in. Now is the receive time stamped
// on the journal's block, in microseconds since the Unix epoch: the only clock
// the fold has. Offset is the block's position in the stream; both never go
// back (the fold clamps a Now that does). A block with neither spans nor logs
// lets time pass.
type Input struct {
	Offset uint64
	Now    int64
	Spans  []Span
	Logs   []Log
	// Emitters are the numbering of the requests which the block holds.
	Emitters []Emitter
}

// Source is who sent something: the controller's process.
type Source struct {
	Instance string
	Service  string
	Pod      string
}

// Emitter is one request's claim about what it carries: spans First to Last of
// this Epoch, and how many the emitter has dropped so far.
type Emitter struct {
	Source      Source
	Epoch       string
	First, Last int64
	Dropped     int64
}

// Span is one finished span, decoded. Attributes that the contract does not
// know are kept out; IDs are lower-case hex.
type Span struct {
	Source  Source
	Epoch   string
	TraceID string
	SpanID  string
	Parent  string
	Name    string
	From    int64
	To      int64
	Attrs   Attrs
	Events  []Event
	Links   []Link
	Failed  bool
}

// Event is one event of a span.
type Event struct {
	Name  string
	At    int64
	Attrs Attrs
}

// Link is one link of a span.
type Link struct {
	TraceID string
	SpanID  string
}

// Log is one log record of the contract. Epoch is the emitter's run, "" where
// it is not known.
type Log struct {
	Source  Source
	Epoch   string
	Event   string
	At      int64
	TraceID string
	SpanID  string
	Attrs   Attrs
}

// Attrs are the attributes of a span, an event or a log record, by name. A
// value is a string, an int64, a float64, a bool or a []string. They are owned
// by the fold once handed over.
type Attrs map[string]any

// Output is one effect of a step: a row that is new or changed, or one that is
// gone (evicted). Exactly one of the two is set.
type Output struct {
	Row  Row
	Gone *RowRef
}

// RowRef names a row.
type RowRef struct {
	Kind RowKind `json:"row"`
	ID   string  `json:"key"`
}
