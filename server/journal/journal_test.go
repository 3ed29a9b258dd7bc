package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

func TestRestartKeepsEverything(t *testing.T) {
	dir := t.TempDir()
	j := open(t, dir)
	add(t, j, "a", "b", "c")
	if err := j.Append(t.Context()); err != nil {
		t.Fatal(err)
	}
	before, epoch := replay(t, j), j.Epoch()
	shut(t, j)

	j = open(t, dir)
	if diff := cmp.Diff(before, replay(t, j)); diff != "" {
		t.Errorf("after a restart (-before +after):\n%s", diff)
	}
	if j.Epoch() != epoch || !strings.HasPrefix(epoch, "k") {
		t.Errorf("epoch %q became %q", epoch, j.Epoch())
	}
	add(t, j, "d")
	if got := replay(t, j); got[len(got)-1] != "5 d" {
		t.Errorf("the next block is %q, want 5 d", got[len(got)-1])
	}
}

func TestBlocksComeInOrderAndBeforeTheAnswer(t *testing.T) {
	var mu sync.Mutex
	var seen []Block
	j := open(t, t.TempDir(), func(c *Config) {
		c.OnBlock = func(b Block) {
			mu.Lock()
			defer mu.Unlock()
			seen = append(seen, b)
		}
	})
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			payload := fmt.Sprint(i)
			add(t, j, payload)
			mu.Lock()
			defer mu.Unlock()
			for _, b := range seen {
				for _, r := range b.Records {
					if string(r.Payload) == payload {
						return
					}
				}
			}
			t.Errorf("record %s was acknowledged before it was handed on", payload)
		})
	}
	wg.Wait()
	records := 0
	for i, b := range seen {
		records += len(b.Records)
		if b.Offset != uint64(i+1) || b.Seq != uint64(i+1) {
			t.Errorf("block %d has offset %d and number %d", i+1, b.Offset, b.Seq)
		}
		if i > 0 && b.At < seen[i-1].At {
			t.Errorf("block %d goes back in time", i+1)
		}
	}
	if records != 50 {
		t.Errorf("%d records were handed on, want 50", records)
	}
}

func TestSecondHubIsToldWhoHasTheFolder(t *testing.T) {
	dir := t.TempDir()
	open(t, dir)
	_, err := Open(t.Context(), Config{Dir: dir})
	if !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), fmt.Sprint(os.Getpid())) {
		t.Errorf("error is %v, want ErrLocked with the process", err)
	}
}

// Who asks whether a folder is in use has it while a hub starts there.
func TestAFolderThatIsAskedForIsTaken(t *testing.T) {
	dir := t.TempDir()
	asker, err := os.Create(filepath.Join(dir, "lock"))
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Flock(int(asker.Fd()), unix.LOCK_SH|unix.LOCK_NB); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(2*lockEvery, func() { _ = asker.Close() })
	open(t, dir)
	if since, inUse := InUse(dir); !inUse || since.IsZero() {
		t.Errorf("the folder is in use: %v, since %v", inUse, since)
	}
}

func TestFolderIsPrivate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	open(t, dir)
	info, err := os.Stat(dir)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("mode is %v (%v), want 0700", info.Mode().Perm(), err)
	}
}

func TestFullQueueSaysSo(t *testing.T) {
	hold, held := make(chan struct{}), make(chan struct{}, 10)
	j := open(t, t.TempDir(), func(c *Config) {
		c.MaxQueued = 100
		c.OnBlock = func(Block) { held <- struct{}{}; <-hold }
	})
	big := Record{Kind: KindTraces, Payload: make([]byte, 90)}
	answers := make(chan error, 2)
	go func() { answers <- j.Append(t.Context(), big) }()
	<-held
	go func() { answers <- j.Append(t.Context(), big) }()
	look := time.NewTicker(time.Millisecond) // the queue of the journal itself has no channel
	defer look.Stop()
	late := time.After(20 * time.Second)
	for j.Queued() == 0 {
		select {
		case <-look.C:
		case <-late:
			t.Fatal("waited 20 s in vain for the queue to fill")
		}
	}
	if err := j.Append(t.Context(), big); !errors.Is(err, ErrFull) {
		t.Errorf("error is %v, want ErrFull", err)
	}
	close(hold)
	for range 2 {
		if err := <-answers; err != nil {
			t.Error(err)
		}
	}
}

func TestClosedJournalTakesNothingMore(t *testing.T) {
	j := open(t, t.TempDir())
	shut(t, j)
	if err := j.Append(t.Context()); !errors.Is(err, ErrClosed) {
		t.Errorf("error is %v, want ErrClosed", err)
	}
}

func TestWriteThatFailsIsToldAndMended(t *testing.T) {
	blocks := make(chan Block, 10)
	j := open(t, t.TempDir(), func(c *Config) {
		c.WriteTimeout, c.Retry = 50*time.Millisecond, 10*time.Millisecond
		c.OnBlock = func(b Block) { blocks <- b }
	})
	add(t, j, "good")
	<-blocks
	if err := j.Check(); err != nil {
		t.Fatalf("a journal that works says %v", err)
	}
	j.current().server.Shutdown() // in place of a disk that fails
	if err := j.Append(t.Context(), Record{Kind: KindTraces, Payload: []byte("lost")}); err == nil {
		t.Fatal("a record was acknowledged that nobody stored")
	}
	if b := <-blocks; b.Offset != 2 || b.Seq != 2 || len(b.Records) != 0 {
		t.Errorf("the block that shows that all is well is %+v, want an empty one, number 2", b)
	}
	add(t, j, "good again")
	if err := j.Check(); err != nil {
		t.Errorf("a journal that works again says %v", err)
	}
	if diff := cmp.Diff([]string{"1 good", "3 good again"}, replay(t, j)); diff != "" {
		t.Errorf("stored (-want +got):\n%s", diff)
	}
}

func TestFailedWriteIsShown(t *testing.T) {
	j := open(t, t.TempDir(), func(c *Config) { c.WriteTimeout, c.Retry = 50*time.Millisecond, time.Hour })
	j.current().server.Shutdown()
	for range 2 { // the second is refused without a try
		if err := j.Append(t.Context()); err == nil || j.Check() == nil {
			t.Errorf("Append answers %v and Check %v, want errors", err, j.Check())
		}
	}
}

func TestServersWordsAreTheError(t *testing.T) {
	j := open(t, t.TempDir())
	ctx, cancel := context.WithCancelCause(t.Context())
	j.current().words.listen(cancel)
	j.current().words.Errorf("Critical write error: %v", "the disk is on fire")
	if _, err := j.current().publish(ctx, nil, 0); err == nil || !strings.Contains(err.Error(), "the disk is on fire") {
		t.Errorf("error is %v, want what the server says", err)
	}
}

func TestStreamThatLostItsEndIsNotWrittenOn(t *testing.T) {
	j := open(t, t.TempDir(), func(c *Config) { c.Retry = time.Hour })
	add(t, j, "a")
	j.last.Store(7)
	if err := j.reopen(t.Context()); err == nil || !strings.Contains(err.Error(), "start the hub again") {
		t.Errorf("error is %v, want one that says what to do", err)
	}
}

func TestFolderOfTheServerIsAFile(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "journal"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), startWithin/2)
	defer cancel()
	_, err := Open(ctx, Config{Dir: dir, Log: slog.New(slog.DiscardHandler)})
	if err == nil || ctx.Err() != nil || !strings.Contains(err.Error(), "journal") {
		t.Errorf("error is %v (%v), want the server's own at once", err, ctx.Err())
	}
}

func TestWriteOfUnknownOutcomeIsHandedOnOnce(t *testing.T) {
	var seen []uint64
	j := open(t, t.TempDir(), func(c *Config) { c.OnBlock = func(b Block) { seen = append(seen, b.Offset) } })
	add(t, j, "known")
	// What a write leaves that was stored, and whose answer was lost.
	if _, err := j.current().js.Publish(t.Context(), subject, encodeBlock(2, 1, []Record{{Kind: KindTraces, Payload: []byte("stored")}})); err != nil {
		t.Fatal(err)
	}
	if err := j.Append(t.Context(), Record{Kind: KindTraces, Payload: []byte("refused")}); err == nil {
		t.Error("a write that expected another end of the stream was acknowledged")
	}
	add(t, j, "next")
	if diff := cmp.Diff([]string{"1 known", "2 stored", "3 next"}, replay(t, j)); diff != "" {
		t.Errorf("stored (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]uint64{1, 2, 3}, seen); diff != "" {
		t.Errorf("handed on (-want +got):\n%s", diff)
	}
}

func TestTooLargeARecordIsRefused(t *testing.T) {
	j := open(t, t.TempDir())
	err := j.Append(t.Context(), Record{Payload: make([]byte, MaxRecord+1)})
	if !errors.Is(err, ErrTooLarge) || !strings.Contains(err.Error(), fmt.Sprint(MaxRecord)) {
		t.Errorf("error is %v, want ErrTooLarge with the limit", err)
	}
	if err := j.Append(t.Context(), Record{Payload: make([]byte, MaxRecord)}); err != nil {
		t.Errorf("a record of the limit's size: %v", err)
	}
}

func TestRetentionDropsTheOldest(t *testing.T) {
	j := open(t, t.TempDir(), func(c *Config) { c.MaxBytes = 64 << 10 })
	for i := range 40 {
		add(t, j, strings.Repeat(string(rune('a'+i%26)), 4<<10))
	}
	var first uint64
	n := 0
	err := j.Replay(t.Context(), 0, func(b Block) error {
		if n++; n == 1 {
			first = b.Offset
		}
		return b.Err
	})
	if err != nil {
		t.Fatal(err)
	}
	if first <= 1 || n < 10 || n > 16 {
		t.Errorf("%d blocks are kept from %d on, want about 15", n, first)
	}
}

func FuzzDecodeBlock(f *testing.F) {
	f.Add(encodeBlock(7, 9, []Record{{Kind: KindTraces, Payload: []byte("x")}, {Kind: KindLogs}}))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := decodeBlock(data)
		if err != nil {
			return
		}
		if again := encodeBlock(b.Seq, b.At, b.Records); !bytes.Equal(again[8:], data[8:]) {
			t.Errorf("%x decodes to what encodes as %x", data, again)
		}
	})
}

func BenchmarkAppend(b *testing.B) {
	for _, size := range []int{4 << 10, 150 << 10} {
		b.Run(fmt.Sprintf("%dKiB", size>>10), func(b *testing.B) {
			j := open(b, b.TempDir())
			payload := make([]byte, size)
			b.SetBytes(int64(size))
			for b.Loop() {
				if err := j.Append(b.Context(), Record{Kind: KindTraces, Payload: payload}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkAppendParallel(b *testing.B) {
	j := open(b, b.TempDir())
	payload := make([]byte, 4<<10)
	b.SetBytes(int64(len(payload)))
	b.SetParallelism(16)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if err := j.Append(b.Context(), Record{Kind: KindTraces, Payload: payload}); err != nil {
				b.Error(err)
			}
		}
	})
}

// TestEveryBlockIsSynced looks at the server's setting: that a block is on the
// disk itself, only a power cut could show.
func TestEveryBlockIsSynced(t *testing.T) {
	j := open(t, t.TempDir())
	if cfg := j.current().server.JetStreamConfig(); cfg == nil || !cfg.SyncAlways {
		t.Errorf("the log's server has %+v: a block is acknowledged before it is on the disk", cfg)
	}
	if addr := j.current().server.Addr(); addr != nil {
		t.Errorf("the log's server listens on %v", addr)
	}
}
