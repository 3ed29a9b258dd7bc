package ctrlruntime

// quiet is what look finds in what is the controller's, or private to a version
// of controller-runtime; nothing where it panics.
func quiet[V any](look func() V) (found V) {
	defer func() { _ = recover() }()
	return look()
}
