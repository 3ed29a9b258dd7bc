package control

import (
	"strings"
	"testing"
)

func TestWhoTakesCommandsIsSaid(t *testing.T) {
	for want, links := range map[string]map[string][]*link{
		"shop does not take commands: start it":                         {},
		"shop does not take commands (podset does): start it":           {"podset": {nil}},
		"shop does not take commands (configmap, podset do): start it ": {"podset": {nil}, "configmap": {nil}},
	} {
		if _, err := (&Desk{links: links}).linksOf("shop"); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestNumbersThatAreNoneAreSaid(t *testing.T) {
	for body, want := range map[string]string{
		`{"factor":1e400}`:  "factor is 1e400, and must be a number of ordinary size",
		`{"delay_ms":1.5}`:  "delay_ms is a number 1.5, and must be a whole number",
		`{"factor":"fast"}`: "factor is a string, and must be a number",
	} {
		if _, err := Decode([]byte(body)); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", body, err, want)
		}
	}
	if got := seconds(1e-300); got != " for 1e-300 s" {
		t.Errorf("a very short time is said as %q", got)
	}
}
