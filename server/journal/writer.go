package journal

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Append stores records as a part of one block and returns when they are
// durable. Without records it stores an empty block, which lets time pass.
// It returns ErrFull at once when too much waits already. When ctx ends first,
// the records may still be stored.
func (j *Journal) Append(ctx context.Context, records ...Record) error {
	e := entry{records: records, bytes: blockSize(records) - headerSize, answer: make(chan error, 1)}
	for _, r := range records {
		if len(r.Payload) > MaxRecord {
			return fmt.Errorf("%w: it has %d bytes, the limit is %d: send smaller batches", ErrTooLarge, len(r.Payload), MaxRecord)
		}
	}
	if err := j.queue.put(e); err != nil {
		return err
	}
	select {
	case err := <-e.answer:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// writer is the one goroutine that writes.
type writer struct {
	*Journal
	seq   uint64 // the number of the next block
	clock clock
	began time.Time
	// broken says that the log's server writes no more; retry fires when it is
	// to be opened again, which pause is the time to.
	broken bool
	retry  *time.Timer
	pause  time.Duration
}

// write is the writer's goroutine. It ends when the queue is shut and empty.
func (j *Journal) write(seq uint64, clock clock) {
	defer close(j.done)
	w := &writer{Journal: j, seq: seq, clock: clock, retry: time.NewTimer(0)}
	w.retry.Stop()
	defer w.retry.Stop()
	for {
		select {
		case <-w.retry.C:
			w.mend()
		case <-j.queue.wake:
			if w.round() {
				return
			}
		}
	}
}

// round writes a block of what waits, and says whether it was the last.
func (w *writer) round() (last bool) {
	w.linger(w.began)
	entries, closed := w.queue.take(w.cfg.BlockBytes)
	if len(entries) == 0 {
		return closed
	}
	w.began = time.Now()
	err := w.store(gather(entries))
	for _, e := range entries {
		e.answer <- err
	}
	if closed {
		w.queue.shut() // look again: there may be more
	}
	return false
}

// store makes records durable as a block.
func (w *writer) store(records []Record) error {
	if w.broken {
		return w.Check()
	}
	b := Block{Seq: w.seq, At: w.clock.tick(w.cfg.Now()), Records: records}
	data := encodeBlock(b.Seq, b.At, b.Records)
	ctx, cancel := context.WithTimeout(context.Background(), w.cfg.WriteTimeout)
	defer cancel()
	var err error
	if b.Offset, err = w.current().publish(ctx, data, w.last.Load()); err != nil {
		return w.failed(err)
	}
	w.fault.Store(nil)
	w.pause = 0
	w.seq++
	w.blocks.Add(1)
	w.size.Add(int64(len(data)))
	w.settle(b)
	return nil
}

// failed notes why a block was not written. Where the server still answers, one
// write went wrong; where it does not, none will go well any more.
func (w *writer) failed(err error) error {
	err = fmt.Errorf("writing a block: %w", err)
	w.fault.Store(&err)
	if _, words := errors.AsType[*serverError](err); words || w.resync() != nil {
		w.giveUp()
	}
	return err
}

// giveUp plans the next try to open the log again.
func (w *writer) giveUp() {
	w.broken = true
	w.pause = min(max(2*w.pause, w.cfg.Retry), 30*w.cfg.Retry)
	w.retry.Reset(w.pause)
}

// mend opens the log again, and writes an empty block to see whether it can be
// written: a hub that says that it is not ready may not be sent anything.
func (w *writer) mend() {
	err := w.reopen(w.life)
	if err == nil {
		err = w.resync()
	}
	if err != nil {
		err = fmt.Errorf("opening the journal again: %w", err)
		w.fault.Store(&err)
		w.giveUp()
		return
	}
	w.broken = false
	if w.store(nil) == nil {
		w.cfg.Log.Info("the journal is written again")
	}
}

// linger waits out the rest of the least time between two blocks, unless a
// whole block is there already or the journal is closing.
func (j *Journal) linger(began time.Time) {
	rest := j.cfg.Linger - time.Since(began)
	if rest > 0 && j.queue.size() < j.cfg.BlockBytes {
		time.Sleep(rest)
	}
}

func gather(entries []entry) []Record {
	if len(entries) == 1 {
		return entries[0].records
	}
	var all []Record
	for _, e := range entries {
		all = append(all, e.records...)
	}
	return all
}

// settle notes that a block is durable, and hands it on.
func (j *Journal) settle(b Block) {
	j.last.Store(b.Offset)
	if err := j.head.write(b.Offset, b.Seq); err != nil {
		j.cfg.Log.Warn("cannot note the end of the journal", "error", err)
	}
	j.cfg.OnBlock(b)
}

// resync asks the server where the stream ends after a write whose outcome is
// unknown. What was stored after all is handed on like any block, so that what
// is folded now and what is folded after a restart are the same; whoever sent
// it is told that it failed and sends it again, which changes nothing.
func (w *writer) resync() error {
	ctx, cancel := context.WithTimeout(w.life, w.cfg.WriteTimeout)
	defer cancel()
	info, err := w.current().stream.Info(ctx)
	if err != nil {
		return fmt.Errorf("finding the end of the stream: %w", err)
	}
	for offset := w.last.Load() + 1; offset <= info.State.LastSeq; offset++ {
		stored, err := w.read(ctx, offset)
		if err != nil {
			return err
		}
		if stored.Err != nil { // told like one that a replay finds
			w.last.Store(offset)
			w.cfg.OnBlock(stored)
			continue
		}
		w.seq, w.clock.at = max(w.seq, stored.Seq+1), max(w.clock.at, stored.At)
		w.settle(stored)
	}
	return nil
}
