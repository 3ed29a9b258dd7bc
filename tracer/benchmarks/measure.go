package main

import (
	"fmt"
	"runtime"
	"slices"
	"syscall"
	"time"
)

// side is one of the things that are compared.
type side struct {
	name string
	// run does the thing n times.
	run func(n int)
}

// cost is what one operation took.
type cost struct {
	thread time.Duration // CPU
	allocs float64       // of the whole process
}

// cpu is the CPU time that who (a RUSAGE constant) has used.
func cpu(who int) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(who, &u); err != nil {
		panic(err) // only a wrong constant does this
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

const rusageThread = 1 // RUSAGE_THREAD, which package syscall does not name

// once measures n operations on a thread of their own, from a clean heap.
func once(s side, n int) cost {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	thread := cpu(rusageThread)
	s.run(n)
	thread = cpu(rusageThread) - thread
	runtime.ReadMemStats(&after)
	return cost{
		thread: thread / time.Duration(n),
		allocs: float64(after.Mallocs-before.Mallocs) / float64(n),
	}
}

// inTurn measures every side in each of the rounds, n operations at a time.
func inTurn(rounds, n int, sides ...side) [][]cost {
	for _, s := range sides {
		s.run(n / 10)
	}
	out := make([][]cost, len(sides))
	for range rounds {
		for i, s := range sides {
			out[i] = append(out[i], once(s, n))
		}
	}
	return out
}

// numbers takes one number from each round.
func numbers[T any](rounds []T, of func(T) float64) []float64 {
	out := make([]float64, len(rounds))
	for i, r := range rounds {
		out[i] = of(r)
	}
	return out
}

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}

// ratio compares two sides, round by round.
func ratio(a, b []float64) string {
	ratios := make([]float64, len(a))
	for i := range a {
		ratios[i] = a[i] / b[i]
	}
	return fmt.Sprintf("%.2f (%.2f – %.2f)", median(ratios), slices.Min(ratios), slices.Max(ratios))
}

func threadNanos(c cost) float64 { return float64(c.thread) }
func allocations(c cost) float64 { return c.allocs }
