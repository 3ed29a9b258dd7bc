package tracer

import (
	"slices"
	"strings"
)

// want is one node of the list of wanted paths.
type want struct {
	members map[string]*want
	// other is for members that are not named, each for the elements of an array.
	other, each *want
	// text and scalar say whether strings, and numbers and booleans, are wanted.
	text, scalar bool
	store        func(s *jsonScanner, key, value string)
}

func (w *want) leaf() bool { return w.members == nil && w.other == nil && w.each == nil }

// specScalars are the fields of a spec that may leave the process: counts and
// switches, known by name.
var specScalars = []string{
	"replicas", "paused", "suspend", "parallelism", "completions", "minReadySeconds", "maxReplicas", "minReplicas",
}

// text is a leaf whose string is stored by set.
func text(set func(f *scanned, value string)) *want {
	return &want{text: true, store: func(s *jsonScanner, _, value string) { set(&s.found, value) }}
}

// scalars is a leaf for numbers and booleans that become fields under prefix.
func scalars(prefix string) *want {
	return &want{scalar: true, store: func(s *jsonScanner, key, value string) {
		s.found.field(prefix+key, value)
	}}
}

// scalar is a leaf for a number or boolean that becomes the field path.
func scalar(path string) *want {
	return &want{scalar: true, store: func(s *jsonScanner, _, value string) { s.found.field(path, value) }}
}

// The list of all that is ever taken from a body.
var (
	wantItem = &want{members: map[string]*want{
		"metadata": {members: map[string]*want{
			"uid":             {text: true, store: func(s *jsonScanner, _, v string) { s.item.uid = v }},
			"resourceVersion": {text: true, store: func(s *jsonScanner, _, v string) { s.item.of = v }},
		}},
	}}
	wantCondition = &want{members: map[string]*want{
		"type":   {text: true, store: func(s *jsonScanner, _, v string) { s.cond.kind = v }},
		"status": {text: true, store: func(s *jsonScanner, _, v string) { s.cond.status = v }},
		"reason": {text: true, store: func(s *jsonScanner, _, v string) { s.cond.reason = v }},
	}}
	wanted = &want{members: map[string]*want{
		"kind":     text(func(f *scanned, v string) { f.kind = v }),
		"reason":   text(func(f *scanned, v string) { f.reason = word(v) }),
		"metadata": wantMetadata,
		"details": {members: map[string]*want{
			"uid": text(func(f *scanned, v string) { f.goneUID = v }),
		}},
		"preconditions": {members: map[string]*want{
			"uid":             text(func(f *scanned, v string) { f.uid = v }),
			"resourceVersion": text(func(f *scanned, v string) { f.version = v }),
		}},
		"items":  {each: wantItem},
		"spec":   {members: wantedSpec()},
		"status": {members: wantedStatus, other: scalars("status.")},
	}}
	wantMetadata = &want{members: map[string]*want{
		"uid":             text(func(f *scanned, v string) { f.uid = v }),
		"resourceVersion": text(func(f *scanned, v string) { f.version = v }),
		"name":            text(func(f *scanned, v string) { f.name = v }),
		"ownerReferences": {each: &want{members: map[string]*want{
			"uid": text(func(f *scanned, v string) { f.owned = f.owned || v != "" }),
		}}},
	}}
	wantedStatus = map[string]*want{
		"conditions": {each: wantCondition},
		"phase":      text(func(f *scanned, v string) { f.field("status.phase", v) }),
	}
)

func wantedSpec() map[string]*want {
	members := map[string]*want{}
	for _, name := range specScalars {
		members[name] = scalar("spec." + name)
	}
	return members
}

// maxFields is how many fields of one object are kept.
const maxFields = 32

// field keeps a field whose name and value are each one plain word.
func (f *scanned) field(path, value string) {
	if word(path) == "" || strings.HasSuffix(path, ".") || word(value) == "" || value == "null" || len(f.fields) >= maxFields {
		return
	}
	f.fields = append(f.fields, path+"="+value)
}

func (f *scanned) condition(c condition) {
	if word(c.kind) == "" || !slices.Contains([]string{"True", "False", "Unknown"}, c.status) {
		return
	}
	f.field("status.conditions."+c.kind, c.status)
	f.field("status.conditions."+c.kind+".reason", c.reason)
}
