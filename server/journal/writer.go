package journal

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Append stores records as a part of one block and returns when they are
// durable. Without records it stores an empty block, which lets time pass.
// It returns ErrFull at once when too much waits already. When ctx ends first,
// the records may still be stored.
func (j *Journal) Append(ctx context.Context, records ...Record) error {
	e := entry{records: records, bytes: blockSize(records) - headerSize, answer: make(chan error, 1)}
	for _, r := range records {
		if len(r.Payload) > MaxRecord {
			return fmt.Errorf("a record of %d bytes is over the limit of %d: send smaller batches", len(r.Payload), MaxRecord)
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

// write is the writer's goroutine. It ends when the queue is shut and empty.
func (j *Journal) write(seq uint64, clock clock) {
	defer close(j.done)
	var began time.Time
	for range j.queue.wake {
		j.linger(began)
		entries, closed := j.queue.take(j.cfg.BlockBytes)
		if len(entries) == 0 {
			if closed {
				return
			}
			continue
		}
		began = time.Now()
		b := Block{Seq: seq, At: clock.tick(j.cfg.Now()), Records: gather(entries)}
		err := j.publish(&b)
		seq = max(seq, b.Seq+1)
		for _, e := range entries {
			e.answer <- err
		}
		if closed {
			j.queue.shut() // look again: there may be more
		}
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

func (j *Journal) publish(b *Block) error {
	data := encodeBlock(b.Seq, b.At, b.Records)
	ctx, cancel := context.WithTimeout(context.Background(), j.cfg.WriteTimeout)
	defer cancel()
	// The expected sequence makes a retry, or a second writer, fail loudly.
	ack, err := j.js.Publish(ctx, subject, data, jetstream.WithExpectLastSequence(j.last.Load()))
	if err != nil {
		err = fmt.Errorf("writing a block: %w", err)
		j.fault.Store(&err)
		j.resync(b)
		return err
	}
	j.fault.Store(nil)
	b.Offset = ack.Sequence
	j.blocks.Add(1)
	j.size.Add(int64(len(data)))
	j.settle(*b)
	return nil
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
// it is told that it failed and sends it again, which changes nothing. It
// leaves b's number free for the next block if it was not stored.
func (j *Journal) resync(b *Block) {
	b.Seq--
	ctx, cancel := context.WithTimeout(context.Background(), j.cfg.WriteTimeout)
	defer cancel()
	info, err := j.stream.Info(ctx)
	if err != nil {
		return
	}
	for offset := j.last.Load() + 1; offset <= info.State.LastSeq; offset++ {
		if stored, err := j.read(ctx, offset); err == nil && stored.Err == nil {
			b.Seq = max(b.Seq, stored.Seq)
			j.settle(stored)
		}
	}
}
