package otlp

import (
	"bytes"
	"runtime"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/ptrace"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
)

// within is a request that has one element repeated to the full size of a body,
// inside of the given fields.
func within(element []byte, path ...protowire.Number) []byte {
	body := bytes.Repeat(element, (6<<20-64)/len(element))
	for i := len(path) - 1; i >= 0; i-- {
		body = protowire.AppendBytes(protowire.AppendTag(nil, path[i], protowire.BytesType), body)
	}
	return body
}

func repeatedJSON(element, before, after string) []byte {
	return []byte(before + element + strings.Repeat(","+element, (6<<20-200)/(len(element)+1)) + after)
}

// bombs are bodies of which each element is as small as it can be. They are
// next to nothing once compressed.
func bombs() map[string][]byte {
	empty := func(field protowire.Number) []byte {
		return protowire.AppendBytes(protowire.AppendTag(nil, field, protowire.BytesType), nil)
	}
	return map[string][]byte{
		"resources":    within(empty(1)),
		"scopes":       within(empty(2), 1),
		"spans":        within(empty(2), 1, 2),
		"attributes":   within(empty(9), 1, 2, 2),
		"events":       within(empty(11), 1, 2, 2),
		"links":        within(empty(13), 1, 2, 2),
		"of an event":  within(empty(3), 1, 2, 2, 11),
		"values":       within(empty(1), 1, 2, 2, 9, 2, 5),
		"pairs":        within(empty(1), 1, 2, 2, 9, 2, 6),
		"entities":     within(empty(3), 1, 1),
		"keys":         within(empty(3), 1, 1, 3),
		"of the scope": within(empty(3), 1, 2, 1),
		"JSON objects": repeatedJSON("{}", `{"resourceSpans":[`, `]}`),
		"JSON nulls":   repeatedJSON("null", `{"resourceSpans":[{"scopeSpans":[{"spans":[`, `]}]}]}`),
		"JSON numbers": repeatedJSON("1", `{"resourceSpans":[`, `]}`),
		"JSON arrays":  repeatedJSON("[]", `{"resourceSpans":[`, `]}`),
	}
}

// TestSmallThingsDoNotAddUp sends what is small on the wire and large decoded.
func TestSmallThingsDoNotAddUp(t *testing.T) {
	for name, body := range bombs() {
		t.Run(name, func(t *testing.T) {
			r, store := newReceiver()
			header := []string{"Content-Encoding", "gzip"}
			if strings.HasPrefix(name, "JSON") {
				header = append(header, "Content-Type", typeJSON)
			}
			wire := zip(t, body)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			w := post(r, Traces, wire, header...)
			runtime.ReadMemStats(&after)
			if w.Code != 413 || !strings.Contains(w.Body.String(), "smaller batches") || store.count() != 0 {
				t.Errorf("answer %d %q, %d stored; want 413 and none", w.Code, w.Body, store.count())
			}
			// Reading a body whose size is unknown takes some times its size.
			if mib := (after.TotalAlloc - before.TotalAlloc) >> 20; mib > 64 {
				t.Errorf("%d bytes on the wire took %d MiB, want at most 64", len(wire), mib)
			}
		})
	}
}

func TestGRPCRefusesWhatIsLargeDecoded(t *testing.T) {
	r, _ := newReceiver()
	_, err := r.accept(t.Context(), Traces, bombs()["spans"], false)
	if got := status.Code(statusError(err)); got != codes.InvalidArgument {
		t.Errorf("code %v, want InvalidArgument: to send the same again is of no use", got)
	}
}

// TestLargeBatchIsWithinTheBudget is what a collector sends in its largest
// batch by default.
func TestLargeBatchIsWithinTheBudget(t *testing.T) {
	fill := make([]func(ptrace.Span), 8192)
	for i := range fill {
		fill[i] = func(s ptrace.Span) {
			for _, name := range strings.Split("abcdefghijkl", "") {
				s.Attributes().PutStr("attribute."+name, "value")
			}
		}
	}
	r, _ := newReceiver()
	if w := post(r, Traces, encoded(t, traces(fill...))); w.Code != 200 {
		t.Errorf("answer %d %q, want 200", w.Code, w.Body)
	}
}
