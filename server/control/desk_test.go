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
