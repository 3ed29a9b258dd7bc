package reconciler

import (
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"
)

func TestOptionsNameWhatIsWrong(t *testing.T) {
	cfg := &rest.Config{}
	for want, o := range map[string]Options{
		"Config is nil":             {},
		"workers is -1":             {Config: cfg, Workers: -1},
		"workers is 65":             {Config: cfg, Workers: 65},
		"resync is 1ms":             {Config: cfg, Resync: time.Millisecond},
		"drain timeout is -1s":      {Config: cfg, DrainTimeout: -time.Second},
		"lease duration is 1s, and": {Config: cfg, LeaderElection: LeaderElection{LeaseDuration: time.Second}},
	} {
		_, err := o.withDefaults()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("options %+v: error %v, want one with %q", o, err, want)
		}
	}
}

func TestOptionsHaveDefaults(t *testing.T) {
	cfg := &rest.Config{}
	o, err := Options{Config: cfg}.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	if o.Workers != DefaultWorkers || o.DrainTimeout != DefaultDrainTimeout || o.Logger == nil || o.Config.QPS == 0 {
		t.Errorf("defaults are missing: %+v", o)
	}
	if cfg.QPS != 0 || cfg.UserAgent != "" {
		t.Errorf("the caller's configuration was changed: %+v", cfg)
	}
}
