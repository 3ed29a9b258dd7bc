package journal

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Config says where the journal is and what it keeps. Dir is required; the
// zero value of all else is its default.
type Config struct {
	// Dir is the folder; it is made with mode 0700 where it is missing.
	Dir string
	// MaxBytes is how much history is kept, the oldest goes first. 0 is 1 GiB.
	MaxBytes int64
	// MaxAge is how long history is kept. 0 is for as long as MaxBytes allows.
	MaxAge time.Duration
	// BlockBytes is the size at which a block is full. 0 is 256 KiB.
	BlockBytes int
	// Linger is the least time from one block to the next that is not full; a
	// record that comes after a quiet time does not wait. 0 is 2 ms.
	Linger time.Duration
	// MaxQueued is how many bytes may wait for the disk before Append answers
	// ErrFull. 0 is 32 MiB.
	MaxQueued int
	// OnBlock is called by the writer for each block, in order, once it is
	// durable. It may block, which slows the writer down. nil is none.
	OnBlock func(Block)
	// WriteTimeout is how long the disk may take for a block. 0 is 10 s.
	WriteTimeout time.Duration
	// Retry is how long after a write that failed the log is opened again. It
	// doubles with each time in vain, up to 30 times itself. 0 is 1 s.
	Retry time.Duration
	// Now is the clock. nil is time.Now. Where it is set back, the blocks' times
	// go on from where they were, at half the pace until it has caught up.
	Now func() time.Time
	// Log is where warnings go. nil is slog.Default().
	Log *slog.Logger
}

// MaxRecord is the largest payload that Append takes, in bytes.
const MaxRecord = maxBlock - 64<<10

// maxBlock is the largest message that the log's server takes without a word
// of warning.
const maxBlock = 8 << 20

// Errors that Append answers.
var (
	// ErrFull says that more is waiting for the disk than may wait: try again.
	ErrFull = errors.New("the journal is full")
	// ErrTooLarge is wrapped when a record is over MaxRecord: it will never fit.
	ErrTooLarge = errors.New("over the limit of a record")
	// ErrClosed says that the journal is closed or about to be.
	ErrClosed = errors.New("the journal is closed")
)

const (
	streamName = "tracer"
	subject    = "tracer.blocks"
	epochKey   = "tracer.epoch"
)

// Journal is an open journal. Its methods may be called from any goroutine.
type Journal struct {
	cfg   Config
	lock  *os.File
	head  *head
	epoch string

	mu       sync.Mutex
	backend  *backend // nil until the server has started
	released bool
	// life ends when the journal is let go.
	life context.Context
	end  context.CancelFunc

	queue  queue
	done   chan struct{} // closed when the writer has ended; nil when there is none
	newest int64         // the time of the newest block at Open
	last   atomic.Uint64 // offset of the newest durable block
	size   atomic.Int64  // bytes written since Open
	blocks atomic.Int64  // blocks written since Open
	fault  atomic.Pointer[error]
	close  sync.Once
}

func (c Config) withDefaults() Config {
	if c.MaxBytes == 0 {
		c.MaxBytes = 1 << 30
	}
	if c.BlockBytes == 0 {
		c.BlockBytes = 256 << 10
	}
	if c.Linger == 0 {
		c.Linger = 2 * time.Millisecond
	}
	if c.MaxQueued == 0 {
		c.MaxQueued = 32 << 20
	}
	if c.WriteTimeout == 0 {
		c.WriteTimeout = 10 * time.Second
	}
	if c.Retry == 0 {
		c.Retry = time.Second
	}
	if c.OnBlock == nil {
		c.OnBlock = func(Block) {}
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	return c
}

// Open opens the journal in cfg.Dir, making it where there is none, and starts
// its writer. Close it. The error wraps ErrLocked when another hub has it.
func Open(ctx context.Context, cfg Config) (*Journal, error) {
	j := &Journal{cfg: cfg.withDefaults()}
	j.life, j.end = context.WithCancel(context.WithoutCancel(ctx))
	j.queue.init(j.cfg.MaxQueued)
	if err := j.open(ctx); err != nil {
		j.release()
		return nil, fmt.Errorf("opening the journal in %s: %w", cfg.Dir, err)
	}
	return j, nil
}

func (j *Journal) open(ctx context.Context) error {
	if err := os.MkdirAll(j.cfg.Dir, 0o700); err != nil {
		return err
	}
	var err error
	if j.lock, err = lockFolder(ctx, j.cfg.Dir); err != nil {
		return err
	}
	if j.head, err = openHead(j.cfg.Dir); err != nil {
		return err
	}
	if j.backend, err = j.startBackend(ctx); err != nil {
		return err
	}
	if err := j.openStream(ctx); err != nil {
		return err
	}
	seq, loss, err := j.findEnd(ctx)
	if err != nil {
		return err
	}
	j.done = make(chan struct{})
	go j.write(seq+1, clock{at: j.newest, now: j.cfg.Now()})
	if loss == nil {
		return nil
	}
	return j.recordLoss(ctx, *loss)
}

func (j *Journal) openStream(ctx context.Context) error {
	cfg := jetstream.StreamConfig{
		Name:        streamName,
		Subjects:    []string{subject},
		MaxBytes:    j.cfg.MaxBytes,
		MaxAge:      j.cfg.MaxAge,
		Storage:     jetstream.FileStorage,
		AllowDirect: true,
		Metadata:    map[string]string{epochKey: newEpoch()},
	}
	js := j.backend.js
	s, err := js.Stream(ctx, streamName)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		s, err = js.CreateStream(ctx, cfg)
	} else if err == nil {
		cfg.Metadata = s.CachedInfo().Config.Metadata
		s, err = js.UpdateStream(ctx, cfg)
	}
	if err != nil {
		return fmt.Errorf("opening the stream: %w", err)
	}
	j.backend.stream, j.epoch = s, s.CachedInfo().Config.Metadata[epochKey]
	return nil
}

// newEpoch returns a name for a stream's history: k and twelve random letters
// and digits.
func newEpoch() string { return "k" + strings.ToLower(rand.Text()[:12]) }

// Epoch names this stream's history. It stays the same across restarts.
func (j *Journal) Epoch() string { return j.epoch }

// Last is the offset of the newest durable block, 0 when there is none.
func (j *Journal) Last() uint64 { return j.last.Load() }

// Written is how many blocks and bytes were written since Open.
func (j *Journal) Written() (blocks, bytes int64) { return j.blocks.Load(), j.size.Load() }

// Queued is how many bytes wait for the disk.
func (j *Journal) Queued() int { return j.queue.size() }

// Check returns nil when the newest write went well, else its error.
func (j *Journal) Check() error {
	if p := j.fault.Load(); p != nil {
		return *p
	}
	return nil
}

// Close lets no more in, writes what waits, and ends the server. It returns
// when all goroutines have ended, the writer and with it the last
// Config.OnBlock too, and the folder is free. ctx bounds the writing, not a
// call of OnBlock; it may be called again.
func (j *Journal) Close(ctx context.Context) error {
	var err error
	j.close.Do(func() {
		j.queue.shut()
		select {
		case <-j.done:
		case <-ctx.Done():
			err = fmt.Errorf("closing the journal: %w", context.Cause(ctx))
		}
		j.release()
	})
	return err
}

// release lets go of whatever open has taken so far.
func (j *Journal) release() {
	j.queue.shut()
	j.end()
	j.mu.Lock()
	j.released = true
	backend := j.backend
	j.mu.Unlock()
	if backend != nil {
		backend.close()
	}
	if j.done != nil {
		<-j.done // what still waits fails at once, for want of a connection
	}
	if j.head != nil {
		_ = j.head.file.Close()
	}
	if j.lock != nil {
		_ = j.lock.Close()
	}
}

// Loss says which blocks at the end of the stream were found missing when it
// was opened. It is the payload of a record of KindLoss.
type Loss struct {
	// First and Last are the offsets that they had.
	First uint64 `json:"first"`
	Last  uint64 `json:"last"`
	// Epoch is the history that ended with them.
	Epoch string `json:"epoch"`
}

func (j *Journal) recordLoss(ctx context.Context, loss Loss) error {
	j.cfg.Log.Warn("blocks at the end of the journal are missing", "first", loss.First, "last", loss.Last)
	payload, err := json.Marshal(loss)
	if err != nil {
		return err
	}
	return j.Append(ctx, Record{Kind: KindLoss, Payload: payload})
}

// findEnd returns the writer's number of the newest block, and what is missing
// behind it.
func (j *Journal) findEnd(ctx context.Context) (seq uint64, loss *Loss, err error) {
	last := j.backend.stream.CachedInfo().State.LastSeq
	j.last.Store(last)
	wantOffset, wantSeq := j.head.read()
	if last > 0 {
		b, err := j.read(ctx, last)
		if err != nil {
			return 0, nil, err
		}
		seq, j.newest = b.Seq, b.At // 0 when it is damaged
	}
	if wantOffset <= last {
		return max(seq, wantSeq), nil, nil
	}
	loss = &Loss{First: last + 1, Last: wantOffset, Epoch: j.epoch}
	return max(seq, wantSeq), loss, j.renewEpoch(ctx)
}

// renewEpoch begins a new history: an offset that a viewer holds from the old
// one would name another block in it.
func (j *Journal) renewEpoch(ctx context.Context) error {
	cfg := j.backend.stream.CachedInfo().Config
	cfg.Metadata[epochKey] = newEpoch()
	s, err := j.backend.js.UpdateStream(ctx, cfg)
	if err != nil {
		return fmt.Errorf("naming the new history: %w", err)
	}
	j.backend.stream, j.epoch = s, cfg.Metadata[epochKey]
	return nil
}
