package main

import (
	"runtime/debug"
	"testing"
)

func TestBuildsAreDescribed(t *testing.T) {
	commit := debug.BuildSetting{Key: "vcs.revision", Value: "0123456789abcdef0123"}
	dirty := debug.BuildSetting{Key: "vcs.modified", Value: "true"}
	for want, info := range map[string]*debug.BuildInfo{
		"v1.2.3":                 {Main: debug.Module{Version: "v1.2.3"}, Settings: []debug.BuildSetting{commit}},
		"dev-0123456789ab":       {Main: debug.Module{Version: "(devel)"}, Settings: []debug.BuildSetting{commit}},
		"dev-0123456789ab+dirty": {Settings: []debug.BuildSetting{dirty, commit}},
		"dev":                    {Main: debug.Module{Version: "(devel)"}},
	} {
		if got := describeBuild(info); got != want {
			t.Errorf("%+v is %q, want %q", info, got, want)
		}
	}
}
