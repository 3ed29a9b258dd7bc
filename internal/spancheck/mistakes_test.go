package spancheck

import (
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// mistake is one thing done wrong, and what the one finding about it says.
type mistake struct {
	name     string
	do       func(*stream)
	severity Severity
	rule, on string
	problem  string
}

func put(span, name string, value any) func(*stream) {
	return func(s *stream) {
		if err := s.spans[span].Attributes().PutEmpty(name).FromRaw(value); err != nil {
			panic(err)
		}
	}
}

func drop(span, name string) func(*stream) {
	return func(s *stream) { s.spans[span].Attributes().Remove(name) }
}

var mistakes = []mistake{
	{"other scope", func(s *stream) { s.scope.Scope().SetName("kopf") }, Wrong, ruleScope, "", `come in scope "kopf"`},
	{"unknown span", func(s *stream) { s.add(9, 1, "Fetch", 20, 20); s.unnumber() }, Wrong, ruleName, "Fetch", "no span of this name"},
	{"no service name", func(s *stream) { s.traces.ResourceSpans().At(0).Resource().Attributes().Remove("service.name") }, Wrong, ruleResource, "", "service.name is missing"},
	{"no trace id", func(s *stream) {
		sp := s.add(9, 1, semconv.SpanFetch, 20, 20)
		sp.SetTraceID(pcommon.TraceID{})
		s.unnumber()
	}, Wrong, ruleID, semconv.SpanFetch, "is missing"},
	{"same ids", func(s *stream) { s.add(3, 1, semconv.SpanFetch, 20, 20) }, Wrong, ruleID, semconv.SpanFetch, "has the same ids"},
	{"sent twice", func(s *stream) { s.add(3, 1, semconv.SpanFetch, 10, 20) }, Note, ruleRepeated, semconv.SpanFetch, "sent before, in line 2"},

	{"no end", func(s *stream) { s.spans[semconv.SpanRead].SetEndTimestamp(0) }, Wrong, ruleTime, semconv.SpanRead, "start or its end is missing"},
	{"milliseconds", func(s *stream) { s.spans[semconv.SpanRead].SetEndTimestamp(second / 1_000_000) }, Wrong, ruleTime, semconv.SpanRead, "no times of this century"},
	{"ends before it starts", func(s *stream) { s.spans[semconv.SpanRead].SetEndTimestamp(at(11) - 5) }, Wrong, ruleTime, semconv.SpanRead, "ends 5 ns before it starts"},

	{"name and controller differ", put(rootKey, semconv.AttrController, "other"), Wrong, ruleName, rootKey, `"other" differ`},
	{"root has a parent", func(s *stream) { s.spans[rootKey].SetParentSpanID(pcommon.SpanID{99}) }, Wrong, ruleParent, rootKey, "has the parent 63"},
	{"id is not the trace id", put(rootKey, semconv.AttrID, "abc"), Wrong, ruleValue, rootKey, `reconcile.id is "abc"`},
	{"no object", drop(rootKey, semconv.AttrObjectName), Wrong, ruleMissing, rootKey, "k8s.object.name is missing"},
	{"no result", drop(rootKey, semconv.AttrResult), Wrong, ruleMissing, rootKey, "reconcile.result is missing"},
	{"empty result", put(rootKey, semconv.AttrResult, ""), Wrong, ruleMissing, rootKey, "reconcile.result is missing"},
	{"unknown result", put(rootKey, semconv.AttrResult, "ok"), Wrong, ruleValue, rootKey, `is "ok"`},
	{"int as string", put(rootKey, semconv.AttrWorker, "1"), Wrong, ruleType, rootKey, `reconcile.worker is the string "1"`},
	{"int as double", put(rootKey, semconv.AttrWorker, 1.0), Wrong, ruleType, rootKey, "is the double 1"},
	{"bool as string", put(rootKey, semconv.AttrObjectDeleting, "true"), Wrong, ruleType, rootKey, `is the string "true"`},
	{"string as int", put(rootKey, semconv.AttrObjectResourceVersion, 12), Wrong, ruleType, rootKey, "is the int 12"},
	{"list as string", put(rootKey, semconv.AttrObjectFields, "a=b"), Wrong, ruleType, rootKey, `is the string "a=b"`},
	{"list of ints", put(rootKey, semconv.AttrObjectFields, []any{1}), Wrong, ruleType, rootKey, "something else than strings"},
	{"attribute is a map", put(rootKey, semconv.AttrObjectFields, map[string]any{"a": "b"}), Wrong, ruleType, rootKey, "is a map"},
	{"unknown attribute", put(rootKey, "reconcile.rezult", "x"), Note, ruleUnknown, rootKey, "reconcile.rezult is not in the contract"},
	{"error text", put(rootKey, semconv.AttrErrorType, "pods \"a\" already exists"), Wrong, ruleValue, rootKey, "holds a text"},

	{"no cause", func(s *stream) {
		s.spans[semconv.SpanDequeue].Events().RemoveIf(func(ptrace.SpanEvent) bool { return true })
	}, Wrong, ruleCause, semconv.SpanDequeue, "it has no cause"},
	{"too many causes", func(s *stream) {
		events := s.spans[semconv.SpanDequeue].Events()
		for range semconv.MaxCauses {
			events.At(0).CopyTo(events.AppendEmpty())
		}
	}, Wrong, ruleCause, semconv.SpanDequeue, "it has 65 causes"},
	{"cause without a kind", func(s *stream) { s.spans[semconv.SpanDequeue].Events().At(0).Attributes().Clear() }, Wrong, ruleMissing, "dequeue event cause", "reconcile.cause is missing"},
	{"unknown cause", func(s *stream) {
		s.spans[semconv.SpanDequeue].Events().At(0).Attributes().PutStr(semconv.AttrCause, "created")
	}, Wrong, ruleValue, "dequeue event cause", `is "created"`},
	{"changes that are no list", func(s *stream) {
		s.spans[semconv.SpanDequeue].Events().At(0).Attributes().PutStr(semconv.AttrCauseChanged, "data")
	}, Wrong, ruleType, "dequeue event cause", `is the string "data"`},
	{"cause without a time", func(s *stream) { s.spans[semconv.SpanDequeue].Events().At(0).SetTimestamp(0) }, Wrong, ruleTime, "dequeue event cause", "its time is 0"},
	{"plan without a verb", func(s *stream) {
		s.spans[semconv.SpanCompute].Events().At(0).Attributes().Remove(semconv.AttrActionVerb)
	}, Wrong, ruleMissing, "compute event plan.action", "reconcile.action.verb is missing"},

	{"read from nowhere", drop(semconv.SpanRead, semconv.AttrReadSource), Wrong, ruleMissing, semconv.SpanRead, "reconcile.read.source is missing"},
	{"read from elsewhere", put(semconv.SpanRead, semconv.AttrReadSource, "etcd"), Wrong, ruleValue, semconv.SpanRead, `is "etcd"`},
	{"stale since in milliseconds", put(semconv.SpanRead, semconv.AttrReadStaleSince, second/1_000_000), Wrong, ruleValue, semconv.SpanRead, "in microseconds"},

	{"write of kind internal", func(s *stream) { s.spans[semconv.SpanWrite].SetKind(ptrace.SpanKindInternal) }, Wrong, ruleWrite, semconv.SpanWrite, "its kind is Internal"},
	{"write without a method", drop(semconv.SpanWrite, semconv.AttrHTTPMethod), Wrong, ruleMissing, semconv.SpanWrite, "http.request.method is missing"},
	{"write without a resource", drop(semconv.SpanWrite, semconv.AttrWriteResource), Wrong, ruleMissing, semconv.SpanWrite, "reconcile.write.resource is missing"},
	{"write without an answer or an error", drop(semconv.SpanWrite, semconv.AttrHTTPStatus), Wrong, ruleWrite, semconv.SpanWrite, "it has neither"},
	{"status as string", put(semconv.SpanWrite, semconv.AttrHTTPStatus, "201"), Wrong, ruleType, semconv.SpanWrite, `is the string "201"`},
	{"write without its version", drop(semconv.SpanWrite, semconv.AttrWriteResourceVersionNew), Note, ruleWrite, semconv.SpanWrite, "which resourceVersion it made"},
	{"foreign audit id", put(semconv.SpanWrite, semconv.AttrAuditID, "abc"), Wrong, ruleWrite, semconv.SpanWrite, `audit-id is "abc"`},
	{"no-op that moved the version", func(s *stream) {
		put(semconv.SpanWrite, semconv.AttrWriteNoop, true)(s)
		put(semconv.SpanWrite, semconv.AttrWriteResourceVersionOld, "6")(s)
	}, Wrong, ruleWrite, semconv.SpanWrite, `a no-op from version "6" to "7"`},

	{"no root", func(s *stream) { s.remove(rootKey) }, Wrong, ruleRoot, semconv.SpanDequeue, "has no root"},
	{"two roots", func(s *stream) {
		second := s.scope.Spans().AppendEmpty()
		s.scope.Spans().At(0).CopyTo(second) // the slice has moved
		second.SetSpanID(pcommon.SpanID{9})
		s.unnumber()
	}, Wrong, ruleRoot, rootKey, "has another root"},
	{"phase that is not the root's child", func(s *stream) { s.spans[semconv.SpanFetch].SetParentSpanID(pcommon.SpanID{2}) }, Wrong, ruleParent, semconv.SpanFetch, ", dequeue"},
	{"parent is not in the file", func(s *stream) { s.spans[semconv.SpanWrite].SetParentSpanID(pcommon.SpanID{77}) }, Wrong, ruleParent, semconv.SpanWrite, "which is not in the file"},
	{"write without a parent", func(s *stream) { s.spans[semconv.SpanWrite].SetParentSpanID(pcommon.SpanID{}) }, Wrong, ruleParent, semconv.SpanWrite, "its parent is none"},
	{"read below compute", func(s *stream) {
		s.spans[semconv.SpanRead].SetParentSpanID(pcommon.SpanID{5})
		s.spans[semconv.SpanRead].SetStartTimestamp(at(21))
		s.spans[semconv.SpanRead].SetEndTimestamp(at(22))
	}, Note, ruleParent, semconv.SpanRead, "its parent is compute"},
	{"overlap", func(s *stream) { s.spans[semconv.SpanFetch].SetEndTimestamp(at(21)) }, Wrong, ruleOverlap, semconv.SpanCompute, "1ms before fetch of line 2 ends"},
	{"child outlives the root", func(s *stream) { s.spans[semconv.SpanRequeue].SetEndTimestamp(at(51)) }, Wrong, ruleOutside, semconv.SpanRequeue, "ends -1ms before it"},
	{"read begins before fetch", func(s *stream) { s.spans[semconv.SpanRead].SetStartTimestamp(at(9)) }, Wrong, ruleOutside, semconv.SpanRead, "-1ms after"},
	{"requeue is not last", func(s *stream) { s.add(9, 1, semconv.SpanCompute, 50, 50); s.unnumber() }, Wrong, ruleOrder, semconv.SpanRequeue, "compute comes after it"},
	{"dequeue is not first", func(s *stream) {
		s.spans[semconv.SpanDequeue].SetStartTimestamp(at(20))
		s.spans[semconv.SpanDequeue].SetEndTimestamp(at(20))
	}, Wrong, ruleOrder, semconv.SpanDequeue, "it comes after fetch"},
	{"no dequeue", func(s *stream) { s.remove(semconv.SpanDequeue) }, Wrong, ruleOrder, rootKey, "has no dequeue"},
	{"no requeue", func(s *stream) { s.remove(semconv.SpanRequeue) }, Wrong, ruleOrder, rootKey, "has no requeue"},

	{"a hole", func(s *stream) { s.lastNumber(9) }, Wrong, ruleSeq, semconv.SpanRequeue, "number 8 is missing before it"},
	{"a larger hole", func(s *stream) { s.lastNumber(11) }, Wrong, ruleSeq, semconv.SpanRequeue, "numbers 8 to 10 are missing"},
	{"a hole that is explained", func(s *stream) {
		s.lastNumber(9)
		s.scope.Scope().Attributes().PutInt(semconv.AttrEmitterDropped, 1)
	}, Note, ruleSeq, semconv.SpanRequeue, "emitter.dropped says so too"},
	{"one number twice", put(semconv.SpanRequeue, semconv.AttrSeq, 7), Wrong, ruleSeq, semconv.SpanRequeue, `"write" in line 2 has the number 7 too`},
	{"number 0", put(semconv.SpanRequeue, semconv.AttrSeq, 0), Wrong, ruleSeq, semconv.SpanRequeue, "reconcile.seq is 0"},
	{"one without a number", drop(semconv.SpanRequeue, semconv.AttrSeq), Wrong, ruleSeq, semconv.SpanRequeue, "it has no number"},
	{"no epoch", func(s *stream) { s.scope.Scope().Attributes().Remove(semconv.AttrEmitterEpoch) }, Wrong, ruleSeq, rootKey, "no emitter.epoch"},
	{"outside its request", func(s *stream) { s.scope.Scope().Attributes().PutInt(semconv.AttrEmitterLastSeq, 7) }, Wrong, ruleSeq, semconv.SpanRequeue, "8 is not between 1 and 7"},
	{"claim upside down", func(s *stream) { s.unnumber(); s.claim(5, 3) }, Wrong, ruleSeq, "", "says 5 to 3"},
	{"begins in the middle", func(s *stream) { s.drag(10) }, Note, ruleSeq, rootKey, "begin at 11"},
	{"not numbered", (*stream).unnumber, Note, ruleUnnumbered, "", "are not numbered"},

	{"no event name", func(s *stream) { s.item.SetEventName("") }, Wrong, ruleLog, "", "has no event name"},
	{"unknown record", func(s *stream) { s.item.SetEventName("queue.items") }, Wrong, ruleLog, "queue.items", "no log record"},
	{"record without a controller", func(s *stream) { s.item.Attributes().Remove(semconv.AttrController) }, Wrong, ruleMissing, "queue.item", "reconcile.controller is missing"},
	{"record without a time", func(s *stream) { s.item.SetTimestamp(0) }, Wrong, ruleTime, "queue.item", "its time is 0"},
	{"since in nanoseconds", func(s *stream) { s.item.Attributes().PutInt(semconv.AttrItemReadySince, second) }, Wrong, ruleValue, "queue.item", "in microseconds"},
	{"causes as a string", func(s *stream) { s.item.Attributes().PutStr(semconv.AttrItemReadyCauses, "add") }, Wrong, ruleType, "queue.item", `is the string "add"`},
	{"records in another scope", func(s *stream) { s.logs.ResourceLogs().At(0).ScopeLogs().At(0).Scope().SetName("kopf") }, Wrong, ruleScope, "", "log records of the contract"},
	{"open span without ids", func(s *stream) {
		s.item.SetEventName(semconv.LogSpanStart)
		s.item.Attributes().PutStr(semconv.AttrSpanName, semconv.SpanFetch)
		s.item.Attributes().PutInt(semconv.AttrSpanStart, second/1000)
	}, Wrong, ruleID, "span.start", "is missing"},
	{"no state", func(s *stream) { s.state.SetEventName(semconv.LogDrop) }, Note, "controller-state", "", "there is none"},
}

func TestMistakes(t *testing.T) {
	for _, m := range mistakes {
		t.Run(m.name, func(t *testing.T) {
			s := newStream()
			m.do(s)
			var found []Finding
			for _, f := range check(t, s.lines(t)).Findings {
				// Taking the numbers away is how some cases add a span.
				if f.Rule != ruleUnnumbered || m.rule == ruleUnnumbered {
					found = append(found, f)
				}
			}
			if len(found) != 1 {
				t.Fatalf("%d findings, want 1: %+v", len(found), found)
			}
			f := found[0]
			if f.Severity != m.severity || f.Rule != m.rule || f.Name != m.on || !strings.Contains(f.Problem, m.problem) || f.Want == "" {
				t.Errorf("found %+v, want %s %s on %q: …%s…", f, m.severity, m.rule, m.on, m.problem)
			}
			if f.Name != "" && f.Rule != ruleLog && f.TraceID == "" && !strings.Contains(f.Name, ".") && m.name != "no trace id" {
				t.Errorf("the finding does not say of which trace: %+v", f)
			}
		})
	}
}

// Every rule has a mistake that breaks it, so that a new rule brings its test.
func TestEveryRuleIsBroken(t *testing.T) {
	broken := map[string]bool{ruleLine: true, ruleEmpty: true} // see TestBadLines
	for _, m := range mistakes {
		broken[m.rule] = true
	}
	for _, rule := range []string{
		ruleMissing, ruleType, ruleValue, ruleUnknown, ruleScope, ruleName, ruleID, ruleTime, ruleCause, ruleWrite,
		ruleResource, ruleLog, ruleRoot, ruleParent, ruleOrder, ruleOverlap, ruleOutside, ruleRepeated, ruleSeq, ruleUnnumbered,
	} {
		if !broken[rule] {
			t.Errorf("no mistake breaks %s", rule)
		}
	}
}
