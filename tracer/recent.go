package tracer

// recent keeps the newest entries by key; the oldest has to go when there are
// more than most. It is not safe for concurrent use.
type recent[K comparable, V any] struct {
	most    int
	entries map[K]V
	ring    []K // the keys, oldest first from head on
	head    int
}

func newRecent[K comparable, V any](most int) *recent[K, V] {
	return &recent[K, V]{most: most, entries: map[K]V{}}
}

func (r *recent[K, V]) get(k K) (V, bool) {
	v, ok := r.entries[k]
	return v, ok
}

func (r *recent[K, V]) put(k K, v V) {
	if _, known := r.entries[k]; !known {
		if len(r.ring) < r.most {
			r.ring = append(r.ring, k)
		} else {
			delete(r.entries, r.ring[r.head])
			r.ring[r.head] = k
			r.head = (r.head + 1) % r.most
		}
	}
	r.entries[k] = v
}
