package recording

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/reconcile-tracer/tracer/server/flow"
	"github.com/reconcile-tracer/tracer/server/journal"
)

// TestReplayFoldsToTheSameRows is what a recording is for: whatever the journal
// holds, what is read from the file of it folds to the same rows, at the same
// offset and time, and tells the same damage; and it can be written once more.
func TestReplayFoldsToTheSameRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		blocks := session(t)
		if len(blocks) == 0 {
			return
		}
		rows, notes := fold(t, blocks)
		file, counts := write(t, blocks, rapid.Bool().Draw(t, "gzip"), Cut{})
		again, sum := read(t, file)
		gotRows, gotNotes := fold(t, again)
		if diff := cmp.Diff(rows, gotRows); diff != "" {
			t.Fatalf("the replay has other rows (-journal +replay):\n%s", diff)
		}
		if diff := cmp.Diff(notes, gotNotes); diff != "" {
			t.Fatalf("the replay has other damage (-journal +replay):\n%s", diff)
		}
		if counts != sum.Counts || !sum.Marked || sum.Left != 0 {
			t.Fatalf("written were %+v, read %+v", counts, sum)
		}
		plain, _ := write(t, blocks, false, Cut{})
		if second, _ := write(t, again, false, Cut{}); !bytes.Equal(plain, second) {
			t.Fatalf("written again, the file is another:\n%s\n%s", plain, second)
		}
	})
}

// TestEachLineIsARequest: nothing in a file is anything but what the Collector
// writes, one request a line.
func TestEachLineIsARequest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		file, _ := write(t, session(t), false, Cut{})
		for line := range bytes.Lines(file) {
			var request map[string]json.RawMessage
			if err := json.Unmarshal(line, &request); err != nil || len(request) != 1 {
				t.Fatalf("%v: %s", err, line)
			}
			if request["resourceSpans"] == nil && request["resourceLogs"] == nil {
				t.Fatalf("no request of a file exporter: %s", line)
			}
		}
	})
}

// TestWindowKeepsWhatItShows: the reconciles that reach into a window are the same in a
// recording of it as in one of everything, and their causes are still joined.
func TestWindowKeepsWhatItShows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		blocks := slices.DeleteFunc(session(t), func(b journal.Block) bool { return b.Err != nil })
		rows := rowsOf(blocks)
		w := Window{Since: t0 + rapid.Int64Range(0, 20_000_000).Draw(t, "since")}
		if rapid.Bool().Draw(t, "bounded") {
			w.Until = w.Since + rapid.Int64Range(1, 10_000_000).Draw(t, "long")
		}
		if rapid.Bool().Draw(t, "one controller") && hasController(rows, "podset") {
			w.Controllers = []string{"podset"}
		}
		cut, err := Plan(rows, w)
		if err != nil {
			t.Fatalf("%v", err)
		}
		file, _ := write(t, blocks, false, cut)
		var got []flow.Row
		if len(file) > 0 {
			kept, _ := read(t, file)
			got = rowsOf(kept)
		}
		have := reconciles(got)
		for key, r := range reconciles(rows) {
			if w.wants(r) && r.To > 0 {
				if diff := cmp.Diff(comparable(r), comparable(have[key])); diff != "" {
					t.Fatalf("a reconcile of the window is another (-all +window):\n%s", diff)
				}
			}
		}
		for _, row := range got {
			if gap, ok := row.(*flow.Gap); ok && !slices.ContainsFunc(rows, sameGap(gap)) && gap.Reason != "retention" {
				t.Fatalf("the cut has made a gap: %+v", gap)
			}
		}
	})
}

func rowsOf(blocks []journal.Block) []flow.Row {
	state := flow.New(flow.Limits{})
	for _, b := range blocks {
		state.Step(inputOf(b))
	}
	return state.Rows()
}

func hasController(rows []flow.Row, name string) bool {
	return slices.ContainsFunc(rows, func(row flow.Row) bool {
		c, ok := row.(*flow.Controller)
		return ok && c.Key == name
	})
}

// comparable is a reconcile without what others have done to it since.
func comparable(r *flow.Reconcile) *flow.Reconcile {
	if r == nil {
		return nil
	}
	out := *r
	out.Writes = slices.Clone(r.Writes)
	for i := range out.Writes {
		out.Writes[i].SeenAt = 0
	}
	return &out
}

func sameGap(g *flow.Gap) func(flow.Row) bool {
	return func(row flow.Row) bool {
		other, ok := row.(*flow.Gap)
		return ok && other.Source == g.Source && other.First <= g.First && g.Last <= other.Last
	}
}

// foreign is what a Collector writes that knows nothing of us: other
// attributes, several signals, no place in a journal.
const foreign = `{"resourceMetrics":[{"resource":{}}]}
{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"backup"}}]},"scopeSpans":[{"scope":{"name":"github.com/reconcile-tracer/tracer"},"spans":[{"traceId":"5b8efff798038103d269b633813fc60c","spanId":"eee19b7ec3c1b174","name":"reconcile backup","kind":1,"startTimeUnixNano":"1767225600001000000","endTimeUnixNano":"1767225600005000000","attributes":[{"key":"reconcile.controller","value":{"stringValue":"backup"}},{"key":"k8s.object.name","value":{"stringValue":"nightly"}},{"key":"reconcile.result","value":{"stringValue":"success"}}],"status":{}}]}]}]}

{"resourceLogs":[{"resource":{},"scopeLogs":[{"scope":{},"logRecords":[{"timeUnixNano":"1767225599000000000","body":{"stringValue":"hello"}}]}]}]}`

func TestFileOfAnotherWriter(t *testing.T) {
	blocks, sum := read(t, []byte(foreign))
	if sum.Marked || sum.Skipped != 1 || sum.Counts != (Counts{2, 1, 1}) {
		t.Errorf("the summary is %+v", sum)
	}
	var at []int64
	for _, b := range blocks {
		at = append(at, b.At-t0)
	}
	if diff := cmp.Diff([]int64{5000, 5000}, at); diff != "" {
		t.Errorf("the blocks are of other times (-want +got):\n%s", diff)
	}
	rows := reconciles(rowsOf(blocks))
	if r := rows["5b8efff798038103d269b633813fc60c"]; r == nil || r.Item != "nightly" || r.Result != "success" {
		t.Errorf("the reconcile is %+v", r)
	}
}

func zip(t testing.TB, data string) string {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	must[int](t)(io.WriteString(w, data))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestWhatIsNoRecordingSaysWhatItIs, in which line, and what to do.
func TestWhatIsNoRecordingSaysWhatItIs(t *testing.T) {
	one := strings.Split(foreign, "\n")[1] + "\n"
	marked := func(offset int) string {
		return fmt.Sprintf(`{"resourceLogs":[{"resource":{"attributes":[{"key":%q,"value":{"intValue":"%d"}}]}}]}`, AttrOffset, offset) + "\n"
	}
	for name, c := range map[string]struct{ file, want string }{
		"nothing":             {"", "it is empty: give OTLP in JSON"},
		"spaces":              {" \n\n", "it is empty but for spaces"},
		"YAML":                {"# a PodSet\nkind: PodSet\nspec:\n", "it is text that looks like YAML"},
		"YAML document":       {"---\nkind: PodSet\n", "it is YAML"},
		"text":                {"once upon a time\n", "it is text, and no JSON"},
		"PNG":                 {"\x89PNG\r\n\x1a\n\x00\x00", "it is a PNG picture"},
		"zstd":                {"\x28\xb5\x2f\xfd\x00", "it is compressed with zstd: zstdcat FILE | tracer replay -"},
		"tar":                 {strings.Repeat("x", 257) + "ustar\x00", "it is a tar archive"},
		"array":               {"[" + one + "]", "it is a JSON array, and no OTLP JSON lines"},
		"protobuf":            {"\x0a\x84\x01\x0a\x10\x00", "it is binary, perhaps OTLP in protobuf: write it as JSON"},
		"protobuf lines":      {"\x00\x00\x01\x02\x0a\x84\x01", "it is binary, perhaps OTLP in protobuf"},
		"other JSON":          {`{"kind":"PodSet"}` + "\n", `line 1: it is JSON and no OTLP request: it begins with "kind"`},
		"other JSON later":    {one + `{"kind":"PodSet"}` + "\n", `line 2: it is JSON and no OTLP request`},
		"wrong types":         {one + `{"resourceSpans":7}` + "\n", `line 2: it is JSON and no OTLP request`},
		"no JSON later":       {one + "oops\n" + one, "line 2: it is not JSON: "},
		"pretty":              {"{\n \"resourceSpans\": []\n}\n", "line 1: the request goes over several lines: write each on one line: jq -c . FILE"},
		"cut off":             {one + one[:200], "line 2: it is cut off in the middle: "},
		"metrics":             {`{"resourceMetrics":[]}` + "\n", "it is OTLP without spans or log records (metrics"},
		"gzip cut off":        {zip(t, strings.Repeat(one, 3))[:300], "the gzip is cut off here"},
		"gzip damaged":        {zip(t, one)[:40] + "damaged" + zip(t, one)[47:], "the gzip is"},
		"gzip of a PNG":       {zip(t, "\x89PNG\r\n\x1a\n"), "it is a gzip of what is no recording: a PNG picture"},
		"gzip of a gzip":      {zip(t, zip(t, one)), "it is a gzip of what is no recording: a gzip within a gzip: gunzip it once"},
		"two recordings":      {marked(1) + marked(2) + marked(1), "line 3: its position is 1, and the one before has 2: are these two recordings in one file?"},
		"nested deep":         {`{"resourceSpans":` + strings.Repeat("[", 500) + strings.Repeat("]", 500) + "}\n", "line 1: it is JSON and no OTLP request: a value is nested too deep"},
		"a line without end":  {`{"resourceSpans":[` + strings.Repeat(" ", MaxLine) + "]}\n", "line 1: it is longer than the limit of 32 MiB"},
		"null":                {"{\"resourceSpans\":[]}\nnull\n", "line 2: it is JSON and no OTLP request"},
		"a web page's answer": {"<!DOCTYPE html>", "it is HTML or XML"},
	} {
		_, err := Read(strings.NewReader(c.file), func(journal.Block) error { return nil })
		var format *FormatError
		if !errors.As(err, &format) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: Read says %v, want %q", name, err, c.want)
		}
		if format != nil && (format.Remedy == "" || strings.Contains(err.Error(), "\n")) {
			t.Errorf("%s: %q has no remedy, or is more than a line", name, err)
		}
	}
}

// TestReadPassesOnWhatFails: the reader's and the taker's own errors stay themselves.
func TestReadPassesOnWhatFails(t *testing.T) {
	mine := errors.New("mine")
	if _, err := Read(strings.NewReader(foreign), func(journal.Block) error { return mine }); !errors.Is(err, mine) {
		t.Errorf("the taker's error comes back as %v", err)
	}
	if _, err := Read(os.NewFile(^uintptr(0), "closed"), func(journal.Block) error { return nil }); err == nil || errors.As(err, new(*FormatError)) {
		t.Errorf("a file that cannot be read gives %v", err)
	}
}

// TestSecretsAreNotShown: a file that somebody else wrote is redacted like what is sent.
func TestSecretsAreNotShown(t *testing.T) {
	file := strings.ReplaceAll(foreign, "hello", "Bearer abcdefghijklmnop")
	blocks, _ := read(t, []byte(file))
	for _, b := range blocks {
		for _, r := range b.Records {
			if bytes.Contains(r.Payload, []byte("abcdefghijklmnop")) {
				t.Error("a bearer token is in the payload")
			}
		}
	}
}

// FuzzRead reads anything: no panic, positions that never go back, and what was
// read can be written and read again.
func FuzzRead(f *testing.F) {
	f.Add([]byte(foreign))
	f.Add([]byte(zip(f, foreign)))
	f.Add([]byte(`{"resourceLogs":[{"resource":{"attributes":[{"key":"tracer.recording.offset","value":{"intValue":"3"}},{"key":"tracer.recording.received_us","value":{"intValue":"9"}},{"key":"tracer.recording.damaged","value":{"stringValue":"x"}}]}}]}`))
	f.Add([]byte("\x89PNG\r\n\x1a\n"))
	f.Add([]byte("kind: PodSet\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var blocks []journal.Block
		_, err := Read(bytes.NewReader(data), func(b journal.Block) error {
			if n := len(blocks); n > 0 && (b.Offset <= blocks[n-1].Offset || b.At < blocks[n-1].At) {
				t.Fatalf("block %d at %d comes after %d at %d", b.Offset, b.At, blocks[n-1].Offset, blocks[n-1].At)
			}
			blocks = append(blocks, b)
			return nil
		})
		if err != nil || len(blocks) == 0 {
			return
		}
		rows, _ := fold(t, blocks)
		file, _ := write(t, blocks, false, Cut{})
		again, _ := read(t, file)
		got, _ := fold(t, again)
		if diff := cmp.Diff(rows, got); diff != "" {
			t.Fatalf("written and read again, there are other rows (-before +after):\n%s", diff)
		}
	})
}
