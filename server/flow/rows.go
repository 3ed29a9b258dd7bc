package flow

// Row is the whole state of one thing the hub knows. A row is replaced whole and the newest one wins, so
// that a reader which misses some converges. Rows are values: once given out, neither side changes one again.
//
// Every time in a row is in microseconds since the Unix epoch, 0 meaning not
// yet or never; every duration is the difference of two times.
type Row interface {
	Kind() RowKind // one of the constants
	ID() string    // the row's key, unique within its kind
}

// RowKind names a kind of row.
type RowKind string

// The kinds of rows. Those from RowReconcile to RowBeat hold an interval of
// their own and are history; RowController and RowItem are of now.
const (
	RowReconcile  RowKind = "reconcile"
	RowWait       RowKind = "wait"
	RowHold       RowKind = "hold"
	RowControl    RowKind = "control"
	RowSample     RowKind = "sample"
	RowEdge       RowKind = "edge"
	RowGap        RowKind = "gap"
	RowFinding    RowKind = "finding"
	RowBeat       RowKind = "beat"
	RowController RowKind = "controller"
	RowItem       RowKind = "item"
)

// Wait is one stay of an item in the queue (ready) or in the waiting room
// (delayed); its key is controller, item, state and From. To is 0 while it
// lasts. Until is when a delayed item becomes ready.
type Wait struct {
	Row        RowKind `json:"row"`
	Key        string  `json:"key"`
	Controller string  `json:"controller"`
	Item       string  `json:"item"`
	// State is ready or delayed.
	State string `json:"state"`
	From  int64  `json:"from"`
	To    int64  `json:"to"`
	Until int64  `json:"until,omitempty"`
	// Why is what it waits for: backoff, requeue_after or the newest cause.
	Why      string `json:"why,omitempty"`
	Order    int64  `json:"order,omitempty"`
	Priority int    `json:"priority,omitempty"`
	Causes   int    `json:"causes,omitempty"`
	Requeues int    `json:"requeues,omitempty"`
}

// Hold is one stay of a worker at a pause or breakpoint; its key is
// controller, worker and From. To is 0 while it lasts.
type Hold struct {
	Row        RowKind `json:"row"`
	Key        string  `json:"key"`
	Controller string  `json:"controller"`
	Item       string  `json:"item,omitempty"`
	Reconcile  string  `json:"reconcile,omitempty"`
	Worker     int     `json:"worker"`
	Phase      string  `json:"phase"`
	Why        string  `json:"why"`
	From       int64   `json:"from"`
	To         int64   `json:"to"`
	Until      int64   `json:"until,omitempty"`
}

// Control is what the presenter told a controller to do; its key is the
// command's id. From is when the controller took it, To when it ended: 0 while
// it stands, From where it was done at once. Until is when it ends by itself.
type Control struct {
	Row        RowKind `json:"row"`
	Key        string  `json:"key"`
	Controller string  `json:"controller"`
	Item       string  `json:"item,omitempty"`
	// Command is pause, resume, step, slow, break, fault or lift.
	Command string `json:"command"`
	Phase   string `json:"phase,omitempty"`
	// Text is the command in words, By is whose it was: presenter.
	Text  string `json:"text"`
	By    string `json:"by"`
	From  int64  `json:"from"`
	To    int64  `json:"to"`
	Until int64  `json:"until,omitempty"`
	// Lifted says why it has ended.
	Lifted string `json:"lifted,omitempty"`
}

// Sample counts one second of one controller; its key is controller and
// second. Reconciles, their causes and their writes are counted in the second
// in which the reconcile was done. Depth is the deepest that the queue was seen
// by them. The sample is exact whatever else is left out.
type Sample struct {
	Row        RowKind        `json:"row"`
	Key        string         `json:"key"`
	Controller string         `json:"controller"`
	From       int64          `json:"from"`
	To         int64          `json:"to"`
	Reconciles int            `json:"reconciles"`
	ByResult   map[string]int `json:"byResult"`
	ByCause    map[string]int `json:"byCause"`
	Writes     int            `json:"writes"`
	Failed     int            `json:"failedWrites"`
	Depth      int            `json:"depth"`
	// Latency counts reconciles by the base-2 logarithm of Start to To in
	// microseconds: Latency[i] are those of at least 2^i and under 2^(i+1).
	Latency []int `json:"latency,omitempty"`
	Drops   int   `json:"drops,omitempty"`
}

// Edge joins a write to the cause that its event became; its key is the
// write's span and the reconcile which it caused. From is when the request was
// sent, To when its event reached the queue.
type Edge struct {
	Row  RowKind `json:"row"`
	Key  string  `json:"key"`
	From int64   `json:"from"`
	To   int64   `json:"to"`
	// Write is the cause, Reconcile the effect.
	Write      WriteRef `json:"write"`
	Reconcile  string   `json:"reconcile"`
	Controller string   `json:"controller"`
	Item       string   `json:"item"`
	// ObjectKind and Name are the object that was written.
	ObjectKind      string `json:"kind"`
	Name            string `json:"name"`
	ResourceVersion string `json:"resourceVersion,omitempty"`
	Self            bool   `json:"self"`
	Inferred        bool   `json:"inferred,omitempty"`
}

// Gap is a range of an emitter's spans that never came; its key is source,
// epoch and first number. Closed says that they came late after all.
type Gap struct {
	Row        RowKind `json:"row"`
	Key        string  `json:"key"`
	Source     string  `json:"source"`
	Controller string  `json:"controller,omitempty"`
	Epoch      string  `json:"epoch"`
	First      int64   `json:"first"`
	Last       int64   `json:"last"`
	// Count is how many spans are missing: Last-First+1, or, with First and
	// Last 0, how many an emitter says it dropped before it numbered them.
	Count int64 `json:"count"`
	From  int64 `json:"from"`
	To    int64 `json:"to"`
	// Reason is emitter_drop, in_flight, rejected, retention, corrupt_block
	// or unknown.
	Reason string `json:"reason"`
	Closed bool   `json:"closed,omitempty"`
}

// Finding is a diagnosis with its evidence; its key is rule, controller, item
// and From, when the first reconcile that shows it was ready. To is when the
// pattern stopped, 0 while it goes on; Summary says what was seen and what to do.
type Finding struct {
	Row        RowKind `json:"row"`
	Key        string  `json:"key"`
	Rule       string  `json:"rule"`
	Controller string  `json:"controller"`
	Item       string  `json:"item"`
	From       int64   `json:"from"`
	To         int64   `json:"to"`
	Summary    string  `json:"summary"`
	// Evidence are the trace ids of the first 4 and last 4 reconciles that show it.
	Evidence []string `json:"evidence"`
}

// Beat is one beat of a lesson while it was shown; its key is the run, its
// number and From. To is 0 while it is shown, Acted when it began to act and
// Done when what it waited for had come, which reveals the question.
type Beat struct {
	Row RowKind `json:"row"`
	Key string  `json:"key"`
	// Lesson is the lesson's id, Run the namespace in which it was played.
	Lesson string `json:"lesson"`
	Run    string `json:"run"`
	// N counts from 1 to Of.
	N  int `json:"n"`
	Of int `json:"of"`
	// Title is the lesson's, Heading the beat's.
	Title   string `json:"title"`
	Heading string `json:"heading"`
	// Words are said from the beginning, Then from Done on; a line is a
	// paragraph.
	Words string `json:"words"`
	Then  string `json:"then,omitempty"`
	// Highlight are nodes and edges of the map.
	Highlight []string `json:"highlight,omitempty"`
	// Controller and Item are what the page selects, Reconcile from Done on.
	Controller string `json:"controller"`
	Item       string `json:"item"`
	Reconcile  string `json:"reconcile,omitempty"`
	// Question is empty where nothing is asked; Right is the index of the
	// right choice, Because its explanation.
	Question string   `json:"question,omitempty"`
	Choices  []string `json:"choices,omitempty"`
	Right    int      `json:"right,omitempty"`
	Because  string   `json:"because,omitempty"`
	From     int64    `json:"from"`
	Acted    int64    `json:"acted,omitempty"`
	Done     int64    `json:"done,omitempty"`
	To       int64    `json:"to"`
}
