package play

import (
	"testing"
	"time"

	"github.com/reconcile-tracer/tracer/lessons/format"
	"github.com/reconcile-tracer/tracer/tracer/control/wire"
)

// A lesson knows how long what it holds will stand: as long as the controller
// lets it.
func TestCommandsStandAsLongAsTheControllerSays(t *testing.T) {
	for _, c := range []format.Control{
		{Command: "pause", Phase: "apply"}, {Command: "slow", Factor: 3},
		{Command: "fault", Fault: "hold_watch", Seconds: 7.5}, {Command: "fault", Fault: "500", Count: 2},
	} {
		want := wire.Command{Command: c.Command, Phase: c.Phase, Factor: c.Factor, Fault: c.Fault, Count: c.Count, Seconds: c.Seconds}.Lasts()
		if got := time.Duration(c.Stands()) * time.Microsecond; got != want {
			t.Errorf("%+v stands for %v, want %v", c, got, want)
		}
	}
}
