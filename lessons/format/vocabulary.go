package format

import (
	"regexp"
	"slices"
)

// Nodes and Edges are the parts of the map that a beat may highlight: those of
// package templates, which a test compares. The caller owns the slice.
func Nodes() []string {
	return []string{"waiting", "queue", "dequeue", "fetch", "compute", "apply", "requeue", "done", "cache", "api", "outside"}
}

// Edges are the ways between the nodes, see Nodes.
func Edges() []string {
	return []string{
		"queue-dequeue", "dequeue-fetch", "fetch-compute", "compute-apply", "apply-requeue", "requeue-done",
		"requeue-waiting", "waiting-queue", "apply-api", "api-cache", "cache-queue", "outside-api", "cache-fetch",
	}
}

// Type is the type of a row's field in a condition.
type Type int

// The types of fields: text takes =, != and ~ (holds); numbers take =, !=, <,
// <=, > and >=; yes-or-no fields take = and true or false. Words are like
// text, of several values, one of which has to fit.
const (
	Text Type = iota
	Number
	Bool
	Words
)

// Field is a field of a row that a condition may speak of. OneOf are the
// values that it can have, and Like is how one of them looks; nil where it can
// have any. No number is below zero.
type Field struct {
	Type  Type
	OneOf []string
	Like  *Likeness
}

// Likeness is how the values of a field look, for = and !=.
type Likeness struct {
	pattern *regexp.Regexp
	words   string
}

var (
	aName   = &Likeness{regexp.MustCompile(`^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$`), "the name of an object, as web"}
	aKind   = &Likeness{regexp.MustCompile(`^[A-Z][A-Za-z0-9]*$`), "a kind, as Pod"}
	aStatus = &Likeness{regexp.MustCompile(`^(0|[1-5][0-9][0-9])$`), "an HTTP status, as 409, or 0 for none"}
)

// The words of the rows, see docs/rows.md.
var (
	results = []string{"success", "requeue", "requeue_after", "error", "terminal_error", "panic", "timeout", "lost"}
	causes  = []string{
		"initial_list", "add", "update", "delete", "generic", "resync", "relist", "backoff", "requeue_after", "manual",
		OwnWrite,
	}
	// whys are what a wait is for: the kind of delay, or the newest cause.
	whys = append([]string{"requeue"}, slices.DeleteFunc(slices.Clone(causes), func(c string) bool { return c == OwnWrite })...)
	// rules are the findings, see docs/findings.md.
	rules = []string{
		"hot-loop", "swallowed-error", "blind-update", "duplicate-create", "requeue-after-with-error",
		"no-owner-reference", "missing-watch", "finalizer-stuck", "observed-generation",
	}
	phases = []string{"dequeue", "fetch", "compute", "apply", "requeue"}
)

// OwnWrite is the word for a cause that the controller's own write has made,
// without a change of the spec.
const OwnWrite = "own_write"

// Rows are the rows that a condition may speak of, with their fields. The
// caller must not change it.
func Rows() map[string]map[string]Field {
	return map[string]map[string]Field{
		"reconcile": {
			"item": {Like: aName}, "controller": {}, "result": {OneOf: results}, "error": {}, "plan": {Type: Words},
			"cause": {Type: Words, OneOf: causes}, "by": {Type: Words, OneOf: []string{"self", "other", "unknown"}},
			"manager": {Type: Words}, "wrote": {Type: Words}, "causes": {Type: Number}, "updates": {Type: Number}, "writes": {Type: Number},
			"failed_writes": {Type: Number}, "status": {Type: Words, Like: aStatus}, "write_error": {Type: Words},
			"read_from": {Type: Words, OneOf: []string{"cache", "api"}},
			"stale":     {Type: Words, OneOf: []string{"yes", "no", "unknown"}}, "stale_by": {Type: Number},
			"requeues": {Type: Number}, "next": {OneOf: []string{"done", "backoff", "requeue", "requeue_after"}},
			"generation": {Type: Number}, "observed": {Type: Number}, "running": {Type: Bool}, "took_ms": {Type: Number},
		},
		"wait": {
			"item": {Like: aName}, "controller": {}, "state": {OneOf: []string{"ready", "delayed"}}, "why": {OneOf: whys},
			"causes": {Type: Number}, "requeues": {Type: Number}, "delay_ms": {Type: Number}, "over": {Type: Bool},
		},
		"hold": {
			"item": {Like: aName}, "controller": {}, "phase": {OneOf: phases}, "why": {}, "standing": {Type: Bool},
		},
		"item": {
			"item": {Like: aName}, "controller": {}, "idle": {Type: Bool}, "ready": {Type: Bool}, "delayed": {Type: Bool},
			"active": {Type: Bool}, "dirty": {Type: Bool}, "gone": {Type: Bool}, "requeues": {Type: Number},
			"last_result": {OneOf: results}, "phase": {OneOf: phases}, "generation": {Type: Number}, "observed": {Type: Number},
		},
		"edge":    {"item": {Like: aName}, "controller": {}, "kind": {Like: aKind}, "self": {Type: Bool}},
		"finding": {"item": {Like: aName}, "controller": {}, "rule": {OneOf: rules}, "standing": {Type: Bool}},
	}
}

func (t Type) ops() []string {
	switch t {
	case Number:
		return []string{"=", "!=", "<", "<=", ">", ">="}
	case Bool:
		return []string{"="}
	}
	return []string{"=", "!=", "~"}
}

// kinds are the kinds of objects that actions know, with their API version and
// resource.
var kinds = map[string]Kind{
	"PodSet":     {"demo.reconcile-tracer.io", "v1alpha1", "podsets"},
	"Pod":        {"", "v1", "pods"},
	"ConfigMap":  {"", "v1", "configmaps"},
	"Deployment": {"apps", "v1", "deployments"},
	"ReplicaSet": {"apps", "v1", "replicasets"},
}

// Kind is a kind of objects.
type Kind struct{ Group, Version, Resource string }

// APIVersion is the kind's API version as manifests have it.
func (k Kind) APIVersion() string {
	if k.Group == "" {
		return k.Version
	}
	return k.Group + "/" + k.Version
}

// KindOf returns what is known of a kind of objects.
func KindOf(name string) (Kind, bool) {
	k, ok := kinds[name]
	return k, ok
}

// Kinds are the kinds of objects that actions know, sorted.
func Kinds() []string {
	var names []string
	for name := range kinds {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
