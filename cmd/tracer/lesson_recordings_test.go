package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/reconcile-tracer/tracer/lessons"
	"github.com/reconcile-tracer/tracer/server"
)

// Every hub has the recorded lessons, by their titles; a file of a lesson's name
// stands for it.
func TestHubsHaveTheRecordedLessons(t *testing.T) {
	hub := runHub(t, t.TempDir())
	get := func(path string) string {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, hub.URL()+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer the-word-of-the-page")
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		text, err := io.ReadAll(res.Body)
		if err != nil || res.StatusCode != http.StatusOK {
			t.Fatalf("%s: %s %v %s", path, res.Status, err, text)
		}
		return string(text)
	}
	var list struct {
		Recordings []struct{ Name, Title string }
	}
	if err := json.Unmarshal([]byte(get("/api/v1/recordings")), &list); err != nil {
		t.Fatal(err)
	}
	titles := map[string]string{}
	for _, r := range list.Recordings {
		titles[r.Name] = r.Title
	}
	for i, l := range lessons.All() {
		if want := fmt.Sprintf("Lesson %d: %s", i+1, l.Title); titles[l.ID] != want {
			t.Errorf("the title of %s is %q, want %q", l.ID, titles[l.ID], want)
		}
		if rows := get("/api/v1/recordings/" + l.ID + "/rows?row=beat"); strings.Count(rows, `"row":"beat"`) != len(l.Beats) {
			t.Errorf("%s shows not its %d beats: %s", l.ID, len(l.Beats), rows)
		}
	}
	own := withLessons(server.Recording{Name: "lesson-2", Title: "mine"})
	if own[0].Title != "mine" || len(own) != len(lessons.All()) {
		t.Errorf("with one of that name there are %+v", own)
	}
}
