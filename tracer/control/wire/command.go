package wire

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// What a Command can be.
const (
	Pause  = "pause"
	Resume = "resume"
	Step   = "step"
	Slow   = "slow"
	Break  = "break"
	Fault  = "fault"
	Lift   = "lift"
)

// Why a command has ended, where somebody has ended it.
const (
	Lifted  = "lifted"
	Resumed = "resumed"
)

// How far a step goes.
const (
	ByPhase     = "phase"
	ByReconcile = "reconcile"
)

// What a fault does. The first five answer requests that write.
const (
	Fault409           = "409"
	Fault429           = "429"
	Fault500           = "500"
	FaultTimeoutBefore = "timeout_before"
	FaultTimeoutAfter  = "timeout_after"
	FaultLatency       = "latency"
	FaultHoldWatch     = "hold_watch"
)

// Limits of a command's numbers and texts.
const (
	MaxFactor   = 1000
	MaxCount    = 1000
	MaxDelayMS  = 60_000
	MaxSeconds  = 600
	MaxName     = 253
	MaxItem     = 2*MaxName + 1
	MaxWhen     = 512
	MaxCommands = 64 // that stand at once for one controller
)

var (
	commands = []string{Pause, Resume, Step, Slow, Break, Fault, Lift}
	faults   = []string{Fault409, Fault429, Fault500, FaultTimeoutBefore, FaultTimeoutAfter, FaultLatency, FaultHoldWatch}
	steps    = []string{ByPhase, ByReconcile}
	phases   = []string{semconv.SpanDequeue, semconv.SpanFetch, semconv.SpanCompute, semconv.SpanApply, semconv.SpanRequeue}
	// writeVerbs are those of requests that change something.
	writeVerbs = []string{"create", "update", "patch", "delete", "deletecollection"}
	verbs      = append([]string{"get", "list"}, writeVerbs...)
)

// Command is what the presenter wants of a controller. The selector is
// Controller, Item and Phase; an empty Item or Phase is any.
type Command struct {
	// Command is Pause, Resume, Step, Slow, Break, Fault or Lift.
	Command    string `json:"command"`
	Controller string `json:"controller"`
	// Item is namespace/name, or name where there is no namespace.
	Item  string `json:"item,omitempty"`
	Phase string `json:"phase,omitempty"`
	// By is how far a step goes: ByPhase (the default) or ByReconcile.
	By string `json:"by,omitempty"`
	// Factor is how many times its time a phase takes (slow).
	Factor float64 `json:"factor,omitempty"`
	// When is a breakpoint's condition, see ParseCondition.
	When string `json:"when,omitempty"`
	// Fault is what a fault does.
	Fault string `json:"fault,omitempty"`
	// Count is how many requests it hits: 1 by default, all of them for
	// latency.
	Count int `json:"count,omitempty"`
	// DelayMS is how many milliseconds a request waits before the fault does
	// what it does; latency needs it.
	DelayMS int `json:"delay_ms,omitempty"`
	// Seconds is how long latency and held watches last; hold_watch needs it.
	Seconds float64 `json:"seconds,omitempty"`
	// Verb and Resource choose the requests that a fault hits: update, and
	// podsets or podsets/status. Empty is any, except that a 409 without a verb
	// is for requests that meet conflicts: update, patch and delete.
	Verb     string `json:"verb,omitempty"`
	Resource string `json:"resource,omitempty"`
	// ID names the command: which one a lift lifts, and in what a hub sends,
	// the one that stands.
	ID string `json:"id,omitempty"`
}

// belongs says which fields go with which commands, beside the selector.
var belongs = map[string][]string{
	Pause: {"phase"}, Resume: {"phase"}, Step: {"phase", "by"}, Slow: {"phase", "factor"}, Break: {"phase", "when"},
	Fault: {"fault", "count", "delay_ms", "seconds", "verb", "resource"}, Lift: {"phase", "id"},
}

// Check says what is wrong with a command as the presenter gives it: the field,
// its limit, and what to do.
func (c Command) Check() error {
	if err := oneOf("command", c.Command, commands); err != nil {
		return err
	}
	if err := c.checkSelector(); err != nil {
		return err
	}
	for name, set := range c.given() {
		if set && !slices.Contains(belongs[c.Command], name) {
			return fmt.Errorf("%s does not go with %s: leave it out, or use the command that it is for", name, c.Command)
		}
	}
	switch c.Command {
	case Step:
		return optional("by", c.By, steps)
	case Slow:
		return within("factor", c.Factor, 1, MaxFactor, "how many times its time a phase takes")
	case Break:
		return c.checkBreak()
	case Fault:
		return c.checkFault()
	}
	return nil
}

// given tells which of the fields that are for some commands alone have a value.
func (c Command) given() map[string]bool {
	return map[string]bool{
		"phase": c.Phase != "", "by": c.By != "", "factor": c.Factor != 0, "when": c.When != "", "fault": c.Fault != "",
		"count": c.Count != 0, "delay_ms": c.DelayMS != 0, "seconds": c.Seconds != 0, "verb": c.Verb != "",
		"resource": c.Resource != "", "id": c.ID != "",
	}
}

func (c Command) checkSelector() error {
	if c.Controller == "" {
		return fmt.Errorf("controller is empty: name the controller")
	}
	for _, f := range []struct {
		name, value string
		limit       int
	}{{"controller", c.Controller, MaxName}, {"item", c.Item, MaxItem}, {"resource", c.Resource, MaxItem}, {"id", c.ID, MaxName}} {
		if len(f.value) > f.limit {
			return fmt.Errorf("%s has %d bytes, the limit is %d: shorten it", f.name, len(f.value), f.limit)
		}
		if strings.ContainsFunc(f.value, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
			return fmt.Errorf("%s has a blank or a control character in it: give the name as kubectl shows it", f.name)
		}
	}
	return optional("phase", c.Phase, phases)
}

func (c Command) checkBreak() error {
	if c.When == "" {
		if c.Phase == "" && c.Item == "" {
			return fmt.Errorf("a break needs a phase, an item or when: give one of them, or use pause to stop everywhere")
		}
		return nil
	}
	if len(c.When) > MaxWhen {
		return fmt.Errorf("when has %d bytes, the limit is %d: shorten it", len(c.When), MaxWhen)
	}
	_, err := ParseCondition(c.When)
	return err
}

func (c Command) checkFault() error {
	if err := oneOf("fault", c.Fault, faults); err != nil {
		return err
	}
	if c.Count < 0 || c.Count > MaxCount {
		return fmt.Errorf("count is %d, and must be between 1 and %d: choose how many requests the fault is to hit", c.Count, MaxCount)
	}
	if c.DelayMS < 0 || c.DelayMS > MaxDelayMS {
		return fmt.Errorf("delay_ms is %d, and must be between 1 and %d: choose how many milliseconds a request waits", c.DelayMS, MaxDelayMS)
	}
	switch c.Fault {
	case FaultHoldWatch:
		if c.Count != 0 || c.DelayMS != 0 || c.Verb != "" {
			return fmt.Errorf("count, delay_ms and verb do not go with hold_watch: leave them out, and give seconds and resource")
		}
		return within("seconds", c.Seconds, 0, MaxSeconds, "how long watch events are held")
	case FaultLatency:
		if c.DelayMS == 0 {
			return fmt.Errorf("delay_ms is missing, and must be between 1 and %d: choose how many milliseconds a request waits", MaxDelayMS)
		}
		if c.Seconds < 0 || c.Seconds > MaxSeconds {
			return fmt.Errorf("seconds is %v, and must be between 0 and %d: choose how long latency lasts", c.Seconds, MaxSeconds)
		}
		return optional("verb", c.Verb, verbs)
	}
	if c.Seconds != 0 {
		return fmt.Errorf("seconds does not go with fault %s: leave it out, it ends when count requests are hit", c.Fault)
	}
	return optional("verb", c.Verb, writeVerbs)
}

// WithDefaults fills in what a command that Check takes leaves open.
func (c Command) WithDefaults() Command {
	if c.Command == Step && c.By == "" {
		c.By = ByPhase
	}
	if c.Command == Fault && c.Count == 0 && c.Fault != FaultLatency && c.Fault != FaultHoldWatch {
		c.Count = 1
	}
	return c
}

// Stands says whether a command goes on until it is lifted or ends by itself.
func (c Command) Stands() bool {
	return c.Command == Pause || c.Command == Slow || c.Command == Break || c.Command == Fault
}

// Lasts is how long a command stands at most.
func (c Command) Lasts() time.Duration {
	switch {
	case c.Command == Pause:
		return MaxHold
	case c.Seconds > 0:
		return time.Duration(c.Seconds * float64(time.Second))
	}
	return MaxStand
}

// Matches says whether a selector of a pause, breakpoint or the like means an
// item that is at a phase; "" is any.
func (c Command) Matches(item, phase string) bool {
	return (c.Item == "" || c.Item == item) && (c.Phase == "" || c.Phase == phase)
}

// MatchesRequest says whether a fault is for such a request.
func (c Command) MatchesRequest(item, verb, resource, subresource string) bool {
	if c.Item != "" && c.Item != item {
		return false
	}
	if c.Resource != "" && c.Resource != resource && (subresource == "" || c.Resource != resource+"/"+subresource) {
		return false
	}
	switch {
	case c.Verb != "":
		return c.Verb == verb
	case c.Fault == FaultLatency:
		return true
	case c.Fault == Fault409:
		return verb == "update" || verb == "patch" || verb == "delete"
	}
	return slices.Contains(writeVerbs, verb)
}

func oneOf(field, value string, of []string) error {
	switch {
	case value == "":
		return fmt.Errorf("%s is empty: use %s", field, strings.Join(of, ", "))
	case !slices.Contains(of, value):
		return fmt.Errorf("%s %q is not known: use %s", field, brief(value), strings.Join(of, ", "))
	}
	return nil
}

func optional(field, value string, of []string) error {
	if value == "" {
		return nil
	}
	return oneOf(field, value, of)
}

// within checks a number that must be over one limit and not over another.
func within(field string, value, over, most float64, what string) error {
	if value > over && value <= most {
		return nil
	}
	return fmt.Errorf("%s is %v, and must be over %v and at most %v: choose %s", field, value, over, most, what)
}

// brief is a text that an error may quote.
func brief(s string) string {
	const most = 64
	if len(s) > most {
		return s[:most] + "…"
	}
	return s
}
