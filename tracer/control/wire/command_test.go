package wire

import (
	"strings"
	"testing"
)

func TestCommandsThatAreGood(t *testing.T) {
	for _, c := range []Command{
		{Command: Pause, Controller: "podset"},
		{Command: Pause, Controller: "podset", Item: "default/web", Phase: "apply"},
		{Command: Resume, Controller: "podset"},
		{Command: Step, Controller: "podset"},
		{Command: Step, Controller: "podset", By: ByReconcile},
		{Command: Slow, Controller: "podset", Factor: 10},
		{Command: Break, Controller: "podset", When: "write = Conflict"},
		{Command: Break, Controller: "podset", Phase: "apply"},
		{Command: Fault, Controller: "podset", Fault: Fault409, Count: 3, Verb: "update", Resource: "podsets/status"},
		{Command: Fault, Controller: "podset", Fault: FaultLatency, DelayMS: 300, Verb: "get"},
		{Command: Fault, Controller: "podset", Fault: FaultHoldWatch, Seconds: 0.5, Resource: "pods"},
		{Command: Lift, Controller: "podset", ID: "abc"},
		{Command: Lift, Controller: "podset"},
	} {
		if err := c.Check(); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestCommandsThatAreWrong(t *testing.T) {
	with := func(change func(*Command)) Command {
		c := Command{Command: Fault, Controller: "podset", Fault: Fault409}
		change(&c)
		return c
	}
	for want, c := range map[string]Command{
		"command is empty: use pause, resume":              {Controller: "podset"},
		`command "stop" is not known: use pause`:           {Command: "stop", Controller: "podset"},
		"controller is empty: name the controller":         {Command: Pause},
		"controller has 254 bytes, the limit is 253":       {Command: Pause, Controller: strings.Repeat("x", 254)},
		"item has a blank or a control character":          {Command: Pause, Controller: "podset", Item: "a b"},
		`phase "plan" is not known: use dequeue`:           {Command: Pause, Controller: "podset", Phase: "plan"},
		"factor does not go with pause: leave it out":      {Command: Pause, Controller: "podset", Factor: 2},
		`by "item" is not known: use phase, reconcile`:     {Command: Step, Controller: "podset", By: "item"},
		"factor is 1, and must be over 1 and at most":      {Command: Slow, Controller: "podset", Factor: 1},
		"factor is 1001, and must be over":                 {Command: Slow, Controller: "podset", Factor: 1001},
		"a break needs a phase, an item or when":           {Command: Break, Controller: "podset"},
		"when: at 9: the value of result":                  {Command: Break, Controller: "podset", When: "result ="},
		"when has 513 bytes, the limit is 512":             {Command: Break, Controller: "podset", When: strings.Repeat("x", 513)},
		"fault is empty: use 409":                          with(func(c *Command) { c.Fault = "" }),
		`fault "404" is not known: use 409, 429`:           with(func(c *Command) { c.Fault = "404" }),
		"count is -1, and must be between 1 and 1000":      with(func(c *Command) { c.Count = -1 }),
		"count is 1001, and must be between":               with(func(c *Command) { c.Count = 1001 }),
		"delay_ms is 60001, and must be between 1 and":     with(func(c *Command) { c.DelayMS = 60_001 }),
		"seconds does not go with fault 409":               with(func(c *Command) { c.Seconds = 1 }),
		`verb "get" is not known: use create`:              with(func(c *Command) { c.Verb = "get" }),
		"phase does not go with fault":                     with(func(c *Command) { c.Phase = "apply" }),
		"delay_ms is missing":                              with(func(c *Command) { c.Fault = FaultLatency }),
		"seconds is 601, and must be between 0 and 600":    with(func(c *Command) { c.Fault, c.DelayMS, c.Seconds = FaultLatency, 1, 601 }),
		"seconds is 0, and must be over 0 and at most 600": with(func(c *Command) { c.Fault = FaultHoldWatch }),
		"count, delay_ms and verb do not go with hold":     with(func(c *Command) { c.Fault, c.Count = FaultHoldWatch, 1 }),
	} {
		if err := c.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v\nwant an error with %q", c, err, want)
		}
	}
}

func TestWhichRequestsAFaultHits(t *testing.T) {
	for _, c := range []struct {
		fault                     Command
		verb, resource, sub, unto string
		hit                       bool
	}{
		{Command{Fault: Fault409}, "update", "podsets", "status", "a", true},
		{Command{Fault: Fault409}, "create", "pods", "", "a", false}, // what is new meets no conflict
		{Command{Fault: Fault409, Verb: "create"}, "create", "pods", "", "a", true},
		{Command{Fault: Fault500}, "create", "pods", "", "a", true},
		{Command{Fault: Fault500}, "get", "pods", "", "a", false},
		{Command{Fault: FaultLatency}, "get", "pods", "", "a", true},
		{Command{Fault: Fault500, Resource: "podsets"}, "update", "podsets", "status", "a", true},
		{Command{Fault: Fault500, Resource: "podsets/status"}, "update", "podsets", "status", "a", true},
		{Command{Fault: Fault500, Resource: "podsets/status"}, "update", "podsets", "", "a", false},
		{Command{Fault: Fault500, Resource: "pods"}, "update", "podsets", "", "a", false},
		{Command{Fault: Fault500, Item: "b"}, "update", "podsets", "", "a", false},
	} {
		if got := c.fault.MatchesRequest(c.unto, c.verb, c.resource, c.sub); got != c.hit {
			t.Errorf("%+v hits %s %s/%s: %v, want %v", c.fault, c.verb, c.resource, c.sub, got, c.hit)
		}
	}
}
