package flow

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
	Depth   int `json:"depth"`
	Delayed int `json:"delayed"`
	// Dropped counts what predicates dropped; Drops names 32 of these at most.
	Dropped int64  `json:"dropped,omitempty"`
	Drops   []Drop `json:"drops,omitempty"`
}

// Drop is what a predicate dropped of a kind; What, Item and At are of the newest.
type Drop struct {
	Predicate  string `json:"predicate"`
	ObjectKind string `json:"kind"`
	Count      int64  `json:"count"`
	What       string `json:"what"`
	Item       string `json:"item,omitempty"`
	At         int64  `json:"at"`
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
