package flow

// Row is the whole state of one thing the hub knows. A row is replaced whole
// and the newest one wins, so that a reader which misses some converges. Rows
// are values: once given out, neither side changes one again.
//
// Every time in a row is in microseconds since the Unix epoch, 0 meaning not
// yet or never; every duration is the difference of two times.
type Row interface {
	// Kind is the row's kind, one of the RowKind constants.
	Kind() RowKind
	// ID is the row's key, unique within its kind.
	ID() string
}

// RowKind names a kind of row.
type RowKind string

// The kinds of rows. Those from RowReconcile to RowFinding hold an interval of
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
	RowController RowKind = "controller"
	RowItem       RowKind = "item"
)

// ResultLost is the result of a pass whose process went away before the pass
// was done: another run of the controller has taken its place. Such a pass is
// in no count; when its root span comes after all, that decides.
const ResultLost = "lost"

// Reconcile is one pass of a controller over one item; its key is the trace
// id. From is when the item became ready in the queue, Start when a worker
// took it, To when it was done (0 while it runs).
type Reconcile struct {
	Row        RowKind `json:"row"`
	Key        string  `json:"key"`
	Controller string  `json:"controller"`
	// Source is the emitter: its service.instance.id.
	Source string `json:"source"`
	// Item is "namespace/name", or "name" where there is no namespace.
	Item   string `json:"item"`
	Object Object `json:"object"`
	Worker int    `json:"worker"`
	From   int64  `json:"from"`
	Start  int64  `json:"start"`
	To     int64  `json:"to"`
	// Result is one of semconv's Result words or ResultLost, "" while it runs.
	Result string `json:"result"`
	// Error is the error's type (Conflict, …), "" where there is none.
	Error string `json:"error,omitempty"`
	Queue Queue  `json:"queue"`
	// Causes holds the first and the last of them, CauseCounts all by kind.
	Causes      []Cause        `json:"causes"`
	CauseCounts map[string]int `json:"causeCounts"`
	// Phases come in the order of time; fetch, compute and apply may come
	// round more than once. The last one's To is 0 while it goes on.
	Phases []Phase  `json:"phases"`
	Reads  []Read   `json:"reads"`
	Plan   []Action `json:"plan"`
	// Writes holds the first 20 and the last 20, WriteCount counts all.
	Writes       []Write `json:"writes"`
	WriteCount   int     `json:"writeCount"`
	FailedWrites int     `json:"failedWrites"`
	ReadCount    int     `json:"readCount"`
	// OmittedSpans is how many spans came that were too many for one row; one
	// that came twice counts twice.
	OmittedSpans int  `json:"omittedSpans,omitempty"`
	Next         Next `json:"next"`
}

// Object is the object that was reconciled, as the pass saw it. Fields are the
// allow-listed scalars as it was observed, sorted by path.
type Object struct {
	APIVersion         string  `json:"apiVersion,omitempty"`
	Kind               string  `json:"kind"`
	Namespace          string  `json:"namespace,omitempty"`
	Name               string  `json:"name"`
	UID                string  `json:"uid,omitempty"`
	ResourceVersion    string  `json:"resourceVersion,omitempty"`
	Generation         int64   `json:"generation,omitempty"`
	ObservedGeneration int64   `json:"observedGeneration,omitempty"`
	Deleting           bool    `json:"deleting,omitempty"`
	Fields             []Field `json:"fields,omitempty"`
}

// Field is one allow-listed scalar of an object.
type Field struct {
	Path  string `json:"path"`
	Value string `json:"value"`
}

// Queue is what the work queue was like when the item was taken. Modelled says
// that the emitter models the order, because the real one is private.
type Queue struct {
	Depth    int  `json:"depth"`
	Priority int  `json:"priority,omitempty"`
	Requeues int  `json:"requeues"`
	Modelled bool `json:"modelled,omitempty"`
}

// Cause is one reason why the item came into the queue.
type Cause struct {
	At int64 `json:"at"`
	// What is one of semconv's Cause words, By one of its By words.
	What            string   `json:"what"`
	By              string   `json:"by"`
	Kind            string   `json:"kind,omitempty"`
	Namespace       string   `json:"namespace,omitempty"`
	Name            string   `json:"name,omitempty"`
	UID             string   `json:"uid,omitempty"`
	ResourceVersion string   `json:"resourceVersion,omitempty"`
	Changed         []string `json:"changed,omitempty"`
	// Manager is who changed it last (kubectl, a controller), where known.
	Manager string `json:"manager,omitempty"`
	Raced   bool   `json:"raced,omitempty"`
	// Inferred says that Write was joined by UID (a delete answers without a
	// version) and not by resourceVersion.
	Inferred bool `json:"inferred,omitempty"`
	// Write is the write that made this resourceVersion, nil when unknown.
	Write *WriteRef `json:"write,omitempty"`
}

// WriteRef points at a write of a reconcile.
type WriteRef struct {
	Reconcile string `json:"reconcile"`
	Span      string `json:"span"`
}

// Phase is one phase: dequeue, fetch, compute, apply or requeue.
type Phase struct {
	Name string `json:"name"`
	From int64  `json:"from"`
	To   int64  `json:"to"`
}

// Read is one read from the informer cache or from the API server.
type Read struct {
	Span string `json:"span"`
	From int64  `json:"from"`
	To   int64  `json:"to"`
	// Source is cache or api.
	Source string `json:"source"`
	Kind   string `json:"kind"`
	Count  int    `json:"count"`
	// Stale is yes, no or unknown, "" where the question does not arise.
	Stale string `json:"stale,omitempty"`
	// StaleBy is how many own writes the store had not seen, StaleSince when
	// the oldest of them was answered.
	StaleBy    int   `json:"staleBy,omitempty"`
	StaleSince int64 `json:"staleSince,omitempty"`
}

// Action is one action of the plan, in words and in names.
type Action struct {
	Verb    string   `json:"verb"`
	Kind    string   `json:"kind"`
	Name    string   `json:"name,omitempty"`
	Summary string   `json:"summary"`
	Paths   []string `json:"paths,omitempty"`
}

// Write is one API request that changes something. Status is 0 while it is
// under way or when no answer came.
type Write struct {
	Span        string `json:"span"`
	From        int64  `json:"from"`
	To          int64  `json:"to"`
	Method      string `json:"method"`
	Resource    string `json:"resource"`
	Subresource string `json:"subresource,omitempty"`
	Namespace   string `json:"namespace,omitempty"`
	Name        string `json:"name,omitempty"`
	UID         string `json:"uid,omitempty"`
	Before      string `json:"before,omitempty"`
	After       string `json:"after,omitempty"`
	Noop        bool   `json:"noop,omitempty"`
	Status      int    `json:"status"`
	// Fault is the debugger's fault that made the answer, "" where the API
	// server gave it.
	Fault   string  `json:"fault,omitempty"`
	Error   string  `json:"error,omitempty"`
	AuditID string  `json:"auditId,omitempty"`
	Fields  []Field `json:"fields,omitempty"`
	// SeenAt is when the event of this write's version came back to its own
	// controller's queue as a cause, 0 as long as it has not.
	SeenAt int64 `json:"seenAt,omitempty"`
	// Server are the spans of those who served the request, by From: the API
	// server, etcd, webhooks. The first 48 are kept; ServerCut says that there
	// were more.
	Server    []ServerSpan `json:"server,omitempty"`
	ServerCut bool         `json:"serverCut,omitempty"`
}

// ServerSpan is something that was done on the way of a write: a span of the
// API server, of etcd or of whom they asked. Parent is the span it is part of,
// in the same list, or else that of the write, or "".
type ServerSpan struct {
	Span    string `json:"span"`
	Parent  string `json:"parent,omitempty"`
	Service string `json:"service"`
	Name    string `json:"name"`
	From    int64  `json:"from"`
	To      int64  `json:"to"`
	Failed  bool   `json:"failed,omitempty"`
}

// Next is what comes after this pass. Why is done, backoff, requeue or
// requeue_after, "" while the pass runs; At is when the item is ready again,
// 0 where nothing is planned.
type Next struct {
	Why      string `json:"why"`
	At       int64  `json:"at,omitempty"`
	Requeues int    `json:"requeues,omitempty"`
}

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

// Finding is a diagnosis with its evidence; its key is rule, item and From.
type Finding struct {
	Row        RowKind `json:"row"`
	Key        string  `json:"key"`
	Rule       string  `json:"rule"`
	Controller string  `json:"controller"`
	Item       string  `json:"item"`
	From       int64   `json:"from"`
	To         int64   `json:"to"`
	Summary    string  `json:"summary"`
	// Evidence are the trace ids of the reconciles which show it.
	Evidence []string `json:"evidence"`
}

// Controller is one controller now; its key is its name. Connected is false
// from the moment it has not been heard of for 5 seconds; Heard is when it was
// last heard of.
type Controller struct {
	Row     RowKind `json:"row"`
	Key     string  `json:"key"`
	Source  string  `json:"source"`
	Service string  `json:"service,omitempty"`
	Pod     string  `json:"pod,omitempty"`
	// ObjectKind is the kind of the objects that it reconciles.
	ObjectKind string `json:"kind,omitempty"`
	Workers    int    `json:"workers"`
	Connected  bool   `json:"connected"`
	Heard      int64  `json:"heard"`
	Since      int64  `json:"since"`
	// Lease is none, waiting or leading.
	Lease      string   `json:"lease,omitempty"`
	Synced     []string `json:"synced,omitempty"`
	Unsynced   []string `json:"unsynced,omitempty"`
	WatchError string   `json:"watchError,omitempty"`
	Stopping   bool     `json:"stopping,omitempty"`
	// Control says that it takes commands now: a debugger's connection stands.
	Control bool `json:"control,omitempty"`
	// Reconciles, Errors, Writes and Failed count since the hub's journal
	// begins; they are exact whatever has been evicted.
	Reconciles int64 `json:"reconciles"`
	Errors     int64 `json:"errors"`
	Writes     int64 `json:"writes"`
	Failed     int64 `json:"failedWrites"`
	// Latency is like Sample.Latency, over everything.
	Latency []int64 `json:"latency,omitempty"`
	// Depth and Delayed count the items in the queue and the waiting room.
	Depth   int   `json:"depth"`
	Delayed int   `json:"delayed"`
	Dropped int64 `json:"dropped,omitempty"`
}

// Item is one item now; its key is controller and item.
type Item struct {
	Row        RowKind `json:"row"`
	Key        string  `json:"key"`
	Controller string  `json:"controller"`
	Item       string  `json:"item"`
	// Ready, Delayed, Active and Dirty are the facets of its place in the
	// queue; they do not exclude each other.
	Ready   bool `json:"ready"`
	Delayed bool `json:"delayed"`
	Active  bool `json:"active"`
	Dirty   bool `json:"dirty"`
	// Phase is the phase it is in, "" when no worker has it or it is not known.
	Phase string `json:"phase,omitempty"`
	// Requeues counts the requeues in a row.
	Requeues int `json:"requeues"`
	// Current is the pass under way, "" when there is none; Previous is the
	// newest one done, and LastResult its result.
	LastResult         string `json:"lastResult,omitempty"`
	Current            string `json:"current,omitempty"`
	Previous           string `json:"previous,omitempty"`
	Reconciles         int64  `json:"reconciles"`
	Generation         int64  `json:"generation,omitempty"`
	ObservedGeneration int64  `json:"observedGeneration,omitempty"`
	// Gone says that the object was deleted, and not found again since.
	Gone bool `json:"gone,omitempty"`
}
