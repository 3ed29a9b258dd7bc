package flow

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
	Item string `json:"item"`
	// Nth is which of its controller's passes over the item it is, in the order
	// of From, counted from 1 since the hub's journal begins, lost ones too.
	Nth    int64  `json:"nth,omitempty"`
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
	APIVersion         string `json:"apiVersion,omitempty"`
	Kind               string `json:"kind"`
	Namespace          string `json:"namespace,omitempty"`
	Name               string `json:"name"`
	UID                string `json:"uid,omitempty"`
	ResourceVersion    string `json:"resourceVersion,omitempty"`
	Generation         int64  `json:"generation,omitempty"`
	ObservedGeneration int64  `json:"observedGeneration,omitempty"`
	Deleting           bool   `json:"deleting,omitempty"`
	// Finalizers are what holds an object that is being deleted.
	Finalizers []string `json:"finalizers,omitempty"`
	Fields     []Field  `json:"fields,omitempty"`
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
	// Owned and Unowned: whether what it created has an owner reference.
	Owned   bool `json:"owned,omitempty"`
	Unowned bool `json:"unowned,omitempty"`
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
	// Ignored is the delay that a failed pass asked for, and its back-off made void.
	Ignored int64 `json:"ignored,omitempty"`
}
