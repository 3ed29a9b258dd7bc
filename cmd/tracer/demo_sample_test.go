package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A controller is ready once its caches are filled: what is made before is an
// object that its first list finds, and no event. One that may not watch never
// has them filled.
func TestAttachedIsWithFilledCaches(t *testing.T) {
	folder := keptFolder(t)
	lockHub(t, folder)
	for row, want := range map[string]bool{
		`"connected":true,"heard":2000000,"synced":["Pod","PodSet"]`:           true,
		`"connected":true,"heard":2000000,"synced":["Pod"],"unsynced":["Pod"]`: false,
		`"connected":true,"heard":2000000,"unsynced":["Pod","PodSet"]`:         false,
		`"connected":true,"heard":2000000,"unsynced":["Pod"],"watchError":"x"`: true,
		`"connected":true,"heard":2000000`:                                     false,
		`"connected":false,"heard":2000000,"synced":["Pod","PodSet"]`:          false,
		`"connected":true,"heard":999999,"synced":["Pod","PodSet"]`:            false,
	} {
		hub := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `{"row":"controller",`+row+"}\n")
		}))
		sayAddress(t, folder, hub.URL)
		d := &crew{address: strings.TrimPrefix(hub.URL, "http://"), folder: &runFolder{path: filepath.Dir(folder)}}
		if got := d.attachedSince(t.Context(), time.Unix(1, 0)); got != want {
			t.Errorf("of %s it is said that it is attached: %v", row, got)
		}
		hub.Close()
	}
}
