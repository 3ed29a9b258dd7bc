package format

import (
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

func (r *reader) wait(a place) *Wait {
	w := &Wait{Line: a.Line}
	r.mapping(a,
		must("within", r.duration(&w.Within, minWithin, MaxWithin)),
		maybe("steady", r.duration(&w.Steady, 100*time.Millisecond, maxSteady)),
		must("for", func(a place) {
			r.list(a, 1, MaxWaits, func(a place) {
				if c := r.condition(a); c != nil {
					w.For = append(w.For, *c)
				}
			})
		}),
	)
	if w.Steady > 0 && w.Within > 0 && w.Steady >= w.Within {
		r.fault(a, "steady is as long as within, so it can never hold: make steady shorter")
	}
	return w
}

// duration reads a duration into microseconds.
func (r *reader) duration(to *int64, least, most time.Duration) func(place) {
	return func(a place) {
		d, err := time.ParseDuration(a.Value)
		if a.Kind != yaml.ScalarNode || err != nil || d < least || d > most {
			r.fault(a, "%s is not a duration from %s to %s: give one, as in 20s", shown(a.Node), least, most)
			return
		}
		*to = d.Microseconds()
	}
}

func (r *reader) condition(a place) *Condition {
	if a.Kind != yaml.ScalarNode {
		r.fault(a, "it is %s: write a condition, as in reconcile result=error count>=1", kindOf(a.Node))
		return nil
	}
	c, err := ParseCondition(strings.Join(strings.Fields(a.Value), " "))
	if err != nil {
		r.fault(a, "%v", err)
		return nil
	}
	c.Line = a.Line
	return &c
}
