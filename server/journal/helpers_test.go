package journal

import (
	"context"
	"fmt"
	"log/slog"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// open opens a journal in dir that the test closes, and quiet.
func open(t testing.TB, dir string, change ...func(*Config)) *Journal {
	t.Helper()
	cfg := Config{Dir: dir, Log: slog.New(slog.DiscardHandler)}
	for _, c := range change {
		c(&cfg)
	}
	j, err := Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { shut(t, j) })
	return j
}

func shut(t testing.TB, j *Journal) {
	t.Helper()
	if err := j.Close(context.Background()); err != nil {
		t.Error(err)
	}
}

func add(t testing.TB, j *Journal, payloads ...string) {
	t.Helper()
	for _, p := range payloads {
		if err := j.Append(t.Context(), Record{Kind: KindTraces, Payload: []byte(p)}); err != nil {
			t.Fatal(err)
		}
	}
}

// replay returns every record as "offset payload", and "offset !" for a block
// with an error.
func replay(t testing.TB, j *Journal) []string {
	t.Helper()
	var got []string
	err := j.Replay(t.Context(), 0, func(b Block) error {
		if b.Err != nil {
			got = append(got, fmt.Sprint(b.Offset, " !"))
		}
		for _, r := range b.Records {
			got = append(got, fmt.Sprint(b.Offset, " ", string(r.Payload)))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}
