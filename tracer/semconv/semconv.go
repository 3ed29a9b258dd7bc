// Package semconv names the spans, events, log records and attributes that
// make up the span contract between an instrumented controller and the hub.
// It is the one place both sides import, and it imports nothing but the
// standard library. docs/spans.md describes the contract in prose.
package semconv

// Version is the version of the contract. It rises when a name changes its
// meaning or goes away; a name that is only added leaves it as it is.
const Version = "1"

// ScopeName is the name of the instrumentation scope of every span and log
// record that follows this contract.
const ScopeName = "github.com/reconcile-tracer/tracer"

// Names of spans. One trace is one reconcile; the root span covers the item's
// journey from ready in the queue to Done, the others are its descendants in
// the order of the loop.
const (
	// SpanReconcilePrefix is followed by the name of the controller.
	SpanReconcilePrefix = "reconcile "
	SpanDequeue         = "dequeue"
	SpanFetch           = "fetch"
	SpanCompute         = "compute"
	SpanApply           = "apply"
	SpanRequeue         = "requeue"
	// SpanRead is a child of fetch: one cache read or live read.
	SpanRead = "read"
	// SpanWrite is a child of apply, of kind CLIENT: one API request.
	SpanWrite = "write"
)

// Names of span events.
const (
	// EventCause stands on the dequeue span, once for each coalesced cause:
	// the first MaxCauses/2 and the last MaxCauses/2 of them.
	EventCause = "cause"
	// EventPlanAction stands on a compute span, once for each planned action.
	EventPlanAction = "plan.action"
)

// MaxCauses is how many cause events a dequeue span carries at most. The
// counts by kind (AttrCauseCounts) are exact all the same.
const MaxCauses = 64

// Limits of one span or log record. The hub leaves out the whole span or record
// that is over one of them; the library keeps to them.
const (
	// MaxAttributes of a span, an event, a link, a resource or a log record.
	MaxAttributes = 128
	// MaxEvents and MaxLinks of a span.
	MaxEvents = 256
	MaxLinks  = 256
	// MaxString is the longest string, in bytes.
	MaxString = 16 << 10
)

// MaxActions is how many plan.action events a compute span carries at most: the
// first ones. AttrPlanCount says how many there were.
const MaxActions = MaxEvents

// Event names of OTLP log records. All are level-based: the newest wins.
const (
	LogSpanStart       = "span.start"
	LogQueueItem       = "queue.item"
	LogHold            = "hold"
	LogDrop            = "drop"
	LogControllerState = "controller.state"
	// LogControl is the hub's own: what the presenter told a controller.
	LogControl = "control"
)

// Attributes of the object reconciled, as OpenTelemetry names them.
const (
	AttrObjectKind       = "k8s.object.kind"
	AttrObjectAPIVersion = "k8s.object.api_version"
	AttrObjectName       = "k8s.object.name"
	AttrObjectUID        = "k8s.object.uid"
	AttrNamespace        = "k8s.namespace.name"
)

// Resource attributes: the controller's process.
const (
	AttrServiceName       = "service.name"
	AttrServiceInstanceID = "service.instance.id"
	AttrPodName           = "k8s.pod.name"
)

// Attributes of the root span. AttrObjectFields lists allow-listed scalars of the object as
// "path=value", sorted by path; a changed path that is not on the list has "changed <hash>" as its
// value. AttrObjectFinalizers names what holds an object that is being deleted. AttrRequeueIgnoredMS
// is the delay that a failed reconcile asked for and did not get, because its back-off came sooner. AttrSeq stands on every span: the emitter's running number, from 1.
const (
	AttrController            = "reconcile.controller"
	AttrID                    = "reconcile.id"
	AttrResult                = "reconcile.result"
	AttrRequeueDelayMS        = "reconcile.requeue.delay_ms"
	AttrRequeueCount          = "reconcile.requeue.count"
	AttrRequeueIgnoredMS      = "reconcile.requeue.ignored_ms"
	AttrWorker                = "reconcile.worker"
	AttrObjectGeneration      = "reconcile.object.generation"
	AttrObjectObservedGen     = "reconcile.object.observed_generation"
	AttrObjectResourceVersion = "reconcile.object.resource_version"
	AttrObjectDeleting        = "reconcile.object.deleting"
	AttrObjectFinalizers      = "reconcile.object.finalizers"
	AttrObjectFields          = "reconcile.object.fields"
	AttrErrorType             = "error.type"
	AttrSeq                   = "reconcile.seq"
)

// Attributes of the dequeue span. AttrCauseCounts is a list of "kind=count"; AttrQueueModelled
// says that the emitter models the queue's order, because the real one is private.
const (
	AttrQueueModelled    = "workqueue.modelled"
	AttrQueueDepth       = "workqueue.depth"
	AttrQueuePriority    = "workqueue.priority"
	AttrQueueNumRequeues = "workqueue.num_requeues"
	AttrCauseCounts      = "reconcile.cause.counts"
)

// Attributes of the event EventCause. AttrCauseChanged lists spec, status, metadata and other
// top-level fields (data). The trace
// and span id of the write that made the resourceVersion stand beside a span link to it, because
// links carry no reference to the event that they explain.
const (
	AttrCause                = "reconcile.cause"
	AttrCauseBy              = "reconcile.cause.by"
	AttrCauseObjectKind      = "reconcile.cause.object.kind"
	AttrCauseObjectNamespace = "reconcile.cause.object.namespace"
	AttrCauseObjectName      = "reconcile.cause.object.name"
	AttrCauseObjectUID       = "reconcile.cause.object.uid"
	AttrCauseObjectRV        = "reconcile.cause.object.resource_version"
	AttrCauseChanged         = "reconcile.cause.changed"
	// AttrCauseManager is the field manager of the newest change, where the
	// object tells it without doubt: kubectl, a controller's name, …. A delete
	// has none: the object tells who changed it last, not who deleted it.
	AttrCauseManager      = "reconcile.cause.manager"
	AttrCauseRaced        = "reconcile.cause.raced"
	AttrCauseInferred     = "reconcile.cause.inferred"
	AttrCauseWriteTraceID = "reconcile.cause.write.trace_id"
	AttrCauseWriteSpanID  = "reconcile.cause.write.span_id"
)

// Attributes of a read span. AttrReadStaleBy counts the own writes that the store has not seen,
// AttrReadStaleSince is when the oldest of them was answered, in microseconds since the epoch.
const (
	AttrReadSource     = "reconcile.read.source"
	AttrReadKind       = "reconcile.read.kind"
	AttrReadCount      = "reconcile.read.count"
	AttrReadStaleBy    = "reconcile.read.stale_by"
	AttrReadStaleSince = "reconcile.read.stale_since"
	AttrReadStale      = "reconcile.read.stale"
)

// AttrPlanCount stands on a compute span whose plan has more than MaxActions
// actions: how many it has.
const AttrPlanCount = "reconcile.plan.count"

// Attributes of the event EventPlanAction. AttrActionPaths names fields, never their values.
const (
	AttrActionVerb    = "reconcile.action.verb"
	AttrActionKind    = "reconcile.action.kind"
	AttrActionName    = "reconcile.action.name"
	AttrActionSummary = "reconcile.action.summary"
	AttrActionPaths   = "reconcile.action.paths"
)

// Attributes of a write span. AttrWriteFields is like AttrObjectFields, of the object that the
// answer holds.
const (
	AttrHTTPMethod              = "http.request.method"
	AttrHTTPStatus              = "http.response.status_code"
	AttrAuditID                 = "audit-id"
	AttrWriteResource           = "reconcile.write.resource"
	AttrWriteSubresource        = "reconcile.write.subresource"
	AttrWriteNamespace          = "reconcile.write.namespace"
	AttrWriteName               = "reconcile.write.name"
	AttrWriteUID                = "reconcile.write.uid"
	AttrWriteResourceVersionOld = "reconcile.write.resource_version.before"
	AttrWriteResourceVersionNew = "reconcile.write.resource_version.after"
	AttrWriteNoop               = "reconcile.write.noop"
	AttrWriteFields             = "reconcile.write.fields"
	// AttrWriteOwned stands on a write that created an object: whether that has
	// an owner reference.
	AttrWriteOwned = "reconcile.write.owned"
	// AttrWriteFault names the fault of a debugger that made the answer.
	AttrWriteFault = "reconcile.write.fault"
)

// Values of AttrResult: controller-runtime's words.
const (
	ResultSuccess       = "success"
	ResultRequeue       = "requeue"
	ResultRequeueAfter  = "requeue_after"
	ResultError         = "error"
	ResultTerminalError = "terminal_error"
	ResultPanic         = "panic"
	ResultTimeout       = "timeout"
)

// Values of AttrCause: what made the item come into the queue.
const (
	CauseInitialList  = "initial_list"
	CauseAdd          = "add"
	CauseUpdate       = "update"
	CauseDelete       = "delete"
	CauseGeneric      = "generic"
	CauseResync       = "resync"
	CauseRelist       = "relist"
	CauseBackoff      = "backoff"
	CauseRequeueAfter = "requeue_after"
	CauseManual       = "manual"
)

// Values of AttrCauseBy: who made the change behind a cause.
const (
	BySelf    = "self"
	ByOther   = "other"
	ByUnknown = "unknown"
)

// Values of AttrReadSource.
const (
	ReadCache = "cache"
	ReadAPI   = "api"
)

// Values of AttrReadStale. The attribute is absent when the question does not
// arise: no write of this controller of that resource came before the read.
const (
	StaleYes     = "yes"
	StaleNo      = "no"
	StaleUnknown = "unknown"
)

// Attributes of the scope of each request, by which the hub finds what was
// lost: the emitter's run, the numbers of the first and last span that it has
// finished since the last request, and how many it has dropped so far.
const (
	AttrEmitterEpoch    = "emitter.epoch"
	AttrEmitterFirstSeq = "emitter.first_seq"
	AttrEmitterLastSeq  = "emitter.last_seq"
	AttrEmitterDropped  = "emitter.dropped"
)

// Attributes of the log record LogSpanStart: a span still open. The record's
// own trace id and span id name it; its other attributes are the span's so far.
const (
	AttrSpanName     = "span.name"
	AttrSpanParentID = "span.parent_id"
	// AttrSpanStart is the span's start in microseconds since the epoch.
	AttrSpanStart = "span.start_us"
	// AttrPlan is what a compute that is still open has planned so far: the
	// actions' summaries, in order.
	AttrPlan = "reconcile.plan"
)

// Attributes of the log record LogQueueItem: the facets of one item's place in
// the queue. They do not exclude each other; an absent one does not hold.
// Times are microseconds since the epoch. AttrItemReadyCauses lists the kinds of
// the causes that have come so far, oldest first; when they are more than
// MaxCauses it is their number instead.
const (
	AttrItemReadySince   = "queue.ready.since_us"
	AttrItemReadyOrder   = "queue.ready.order"
	AttrItemReadyCauses  = "queue.ready.causes"
	AttrItemDelayedSince = "queue.delayed.since_us"
	AttrItemDelayedUntil = "queue.delayed.ready_at_us"
	AttrItemDelayedWhy   = "queue.delayed.why"
	AttrItemRequeues     = "queue.delayed.requeues"
	AttrItemActive       = "queue.active"
	AttrItemDirty        = "queue.dirty"
)

// Attributes of the log record LogHold.
const (
	AttrHoldSince = "hold.since_us"
	AttrHoldUntil = "hold.until_us"
	AttrHoldPhase = "hold.phase"
	AttrHoldWhy   = "hold.why"
)

// Attributes of the log record LogControl, beside AttrController and the item's
// AttrNamespace and AttrObjectName. A command without AttrControlTo stands.
const (
	AttrControlID      = "control.id"
	AttrControlCommand = "control.command"
	AttrControlPhase   = "control.phase"
	AttrControlText    = "control.text"
	AttrControlBy      = "control.by"
	AttrControlFrom    = "control.from_us"
	AttrControlTo      = "control.to_us"
	AttrControlUntil   = "control.until_us"
	// AttrControlLifted says why a command that stood has ended.
	AttrControlLifted = "control.lifted"
)

// Attributes of the log record LogDrop, beside those of the object: the newest of
// the events of a kind that a predicate dropped, and how many there were so far.
const (
	AttrDropPredicate = "drop.predicate"
	AttrDropEvent     = "drop.event" // add, update, …: as AttrCause
	AttrDropCount     = "drop.count"
)

// Attributes of the log record LogControllerState: how far the controller's
// start has come, and that it is alive.
const (
	AttrStateWorkers = "controller.workers"
	// AttrStateLease is none, waiting or leading.
	AttrStateLease = "controller.lease"
	// AttrStateSynced and AttrStateUnsynced list the kinds whose caches have
	// and have not got their first list.
	AttrStateSynced     = "controller.caches.synced"
	AttrStateUnsynced   = "controller.caches.unsynced"
	AttrStateWatchError = "controller.watch_error"
	AttrStateStopping   = "controller.stopping"
	// AttrStateControl says that a hub's commands reach the controller.
	AttrStateControl = "controller.control"
)

// Values of AttrStateLease.
const (
	LeaseNone    = "none"
	LeaseWaiting = "waiting"
	LeaseLeading = "leading"
)
