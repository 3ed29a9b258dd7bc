package flow

import (
	"container/list"
	"maps"
	"math/bits"
	"slices"
	"strconv"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

type sampleKey struct {
	controller string
	second     int64
}

// sample is a Sample row being counted.
type sample struct {
	key    sampleKey
	row    *Sample
	frozen bool
	queued bool
	given  bool
	gone   bool
	elem   *list.Element
}

// tally is what of a pass has been counted so far, so that what comes later is
// added and nothing twice.
type tally struct {
	done           bool
	causes         bool
	writes, failed int
	bucket         int // of latency; -1: none yet
}

// count adds to the sample and the totals what of a pass has not been counted.
// Only a pass that is done counts: its second is not known before.
func (s *State) count(p *pass) {
	if !p.rooted {
		return
	}
	c := s.controller(p.row.Controller)
	if c.row.ObjectKind == "" && p.row.Object.Kind != "" {
		s.editController(c).ObjectKind = p.row.Object.Kind
	}
	next := p.tallyNow()
	if next == p.tally {
		return
	}
	s.countTotals(s.editController(c), p, next)
	if sm := s.sample(p.row.Controller, p.row.To); sm != nil {
		s.countSample(s.editSample(sm), p, next)
	}
	p.tally = next
}

func (p *pass) tallyNow() tally {
	return tally{
		done: true, causes: p.dequeued,
		writes: p.row.WriteCount, failed: p.row.FailedWrites,
		bucket: bucketOf(p.row.To - p.row.Start),
	}
}

// bucketOf is the base-2 logarithm of a duration in microseconds.
func bucketOf(d int64) int {
	if d < 1 {
		return 0
	}
	return bits.Len64(uint64(d)) - 1
}

func (s *State) countTotals(c *Controller, p *pass, next tally) {
	if !p.tally.done {
		c.Reconciles++
		if failedResult(p.row.Result) {
			c.Errors++
		}
	}
	c.Writes += int64(next.writes - p.tally.writes)
	c.Failed += int64(next.failed - p.tally.failed)
	c.Latency = moveCount(c.Latency, p.tally.bucket, next.bucket)
}

func (s *State) countSample(r *Sample, p *pass, next tally) {
	if !p.tally.done {
		r.Reconciles++
		r.ByResult[resultWord(p.row.Result)]++
	}
	if next.causes && !p.tally.causes {
		for what, n := range p.row.CauseCounts {
			r.ByCause[causeWord(what)] += n
		}
		r.Depth = max(r.Depth, p.row.Queue.Depth)
	}
	r.Writes += next.writes - p.tally.writes
	r.Failed += next.failed - p.tally.failed
	r.Latency = moveCount(r.Latency, p.tally.bucket, next.bucket)
}

func failedResult(result string) bool {
	switch result {
	case semconv.ResultSuccess, semconv.ResultRequeue, semconv.ResultRequeueAfter:
		return false
	}
	return true
}

// Refused says that the pass is done and counts as no error, though a write of
// it failed.
func (r *Reconcile) Refused() bool {
	return r.To > 0 && r.FailedWrites > 0 && !failedResult(r.Result)
}

// otherWord counts what is no word of the contract, so that a sample stays
// small whatever an emitter sends.
const otherWord = "other"

func resultWord(result string) string {
	switch result {
	case semconv.ResultSuccess, semconv.ResultRequeue, semconv.ResultRequeueAfter, semconv.ResultError,
		semconv.ResultTerminalError, semconv.ResultPanic, semconv.ResultTimeout:
		return result
	}
	return otherWord
}

func causeWord(cause string) string {
	switch cause {
	case semconv.CauseInitialList, semconv.CauseAdd, semconv.CauseUpdate, semconv.CauseDelete,
		semconv.CauseGeneric, semconv.CauseResync, semconv.CauseRelist, semconv.CauseBackoff,
		semconv.CauseRequeueAfter, semconv.CauseManual:
		return cause
	}
	return otherWord
}

// moveCount moves one count from a bucket to another; from -1 it is new.
func moveCount[N int | int64](counts []N, from, to int) []N {
	if from == to {
		return counts
	}
	if from >= 0 && from < len(counts) {
		counts[from]--
	}
	for len(counts) <= to {
		counts = append(counts, 0)
	}
	counts[to]++
	for len(counts) > 0 && counts[len(counts)-1] == 0 {
		counts = counts[:len(counts)-1]
	}
	return counts
}

// sample returns the sample of a time, nil when that time is out of reach.
func (s *State) sample(controller string, at int64) *sample {
	sec := at / second
	k := sampleKey{controller, sec}
	if sm := s.samples[k]; sm != nil {
		return sm
	}
	oldest := s.now/second - int64(s.limits.SampleSeconds)
	if sec <= max(oldest, s.sampleFloor) || at > s.now+ahead {
		return nil
	}
	sm := &sample{key: k, row: &Sample{
		Row: RowSample, Key: controller + "/" + strconv.FormatInt(sec, 10), Controller: controller,
		From: sec * second, To: (sec + 1) * second,
		ByResult: map[string]int{}, ByCause: map[string]int{},
	}}
	s.samples[k] = sm
	sm.elem = s.sampleOrder.PushBack(sm)
	return sm
}

func (s *State) editSample(sm *sample) *Sample {
	if sm.frozen {
		sm.row, sm.frozen = sm.row.clone(), false
	}
	if !sm.queued {
		sm.queued = true
		s.changed = append(s.changed, sm)
	}
	return sm.row
}

func (r *Sample) clone() *Sample {
	c := *r
	c.ByResult = maps.Clone(r.ByResult)
	c.ByCause = maps.Clone(r.ByCause)
	c.Latency = slices.Clone(r.Latency)
	return &c
}

func (sm *sample) publish() Row {
	sm.queued = false
	if sm.gone {
		return nil
	}
	sm.frozen, sm.given = true, true
	return sm.row
}

// evictSamples drops samples that are too old, and the oldest of too many.
func (s *State) evictSamples() {
	oldest := s.now/second - int64(s.limits.SampleSeconds)
	for e := s.sampleOrder.Front(); e != nil; e = s.sampleOrder.Front() {
		sm := e.Value.(*sample)
		if sm.key.second > oldest && len(s.samples) <= s.limits.Samples {
			return
		}
		s.sampleFloor = max(s.sampleFloor, sm.key.second)
		s.sampleOrder.Remove(e)
		delete(s.samples, sm.key)
		sm.gone = true
		if sm.given {
			s.retract(sm.row)
		}
	}
}

func (s *State) sampleRows(rows []Row) []Row {
	for e := s.sampleOrder.Front(); e != nil; e = e.Next() {
		sm := e.Value.(*sample)
		sm.frozen = true
		rows = append(rows, sm.row)
	}
	return rows
}
