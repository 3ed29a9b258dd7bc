package control

import (
	"testing"

	"github.com/reconcile-tracer/tracer/tracer/control/wire"
)

func TestCommandsInWords(t *testing.T) {
	for want, c := range map[string]wire.Command{
		"presenter paused podset":                                                                {Command: wire.Pause},
		"presenter paused podset with default/web before apply":                                  {Command: wire.Pause, Item: "default/web", Phase: "apply"},
		"presenter resumed podset":                                                               {Command: wire.Resume},
		"presenter stepped podset by a phase":                                                    {Command: wire.Step},
		"presenter slowed podset down 2.5× in fetch":                                             {Command: wire.Slow, Factor: 2.5, Phase: "fetch"},
		"presenter set a breakpoint for podset before apply when result = error":                 {Command: wire.Break, Phase: "apply", When: "result = error"},
		"presenter let the next write of podset be answered with 500":                            {Command: wire.Fault, Fault: wire.Fault500},
		"presenter let the next 3 patches of podsets of podset be answered with 409":             {Command: wire.Fault, Fault: wire.Fault409, Count: 3, Verb: "patch", Resource: "podsets"},
		"presenter let the next write of podset time out before the API server takes it":         {Command: wire.Fault, Fault: wire.FaultTimeoutBefore},
		"presenter let the next 2 writes of podset time out after the API server has taken them": {Command: wire.Fault, Fault: wire.FaultTimeoutAfter, Count: 2},
		"presenter made each request of podset take 300 ms longer for 5 s":                       {Command: wire.Fault, Fault: wire.FaultLatency, DelayMS: 300, Seconds: 5},
		"presenter held back the watch events of podset's own objects for 4 s":                   {Command: wire.Fault, Fault: wire.FaultHoldWatch, Seconds: 4},
		"presenter held back the watch events of pods that podset gets for 4 s":                  {Command: wire.Fault, Fault: wire.FaultHoldWatch, Resource: "pods", Seconds: 4},
		"presenter lifted what stood for podset":                                                 {Command: wire.Lift},
	} {
		c.Controller = "podset"
		if got := Text(c.WithDefaults()); got != want {
			t.Errorf("%+v is called %q, want %q", c, got, want)
		}
	}
}
