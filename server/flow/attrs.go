package flow

import (
	"hash/fnv"
	"strconv"
	"strings"
)

// text is the string called name, cut to what a row may hold.
func (a Attrs) text(name string) string {
	v, _ := a[name].(string)
	return clip(v)
}

func (a Attrs) num(name string) int64 {
	switch v := a[name].(type) {
	case int64:
		return v
	case float64:
		return int64(v)
	}
	return 0
}

// millis is a number of milliseconds, in microseconds.
func (a Attrs) millis(name string) int64 {
	if ms, ok := a[name].(float64); ok {
		return int64(ms * 1000)
	}
	return a.num(name) * 1000
}

func (a Attrs) has(name string) bool {
	_, ok := a[name]
	return ok
}

func (a Attrs) flag(name string) bool {
	v, _ := a[name].(bool)
	return v
}

// list is the list called name, cut in both directions. A lone string counts
// as a list of one.
func (a Attrs) list(name string) []string {
	switch v := a[name].(type) {
	case []string:
		return clipAll(v)
	case string:
		return []string{clip(v)}
	}
	return nil
}

func clipAll(v []string) []string {
	v = v[:min(len(v), maxList)]
	for i, s := range v {
		v[i] = clip(s)
	}
	return v
}

// clip cuts s to what a row may hold, and then copies it so that the rest can
// be freed.
func clip(s string) string {
	if len(s) <= maxString {
		return s
	}
	return strings.Clone(cut(s, maxString))
}

// cut cuts s, which is longer than n bytes, between two characters.
func cut(s string, n int) string {
	for low := n - 4; n > low && s[n]&0xC0 == 0x80; {
		n--
	}
	return s[:n]
}

// maxBrief is how much of somebody else's words an error repeats, in bytes.
const maxBrief = 64

// Brief keeps what somebody else wrote short enough to be repeated in an error.
// It cuts between two characters and ends in "…" where it has cut.
func Brief(s string) string {
	if len(s) <= maxBrief {
		return s
	}
	return cut(s, maxBrief) + "…"
}

// fields reads a list of "path=value".
func (a Attrs) fields(name string) []Field {
	list := a.list(name)
	if len(list) == 0 {
		return nil
	}
	fields := make([]Field, 0, len(list))
	for _, f := range list {
		path, value, _ := strings.Cut(f, "=")
		fields = append(fields, Field{Path: path, Value: value})
	}
	return fields
}

// counts reads a list of "kind=count" and leaves out what is no count.
func (a Attrs) counts(name string) map[string]int {
	counts := map[string]int{}
	for _, c := range a.list(name) {
		kind, count, _ := strings.Cut(c, "=")
		if n, err := strconv.Atoi(count); err == nil && n > 0 {
			counts[kind] += n
		}
	}
	return counts
}

// itemName is "namespace/name", or "name" where there is no namespace.
func itemName(namespace, name string) string {
	if namespace == "" {
		return name
	}
	return namespace + "/" + name
}

// spanNumber is a span id as a number: its value when it is 16 hex digits, as
// it should be, and else a hash.
func spanNumber(id string) uint64 {
	if len(id) == 16 {
		if n, err := strconv.ParseUint(id, 16, 64); err == nil {
			return n
		}
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(id))
	return h.Sum64()
}

// usable says whether a trace id or an instance can be a key.
func usable(id string) bool { return id != "" && len(id) <= 256 }
