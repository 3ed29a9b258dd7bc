package play

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// What stands for every item, or for one of the namespace, is named, with how it
// is lifted; what is for others is not.
func TestFreeNamesWhatStands(t *testing.T) {
	const other = `{"row":"control","key":"a","controller":"podset","item":"default/web","text":"presenter paused podset with default/web"}
{"row":"control","key":"b","controller":"other","text":"presenter paused other"}
{"row":"control","key":"c","controller":"podset","text":"presenter paused podset","to":7}
`
	const all = `{"row":"control","key":"d4","controller":"podset","text":"presenter held back the watch events of pods that podset gets for 600 s"}
`
	const own = `{"row":"control","key":"e5","controller":"podset","item":"lesson-1/web","text":"presenter paused podset with lesson-1/web"}
`
	for name, c := range map[string]struct {
		answers []string // the last one again and again
		want    []string
	}{
		"nothing":                   {[]string{other}, nil},
		"what was lifted just now":  {[]string{other + all, other}, nil},
		"for every item":            {[]string{other + all}, []string{"held back the watch events", `{"command":"lift","controller":"podset","id":"d4"}`}},
		"for one of the namespace":  {[]string{own}, []string{"presenter paused podset with lesson-1/web", `"id":"e5"`}},
		"two, which are both named": {[]string{all + own}, []string{`"id":"d4"`, `"id":"e5"`}},
	} {
		t.Run(name, func(t *testing.T) {
			n := 0
			web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				_, _ = w.Write([]byte(c.answers[min(n, len(c.answers)-1)]))
				n++
			}))
			defer web.Close()
			err := (&Remote{URL: web.URL, Client: web.Client()}).Free(t.Context(), "podset", "lesson-1")
			if (err == nil) != (c.want == nil) {
				t.Fatalf("it says %v", err)
			}
			for _, word := range c.want {
				if !strings.Contains(err.Error(), word) {
					t.Errorf("it says %v, want %s in it", err, word)
				}
			}
		})
	}
}
