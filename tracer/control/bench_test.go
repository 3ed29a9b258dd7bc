package control

import (
	"testing"

	"github.com/reconcile-tracer/tracer/tracer/control/wire"
	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// BenchmarkNothingStands is what a checkpoint costs while no command stands.
func BenchmarkNothingStands(b *testing.B) {
	d := New(Config{Controller: "podset"})
	b.ReportAllocs()
	for b.Loop() {
		if d.Armed() {
			b.Fatal("something stands")
		}
	}
}

// BenchmarkForAnother is a checkpoint while a command stands that is for another
// item.
func BenchmarkForAnother(b *testing.B) {
	d := New(Config{Controller: "podset"})
	if err := d.Do(wire.Command{Command: wire.Pause, Controller: "podset", Item: "default/other"}); err != nil {
		b.Fatal(err)
	}
	defer d.LiftAll("")
	p, at := &Pass{}, Place{Moment: Begins, Phase: semconv.SpanApply, Namespace: "default", Name: "web"}
	b.ReportAllocs()
	for b.Loop() {
		d.Checkpoint(p, at)
	}
}
