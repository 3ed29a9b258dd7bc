package tracer

import (
	"hash/maphash"
	"slices"
	"strconv"
	"sync"
)

// keptDigests is of how many objects the spec is remembered.
const keptDigests = 4096

// digests remembers what the specs of objects were like, so that a change of
// a field that may not leave the process can be told without telling it. The
// hash is keyed with a number that dies with the process: nobody can find the
// value by trying. It is safe for concurrent use.
type digests struct {
	seed maphash.Seed

	mu    sync.Mutex
	known *recent[string, digest] // by UID
}

// digest is one object's: of each field of the spec, as of a generation.
type digest struct {
	generation int64
	fields     map[string]string
}

func newDigests() *digests {
	return &digests{seed: maphash.MakeSeed(), known: newRecent[string, digest](keptDigests)}
}

// changed are the fields of the spec that are not allow-listed and differ from
// what they were when the object was seen last: "spec.template=changed 1f…".
// An object without generations, or seen for the first time, has none.
func (d *digests) changed(uid string, generation int64, spec node) []string {
	if uid == "" || generation == 0 {
		return nil
	}
	before, known := d.get(uid)
	if known && before.generation == generation {
		return nil
	}
	now := digest{generation, d.fields(spec)}
	d.put(uid, now)
	var out []string
	if known {
		for _, name := range sortedKeys(union(before.fields, now.fields)) {
			if hash := now.fields[name]; hash != before.fields[name] && word(name) != "" {
				out = append(out, "spec."+name+"=changed "+hash)
			}
		}
	}
	return out
}

func union(a, b map[string]string) map[string]bool {
	all := map[string]bool{}
	for name := range a {
		all[name] = true
	}
	for name := range b {
		all[name] = true
	}
	return all
}

func (d *digests) fields(spec node) map[string]string {
	out := map[string]string{}
	spec.each(func(name string, value node) {
		v := value.plain()
		if slices.Contains(specScalars, name) || !v.IsValid() {
			return
		}
		if text, ok := jsonOf(v.Interface()); ok {
			out[name] = strconv.FormatUint(maphash.String(d.seed, text), 16)
		}
	})
	return out
}

func (d *digests) get(uid string) (digest, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.known.get(uid)
}

func (d *digests) put(uid string, now digest) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.known.put(uid, now)
}
