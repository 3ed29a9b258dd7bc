package journal

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/errgroup"
)

// replayWindow is how many blocks are read ahead, by replayReaders at a time.
const (
	replayWindow  = 64
	replayReaders = 4
)

// Replay gives every block from the offset from (0 is the oldest kept) to the
// newest durable one at the time of the call, in order, to fn. Blocks that are
// damaged or missing come with Err set. It ends early with fn's error, or when
// ctx ends.
func (j *Journal) Replay(ctx context.Context, from uint64, fn func(Block) error) error {
	info, err := j.current().stream.Info(ctx)
	if err != nil {
		return fmt.Errorf("replaying the journal: %w", err)
	}
	last := info.State.LastSeq
	for next := max(from, info.State.FirstSeq, 1); next <= last; next += replayWindow {
		blocks, err := j.readWindow(ctx, next, min(next+replayWindow-1, last))
		if err != nil {
			return fmt.Errorf("replaying the journal: %w", err)
		}
		for _, b := range blocks {
			if err := fn(b); err != nil {
				return err
			}
		}
	}
	return nil
}

func (j *Journal) readWindow(ctx context.Context, first, last uint64) ([]Block, error) {
	blocks := make([]Block, last-first+1)
	var g errgroup.Group
	g.SetLimit(replayReaders)
	for i := range blocks {
		g.Go(func() (err error) {
			blocks[i], err = j.read(ctx, first+uint64(i))
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	return j.withoutExpired(ctx, blocks)
}

// withoutExpired leaves out what retention took away while it was being read:
// that is missing, and not lost.
func (j *Journal) withoutExpired(ctx context.Context, blocks []Block) ([]Block, error) {
	if !slices.ContainsFunc(blocks, func(b Block) bool { return b.Err != nil }) {
		return blocks, nil
	}
	info, err := j.current().stream.Info(ctx)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(blocks, func(b Block) bool { return b.Err != nil && b.Offset < info.State.FirstSeq }), nil
}

// readTries is how often a block is asked for: a busy machine may be late, and
// late is not damaged.
const readTries = 3

// read reads one block and verifies it. A block that is damaged or missing says
// so itself; an error is of the reading. Reading by sequence, and not through a
// consumer, is what confines the damage: a consumer stops at the first bad
// message, while a read of it answers like one of a missing message.
func (j *Journal) read(ctx context.Context, offset uint64) (Block, error) {
	var msg *jetstream.RawStreamMsg
	var err error
	for range readTries {
		msg, err = j.current().stream.GetMsg(ctx, offset)
		if err == nil || errors.Is(err, jetstream.ErrMsgNotFound) || ctx.Err() != nil {
			break
		}
	}
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return Block{Offset: offset, Err: fmt.Errorf("%w: block %d is missing or cannot be read", ErrCorrupt, offset)}, nil
	}
	if err != nil {
		return Block{}, fmt.Errorf("reading block %d: %w", offset, err)
	}
	b, err := decodeBlock(msg.Data)
	if err != nil {
		return Block{Offset: offset, Err: fmt.Errorf("block %d: %w", offset, err)}, nil
	}
	b.Offset = offset
	return b, nil
}
