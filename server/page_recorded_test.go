package server

import (
	"io"
	"strings"
	"testing"

	"github.com/reconcile-tracer/tracer/server/recording"
)

// TestPageOfARecording: what it shows is not live, and it says so; what is asked
// for and is not there is said, with what there is.
func TestPageOfARecording(t *testing.T) {
	h := start(t, func(c *Config) { c.Recordings = []Recording{held("broken", "nonsense")} })
	page := func(path string) response { return h.do("GET", path, bearer(testToken), nil) }
	for path, want := range map[string]struct {
		status int
		parts  []string
		not    string
	}{
		"/": {200, []string{"Nothing is attached yet", `href="/?recording=sample"`, "Play the sample session", `href="/api/v1/export?gzip=true"`},
			"Back to live"},
		"/?recording=sample": {200, []string{`data-recording="sample"`, "Recorded session:", "recorded <time", "Back to live", "podset"},
			"/api/v1/export"},
		"/?recording=nope":    {404, []string{"There is no such recording", "use one of: sample, broken", `href="/?recording=sample"`}, "app.js"},
		"/?recording=broken":  {422, []string{"This recording cannot be shown", "it is text, and no JSON"}, "app.js"},
		"/?recording=%3Cb%3E": {404, []string{"&lt;b&gt;"}, "<b>"},
	} {
		res := page(path)
		if res.status != want.status {
			t.Errorf("%s answers %d, want %d", path, res.status, want.status)
		}
		for _, part := range want.parts {
			if !strings.Contains(res.body, part) {
				t.Errorf("%s does not say %s", path, part)
			}
		}
		if strings.Contains(res.body, want.not) {
			t.Errorf("%s says %s", path, want.not)
		}
	}
	if res := h.do("GET", "/?recording=sample", nil, nil); res.status != 401 {
		t.Errorf("without a session the recording answers %d, want 401", res.status)
	}
}

// TestPageOfAReplay leads to the recording, and has nothing live to go back to.
func TestPageOfAReplay(t *testing.T) {
	h := start(t, func(c *Config) {
		c.Recordings, c.Replay = []Recording{{Name: "mine", Title: "mine.jsonl", Open: recording.OpenSample}}, "mine"
	})
	res := h.do("GET", "/", bearer(testToken), nil)
	if res.status != 303 || res.header.Get("Location") != "/?recording=mine" {
		t.Errorf("/ answers %d to %q", res.status, res.header.Get("Location"))
	}
	res = h.do("GET", "/?recording=mine", bearer(testToken), nil)
	if res.status != 200 || !strings.Contains(res.body, "mine.jsonl") || strings.Contains(res.body, "Back to live") {
		t.Errorf("the recording answers %d: %s", res.status, res.body)
	}
}

// TestSampleIsBuiltIn: every hub has it, and another one of its name takes its place.
func TestSampleIsBuiltIn(t *testing.T) {
	h := start(t)
	if n := len(h.recordingLines(recording.SampleName, "?row=reconcile")); n < 20 {
		t.Errorf("the sample has %d reconciles", n)
	}
	other := Recording{Name: recording.SampleName, Title: "another", Open: func() (io.ReadCloser, error) { return nil, io.EOF }}
	h = start(t, func(c *Config) { c.Recordings = []Recording{other} })
	if res := h.do("GET", "/api/v1/recordings", bearer(testToken), nil); strings.Count(res.body, "sample") != 1 {
		t.Errorf("the recordings are %s", res.body)
	}
}
