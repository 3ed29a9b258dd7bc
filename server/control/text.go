package control

import (
	"strconv"
	"strings"

	"github.com/reconcile-tracer/tracer/tracer/control/wire"
)

// presenter is whose commands they are.
const presenter = "presenter"

// Text is a command in words: "presenter paused podset before apply".
func Text(c wire.Command) string { return presenter + " " + deed(c) }

// liftText is the lift of one command in words: "presenter lifted: slowed podset
// down 100×".
func liftText(c wire.Command) string { return presenter + " lifted: " + deed(c) }

func deed(c wire.Command) string {
	who := c.Controller
	if c.Item != "" {
		who += " with " + c.Item
	}
	where := ""
	if c.Phase != "" {
		where = " before " + c.Phase
	}
	switch c.Command {
	case wire.Pause:
		return "paused " + who + where
	case wire.Resume:
		return "resumed " + who + where
	case wire.Step:
		return "stepped " + who + where + " by a " + c.By
	case wire.Slow:
		if c.Phase != "" {
			where = " in " + c.Phase
		}
		return "slowed " + who + " down " + number(c.Factor) + "×" + where
	case wire.Break:
		if c.When != "" {
			where += " when " + c.When
		}
		return "set a breakpoint for " + who + where
	case wire.Fault:
		return faultDeed(c, who)
	}
	if c.ID != "" {
		return "lifted a command for " + who
	}
	return "lifted what stood for " + who + where
}

// faultDeed says what a fault does.
func faultDeed(c wire.Command, who string) string {
	next := requests(c)
	switch c.Fault {
	case wire.FaultLatency:
		return "made " + next + " of " + who + " take " + strconv.Itoa(c.DelayMS) + " ms longer" + seconds(c.Seconds)
	case wire.FaultHoldWatch:
		if c.Resource == "" {
			return "held back the watch events of " + who + "'s own objects" + seconds(c.Seconds)
		}
		return "held back the watch events of " + c.Resource + " that " + who + " gets" + seconds(c.Seconds)
	case wire.FaultTimeoutBefore:
		return "let " + next + " of " + who + " time out before the API server takes " + them(c)
	case wire.FaultTimeoutAfter:
		return "let " + next + " of " + who + " time out after the API server has taken " + them(c)
	}
	return "let " + next + " of " + who + " be answered with " + c.Fault
}

// requests are those that a fault hits.
func requests(c wire.Command) string {
	noun := "write"
	switch {
	case c.Verb != "":
		noun = c.Verb
	case c.Fault == wire.FaultLatency:
		noun = "request"
	}
	of := ""
	if c.Resource != "" {
		of = " of " + c.Resource
	}
	switch c.Count {
	case 0:
		return "each " + noun + of
	case 1:
		return "the next " + noun + of
	}
	if strings.HasSuffix(noun, "h") {
		noun += "e" // patches
	}
	return "the next " + strconv.Itoa(c.Count) + " " + noun + "s" + of
}

func them(c wire.Command) string {
	if c.Count > 1 {
		return "them"
	}
	return "it"
}

func seconds(s float64) string {
	if s == 0 {
		return ""
	}
	return " for " + number(s) + " s"
}

func number(f float64) string {
	if f < 0.001 { // its zeros would fill the row
		return strconv.FormatFloat(f, 'g', -1, 64)
	}
	return strings.TrimSuffix(strconv.FormatFloat(f, 'f', -1, 64), ".0")
}
