package server

import (
	"fmt"
	"log/slog"
	"sync/atomic"

	"github.com/reconcile-tracer/tracer/server/flow"
	"github.com/reconcile-tracer/tracer/server/journal"
	"github.com/reconcile-tracer/tracer/server/otlp"
)

// fold owns the state: one goroutine calls take and run. The journal's writer
// calls offer.
type fold struct {
	state   *flow.State
	queue   chan journal.Block
	quit    chan struct{} // closed when nothing more is to be folded
	publish func(offset uint64, outputs []flow.Output)
	log     *slog.Logger
	offset  uint64
	losses  losses

	pending  atomic.Bool
	blocks   atomic.Int64
	damaged  atomic.Int64
	replayed atomic.Int64 // nanoseconds
}

// foldQueue is how many blocks may wait for the fold before the writer waits
// too.
const foldQueue = 64

func newFold(limits flow.Limits, log *slog.Logger) *fold {
	return &fold{state: flow.New(limits), queue: make(chan journal.Block, foldQueue), quit: make(chan struct{}), log: log}
}

// offer hands over a durable block. After abandon it is thrown away.
func (f *fold) offer(b journal.Block) {
	select {
	case f.queue <- b:
	case <-f.quit:
	}
}

// abandon gives up what is not folded yet: it is durable, and the next start
// folds it. It lets go whoever waits in offer.
func (f *fold) abandon() { close(f.quit) }

// end says that no more will be offered: the journal's writer has ended.
func (f *fold) end() { close(f.queue) }

func (f *fold) run() {
	for b := range f.queue {
		select {
		case <-f.quit:
		default:
			_ = f.take(b)
		}
	}
}

// drain throws away what is offered until the end.
func (f *fold) drain() {
	for range f.queue {
		continue
	}
}

// take folds one block. Blocks that it has had, it leaves out: what is written
// while the journal is replayed comes both ways. It never fails; the error is
// for journal.Replay.
func (f *fold) take(b journal.Block) error {
	if b.Offset > f.offset {
		f.step(b)
	}
	return nil
}

func (f *fold) step(b journal.Block) {
	f.offset = b.Offset
	f.blocks.Add(1)
	in, err := f.input(b)
	if err != nil {
		f.damaged.Add(1)
		f.log.Warn("a block of the journal is damaged", "offset", b.Offset, "error", err)
		f.losses.add(b.Offset, b.Offset, f.state.Now())
	}
	if b.Err != nil {
		return // without a time there is nothing to fold
	}
	outputs := append(f.losses.rows(b.At), f.state.Step(in)...)
	f.publish(b.Offset, outputs)
	f.pending.Store(f.state.Pending())
}

// input decodes a block, where the handler has not done so already. What can
// be decoded is folded, whatever else is in the block.
func (f *fold) input(b journal.Block) (flow.Input, error) {
	var batch otlp.Batch
	err := b.Err
	for _, r := range b.Records {
		if r.Kind == journal.KindLoss {
			err = f.losses.record(r.Payload, b.At)
			continue
		}
		part, ok := r.Value.(otlp.Batch)
		if !ok {
			var bad error
			if part, bad = otlp.Decode(otlp.Kind(r.Kind), r.Payload); bad != nil {
				err = fmt.Errorf("record of kind %d: %w", r.Kind, bad)
			}
		}
		batch.Add(part)
	}
	return flow.Input{Offset: b.Offset, Now: b.At, Spans: batch.Spans, Logs: batch.Logs, Emitters: batch.Emitters}, err
}
