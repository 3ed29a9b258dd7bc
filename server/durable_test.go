package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/reconcile-tracer/tracer/server/flow"
	"github.com/reconcile-tracer/tracer/server/journal"
	"github.com/reconcile-tracer/tracer/server/otlp"
)

// gaps are the hub's gap rows that speak of the journal.
func (r *running) gaps() []flow.Gap {
	r.t.Helper()
	var out []flow.Gap
	for _, line := range r.rowLines("?row=gap") {
		var g flow.Gap
		if err := json.Unmarshal([]byte(line), &g); err != nil {
			r.t.Fatal(err)
		}
		if g.Source == journalSource {
			out = append(out, g)
		}
	}
	return out
}

func TestDamageToTheJournalBecomesAGap(t *testing.T) {
	dir := t.TempDir()
	h := start(t, func(c *Config) { c.Data = dir })
	for n := range byte(3) {
		h.send(n + 1)
	}
	h.await("three reconciles", func() bool { return len(h.rowLines("?row=reconcile")) == 3 })
	h.stop()
	damage(t, dir, traceID(2))

	h = start(t, func(c *Config) { c.Data = dir })
	if n := len(h.rowLines("?row=reconcile")); n != 2 {
		t.Errorf("%d reconciles are there, want the two others", n)
	}
	want := []flow.Gap{{Row: flow.RowGap, Key: "journal//2", Source: "journal", First: 2, Last: 2, Reason: "corrupt_block"}}
	got := h.gaps()
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(flow.Gap{}, "From", "To")); diff != "" {
		t.Errorf("gaps (-want +got):\n%s", diff)
	}
	if len(got) == 1 && (got[0].From == 0 || got[0].To < got[0].From) {
		t.Errorf("the gap is from %d to %d", got[0].From, got[0].To)
	}
	h.stop()
	h = start(t, func(c *Config) { c.Data = dir })
	if diff := cmp.Diff(got, h.gaps()); diff != "" {
		t.Errorf("the next start tells another gap (-before +after):\n%s", diff)
	}
}

func traceID(n byte) []byte { return append([]byte{n, 1}, make([]byte, 14)...) }

// damage flips a byte after the first place where the journal's files hold
// what.
func damage(t *testing.T, dir string, what []byte) {
	t.Helper()
	done := false
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".blk") {
			return err
		}
		data, err := os.ReadFile(path)
		if i := bytes.Index(data, what); err == nil && i >= 0 {
			data[i+len(what)-1] ^= 1
			done = true
			err = os.WriteFile(path, data, 0o600)
		}
		return err
	})
	if err != nil || !done {
		t.Fatalf("nothing was damaged (%v)", err)
	}
}

// TestTimePassesWithoutTraffic: a controller that falls silent is seen to be
// gone, though nobody sends anything any more.
func TestTimePassesWithoutTraffic(t *testing.T) {
	if testing.Short() {
		t.Skip("takes as long as a controller may be silent")
	}
	h := start(t)
	h.send(1)
	connected := func(want string) func() bool {
		return func() bool {
			return strings.Contains(strings.Join(h.rowLines("?row=controller"), ""), `"connected":`+want)
		}
	}
	h.await("the controller", connected("true"))
	h.await("the controller to be gone", connected("false"))
}

// TestStopLosesNothing stops the hub while many send: what was acknowledged is
// there after the next start.
func TestStopLosesNothing(t *testing.T) {
	dir := t.TempDir()
	h := start(t, func(c *Config) { c.Data = dir })
	var mu sync.Mutex
	acknowledged := 0
	var wg sync.WaitGroup
	for n := range byte(40) {
		wg.Go(func() {
			res, err := h.try(onePass(t, n+1))
			if err == nil && res == 200 {
				mu.Lock()
				defer mu.Unlock()
				acknowledged++
			}
			if n == 20 {
				go h.cancel()
			}
		})
	}
	wg.Wait()
	h.stop()
	h = start(t, func(c *Config) { c.Data = dir })
	if n := len(h.rowLines("?row=reconcile")); n < acknowledged {
		t.Errorf("%d reconciles are there, %d were acknowledged", n, acknowledged)
	}
}

func TestFullJournalAsksToSendAgain(t *testing.T) {
	if err := storeError(fmt.Errorf("appending: %w", journal.ErrFull)); !errors.Is(err, otlp.ErrBusy) {
		t.Errorf("a full journal gives %v, want ErrBusy", err)
	}
	if err := storeError(journal.ErrClosed); errors.Is(err, otlp.ErrBusy) || err == nil {
		t.Errorf("a closed journal gives %v, want its own error", err)
	}
}

// TestEndOfTheJournalCutOff: acknowledged blocks that the disk has lost are a
// gap, and positions from before are of another history.
func TestEndOfTheJournalCutOff(t *testing.T) {
	dir := t.TempDir()
	h := start(t, func(c *Config) { c.Data = dir })
	for n := range byte(3) {
		h.send(n + 1)
	}
	epoch := h.journal.Epoch()
	last := h.journal.Last()
	h.stop()
	cutOff(t, dir, traceID(3))

	h = start(t, func(c *Config) { c.Data = dir })
	if h.journal.Epoch() == epoch {
		t.Error("the epoch is the same")
	}
	h.await("the gap", func() bool { return len(h.gaps()) == 1 })
	if g := h.gaps()[0]; g.Epoch != epoch || g.Last != int64(last) || g.First > g.Last || g.Reason != "corrupt_block" {
		t.Errorf("the gap is %+v, want one of %s up to %d", g, epoch, last)
	}
	if n := len(h.rowLines("?row=reconcile")); n != 2 {
		t.Errorf("%d reconciles are there, want 2", n)
	}
}

// cutOff cuts the journal's file off where it holds what, and takes the index
// away, as a crash would.
func cutOff(t *testing.T, dir string, what []byte) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".blk") {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		_ = os.Remove(filepath.Join(filepath.Dir(path), "index.db"))
		return os.WriteFile(path, data[:bytes.Index(data, what)], 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
}
