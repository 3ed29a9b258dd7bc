package server

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/reconcile-tracer/tracer/internal/zip"
	"github.com/reconcile-tracer/tracer/static"
)

// asset is one embedded file. Embedded files have no time, so that their
// content names their version.
type asset struct {
	plain  variant
	packed variant // gzipped; no data where that makes the file hardly smaller, as of fonts
}

// variant is a file as it travels. Each has an ETag of its own: their bytes differ.
type variant struct {
	data []byte
	etag string
}

// assets are the embedded files by path, read and packed once a process.
var assets = sync.OnceValues(loadAssets)

func loadAssets() (map[string]asset, error) {
	all := map[string]asset{}
	err := fs.WalkDir(static.FS, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(static.FS, path)
		if err != nil {
			return err
		}
		all[path], err = newAsset(data)
		return err
	})
	if err != nil {
		return all, fmt.Errorf("reading the page's files: %w", err)
	}
	return all, nil
}

// newAsset packs a file, once.
func newAsset(data []byte) (asset, error) {
	sum := sha256.Sum256(data)
	a := asset{plain: variant{data, fmt.Sprintf(`"%x"`, sum)}}
	packed, err := zip.Bytes(data)
	if err != nil {
		return a, err
	}
	if len(packed) < len(data)*9/10 {
		a.packed = variant{packed, fmt.Sprintf(`"%x-gzip"`, sum)}
	}
	return a, nil
}

// static serves the embedded files; there is no listing of them.
func (h *Hub) static() http.Handler {
	files, err := assets()
	if err != nil {
		h.cfg.Log.Error("an embedded file cannot be read", "error", err)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := strings.TrimPrefix(r.URL.Path, "/static/")
		a, ok := files[path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		a.serve(w, r, path)
	})
}

// serve answers with the file, gzipped where the asker takes that.
func (a asset) serve(w http.ResponseWriter, r *http.Request, path string) {
	head, v := w.Header(), a.plain
	if a.packed.data != nil {
		head.Set("Vary", "Accept-Encoding")
		if takesGzip(r.Header.Values("Accept-Encoding")) {
			v = a.packed
			head.Set("Content-Encoding", "gzip")
		}
	}
	head.Set("Etag", v.etag)
	head.Set("Cache-Control", "no-cache") // asked again each time, answered with 304
	http.ServeContent(w, r, path, time.Time{}, bytes.NewReader(v.data))
}

// takesGzip reads Accept-Encoding: gzip, or * where gzip is not named, unless
// with a quality of 0.
func takesGzip(values []string) bool {
	takes, named := false, false
	for _, part := range strings.Split(strings.Join(values, ","), ",") {
		coding, parameters, _ := strings.Cut(strings.ToLower(strings.TrimSpace(part)), ";")
		switch strings.TrimSpace(coding) {
		case "gzip", "x-gzip":
			takes, named = wanted(parameters), true
		case "*":
			if !named {
				takes = wanted(parameters)
			}
		}
	}
	return takes
}

// wanted is false for a quality of 0, "q=0".
func wanted(parameters string) bool {
	_, quality, found := strings.Cut(strings.ReplaceAll(parameters, " ", ""), "q=")
	if !found {
		return true
	}
	q, err := strconv.ParseFloat(quality, 64)
	return err == nil && q > 0
}
