package server

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"net/http"
	"strings"
	"time"

	"github.com/reconcile-tracer/tracer/static"
)

// asset is one embedded file. Embedded files have no time, so that their
// content names their version.
type asset struct {
	data []byte
	etag string
}

// static serves the embedded files; there is no listing of them.
func (h *Hub) static() http.Handler {
	assets := map[string]asset{}
	err := fs.WalkDir(static.FS, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(static.FS, path)
		assets[path] = asset{data, fmt.Sprintf(`"%x"`, sha256.Sum256(data))}
		return err
	})
	if err != nil {
		h.cfg.Log.Error("an embedded file cannot be read", "error", err)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := strings.TrimPrefix(r.URL.Path, "/static/")
		a, ok := assets[path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Etag", a.etag)
		w.Header().Set("Cache-Control", "no-cache") // asked again each time, answered with 304
		http.ServeContent(w, r, path, time.Time{}, bytes.NewReader(a.data))
	})
}
