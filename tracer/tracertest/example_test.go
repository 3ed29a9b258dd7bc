package tracertest_test

import (
	"context"
	"fmt"
	"testing"

	"go.uber.org/goleak"

	"github.com/reconcile-tracer/tracer/tracer"
	"github.com/reconcile-tracer/tracer/tracer/tracertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A test of a controller asks why it was reconciled, and what it came to.
func ExampleRecorder() {
	t := new(testing.B) // in a real test, its own t

	rec := tracertest.NewRecorder(t)
	defer rec.Close() // a real test does this by itself
	tr, err := tracer.Start(context.Background(), tracer.Config{Controller: "podset", Endpoint: rec.URL()})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = tr.Shutdown(context.Background()) }()
	queue := tracer.NewQueue[string](tr, nil, tracer.QueueConfig[string]{})
	defer queue.ShutDown()

	queue.Manual("default/web")
	item, _ := queue.Get()
	ctx := queue.Context(context.Background(), item)
	tracer.Plan(ctx, tracer.Action{Verb: "create", Kind: "Pod", Summary: "create 2 Pods"})
	queue.Done(item)

	pass := rec.WaitReconciles("default/web", 1)[0]
	fmt.Println(pass.Result, pass.Causes[0].What, pass.Plan)
	fmt.Println(pass.PhaseNames())
	// Output:
	// success manual [create 2 Pods]
	// [dequeue fetch compute apply requeue]
}
