package server

import (
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"strings"
	"testing"

	"github.com/reconcile-tracer/tracer/static"
)

// A file is the same to whom it travels gzipped and to whom it does not.
func TestStaticFilesTravelGzippedToWhoTakesThat(t *testing.T) {
	h := start(t)
	for _, path := range []string{"app.js", "classroom.js", "picture.js", "panels.js", "app.css"} {
		want, err := fs.ReadFile(static.FS, path)
		if err != nil {
			t.Fatal(err)
		}
		plain := h.do("GET", "/static/"+path, headers{"Accept-Encoding": "identity"}, nil)
		packed := h.do("GET", "/static/"+path, headers{"Accept-Encoding": "gzip, br"}, nil)
		if plain.header.Get("Content-Encoding") != "" || plain.body != string(want) {
			t.Errorf("%s does not come as it is to who takes no gzip", path)
		}
		if packed.header.Get("Content-Encoding") != "gzip" || unzipped(t, packed.body) != string(want) {
			t.Errorf("%s does not come gzipped to who takes that", path)
		}
		if len(packed.body) > len(want)/2 {
			t.Errorf("%s has %d bytes gzipped, of %d", path, len(packed.body), len(want))
		}
		for _, res := range []response{plain, packed} {
			if res.header.Get("Vary") != "Accept-Encoding" || res.header.Get("Cache-Control") != "no-cache" {
				t.Errorf("%s: Vary %q, Cache-Control %q", path, res.header.Get("Vary"), res.header.Get("Cache-Control"))
			}
		}
		if plain.header.Get("Content-Type") != packed.header.Get("Content-Type") {
			t.Errorf("%s: %q gzipped, %q otherwise", path, packed.header.Get("Content-Type"), plain.header.Get("Content-Type"))
		}
	}
}

func unzipped(t *testing.T, body string) string {
	t.Helper()
	z, err := gzip.NewReader(strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// A cache that holds one of the two must not take it for the other.
func TestGzippedStaticFileHasAnETagOfItsOwn(t *testing.T) {
	h := start(t)
	ask := func(encoding, etag string) response {
		return h.do("GET", "/static/app.js", headers{"Accept-Encoding": encoding, "If-None-Match": etag}, nil)
	}
	plain, packed := ask("identity", "").header.Get("Etag"), ask("gzip", "").header.Get("Etag")
	if plain == packed {
		t.Fatalf("both have the ETag %s", plain)
	}
	for _, c := range []struct {
		encoding, etag string
		want           int
	}{{"identity", plain, 304}, {"gzip", packed, 304}, {"identity", packed, 200}, {"gzip", plain, 200}} {
		res := ask(c.encoding, c.etag)
		if res.status != c.want || res.header.Get("Vary") != "Accept-Encoding" {
			t.Errorf("Accept-Encoding %s, ETag %s: %d, Vary %q, want %d", c.encoding, c.etag, res.status, res.header.Get("Vary"), c.want)
		}
	}
}

func TestFontsTravelAsTheyAre(t *testing.T) {
	h := start(t)
	res := h.do("GET", "/static/fonts/atkinson-next.woff2", headers{"Accept-Encoding": "gzip"}, nil)
	want, err := fs.ReadFile(static.FS, "fonts/atkinson-next.woff2")
	if err != nil {
		t.Fatal(err)
	}
	if res.header.Get("Content-Encoding") != "" || res.header.Get("Vary") != "" || !bytes.Equal([]byte(res.body), want) {
		t.Errorf("a font, which is compressed already: encoding %q, Vary %q", res.header.Get("Content-Encoding"), res.header.Get("Vary"))
	}
}

func TestTakesGzip(t *testing.T) {
	for header, want := range map[string]bool{
		"": false, "gzip": true, "GZIP": true, "x-gzip": true, "gzip, deflate, br": true, "br;q=1.0, gzip;q=0.2": true,
		"identity": false, "gzip;q=0": false, "gzip; q=0.000": false, "gzip;q=x": false, "*": true, "*;q=0": false,
		"*, gzip;q=0": false, "gzip;q=0, *": false, "gzip, *;q=0": true, "notgzip": false,
	} {
		if got := takesGzip([]string{header}); got != want {
			t.Errorf("Accept-Encoding %q: %t, want %t", header, got, want)
		}
	}
	if !takesGzip([]string{"br", "gzip"}) {
		t.Error("gzip in a second header is not seen")
	}
}
