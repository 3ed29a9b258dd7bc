package journal

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	natsserver "github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// backend is the embedded log server and what is needed to speak to it. Once a
// write has failed, the server writes never again: another one takes its place.
type backend struct {
	server *natsserver.Server
	conn   *nats.Conn
	js     jetstream.JetStream
	stream jetstream.Stream
	words  *serverLog
}

// startWithin bounds how long the server may take to answer once it has
// started.
const startWithin = 30 * time.Second

// startBackend starts a server and connects to it. The stream is not open yet.
func (j *Journal) startBackend(ctx context.Context) (*backend, error) {
	s, err := natsserver.NewServer(&natsserver.Options{
		ServerName: "tracer-hub",
		DontListen: true,
		NoSigs:     true,
		JetStream:  true,
		StoreDir:   filepath.Join(j.cfg.Dir, "journal"),
		SyncAlways: true,
		MaxPayload: maxBlock,
		// The stream's own limit is what counts; this only has to be above it.
		JetStreamMaxStore:  j.cfg.MaxBytes + 1<<30,
		JetStreamMaxMemory: 1 << 20,
	})
	if err != nil {
		return nil, fmt.Errorf("making the log's server: %w", err)
	}
	b := &backend{server: s, words: &serverLog{log: j.cfg.Log}}
	s.SetLoggerV2(b.words, false, false, false)
	s.Start()
	if err := b.connect(ctx, j.cfg); err != nil {
		b.close()
		return nil, err
	}
	return b, nil
}

func (b *backend) connect(ctx context.Context, cfg Config) error {
	if err := b.await(ctx); err != nil {
		return err
	}
	var err error
	b.conn, err = nats.Connect("", nats.InProcessServer(b.server), nats.MaxReconnects(-1), nats.Timeout(10*time.Second),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			cfg.Log.Warn("the connection to the log's server", "error", err)
		}))
	if err != nil {
		return fmt.Errorf("connecting to the log's server: %w", err)
	}
	b.js, err = jetstream.New(b.conn)
	return err
}

// await waits until the server is ready, or says that it will never be: it
// only writes so, and stays.
func (b *backend) await(ctx context.Context) error {
	for until := time.Now().Add(startWithin); time.Now().Before(until); {
		if err := b.words.fatal(); err != nil {
			return err
		}
		if b.server.ReadyForConnections(50 * time.Millisecond) {
			return nil
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return errors.New("the log's server was not ready within 30 s: is the disk very slow, or the folder damaged?")
}

func (b *backend) close() {
	if b.conn != nil {
		b.conn.Close()
	}
	b.server.Shutdown()
	b.server.WaitForShutdown()
}

// publish stores a block behind the offset last and returns its own. It gives
// up as soon as the server says that something is wrong: it would not answer.
func (b *backend) publish(ctx context.Context, data []byte, last uint64) (uint64, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	b.words.listen(cancel)
	defer b.words.listen(nil)
	// The expected sequence makes a retry, or a second writer, fail loudly.
	ack, err := b.js.Publish(ctx, subject, data, jetstream.WithExpectLastSequence(last))
	switch {
	case err == nil:
		return ack.Sequence, nil
	case ctx.Err() != nil:
		return 0, context.Cause(ctx)
	}
	return 0, err
}

// reopen starts another server in place of the one that is there, over the same
// stream as before. Nothing is made anew: what is missing is lost, not empty.
func (j *Journal) reopen(ctx context.Context) error {
	j.current().close()
	b, err := j.startBackend(ctx)
	if err != nil {
		return err
	}
	if err := j.findAgain(ctx, b); err != nil {
		b.close()
		return err
	}
	if !j.replace(b) {
		b.close()
		return ErrClosed
	}
	return nil
}

func (j *Journal) findAgain(ctx context.Context, b *backend) error {
	var err error
	if b.stream, err = b.js.Stream(ctx, streamName); err != nil {
		return fmt.Errorf("opening the stream again: %w", err)
	}
	info := b.stream.CachedInfo()
	if last := j.last.Load(); info.State.LastSeq < last || info.Config.Metadata[epochKey] != j.epoch {
		return fmt.Errorf("the stream ends at block %d, and block %d was there before: start the hub again", info.State.LastSeq, last)
	}
	return nil
}

// current is the backend that is used now.
func (j *Journal) current() *backend {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.backend
}

// replace puts a backend in place of the one before, unless the journal has
// been closed meanwhile.
func (j *Journal) replace(b *backend) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.released {
		return false
	}
	j.backend = b
	return true
}
