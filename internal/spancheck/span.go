package spancheck

import (
	"slices"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

const quotedScope = `"` + semconv.ScopeName + `"`

// Rules about single spans and records.
const (
	ruleScope    = "scope"
	ruleName     = "name"
	ruleID       = "id"
	ruleTime     = "time"
	ruleCause    = "cause"
	ruleWrite    = "write"
	ruleResource = "resource"
)

// phases are the root's children in the order of the loop.
var phases = []string{semconv.SpanDequeue, semconv.SpanFetch, semconv.SpanCompute, semconv.SpanApply, semconv.SpanRequeue}

func isPhase(name string) bool { return slices.Contains(phases, name) }

func isRoot(name string) bool { return strings.HasPrefix(name, semconv.SpanReconcilePrefix) }

func isContractSpan(name string) bool {
	return isPhase(name) || isRoot(name) || name == semconv.SpanRead || name == semconv.SpanWrite
}

// scopeSpans takes the spans of one scope in. Those of another scope are the
// contract's business when one of them is surely meant to be.
func (c *checker) scopeSpans(at where, resource pcommon.Resource, ss ptrace.ScopeSpans) {
	own := ss.Scope().Name() == semconv.ScopeName
	if !own && !claims(ss) {
		c.report.Ignored += ss.Spans().Len()
		return
	}
	if !own {
		c.wrong(at, ruleScope, "scope "+quotedScope, "spans of the contract come in scope %q", clip(ss.Scope().Name()))
	}
	c.checkAttrs(at, ss.Scope().Attributes())
	c.checkResource(at, resource)
	r := c.run(at, resource, ss.Scope())
	for _, s := range ss.Spans().All() {
		w := where{at.line, s.TraceID().String(), s.SpanID().String(), s.Name()}
		switch {
		case isContractSpan(s.Name()):
			c.span(w, r, s)
		case own:
			c.wrong(w, ruleName, "reconcile <controller>, "+strings.Join(phases, ", ")+", read or write; spans of your own in a scope of their own",
				"the contract has no span of this name")
		default:
			c.report.Ignored++
		}
	}
}

func claims(ss ptrace.ScopeSpans) bool {
	for _, s := range ss.Spans().All() {
		if isRoot(s.Name()) {
			return true
		}
		for name := range s.Attributes().All() {
			if isContractSpan(s.Name()) && isOwn(name) {
				return true
			}
		}
	}
	return false
}

// checkResource checks each process once.
func (c *checker) checkResource(at where, resource pcommon.Resource) {
	service, instance := text(resource.Attributes(), semconv.AttrServiceName), text(resource.Attributes(), semconv.AttrServiceInstanceID)
	if c.resources[runKey{service, instance}] {
		return
	}
	c.resources[runKey{service, instance}] = true
	if service == "" {
		c.wrong(at, ruleResource, "resource attribute service.name as a string", "service.name is missing")
	}
	if instance == "" {
		c.note(at, ruleResource, "resource attribute service.instance.id, random, new at each start of the process",
			"service.instance.id is missing: two processes of one service look like one")
	}
}

// span checks what one span alone can tell, and keeps it for its trace.
func (c *checker) span(w where, r *run, s ptrace.Span) {
	c.report.Spans++
	if s.TraceID().IsEmpty() || s.SpanID().IsEmpty() {
		c.wrong(w, ruleID, "a trace id of 32 and a span id of 16 hex digits, not all 0", "the trace id or the span id is missing")
		return
	}
	if !c.keep(w, s) {
		return
	}
	c.number(w, r, s)
	c.checkTimes(w, s)
	switch {
	case isRoot(s.Name()):
		c.checkRoot(w, s)
	case s.Name() == semconv.SpanDequeue:
		c.checkAttrs(w, s.Attributes())
		c.checkCauses(w, s)
	case s.Name() == semconv.SpanCompute:
		c.checkAttrs(w, s.Attributes())
		c.checkEvents(w, s, semconv.EventPlanAction, semconv.AttrActionVerb, semconv.AttrActionSummary)
	case s.Name() == semconv.SpanRead:
		c.checkAttrs(w, s.Attributes(), semconv.AttrReadSource, semconv.AttrReadKind)
	case s.Name() == semconv.SpanWrite:
		c.checkWrite(w, s)
	default:
		c.checkAttrs(w, s.Attributes())
	}
}

func (c *checker) checkTimes(w where, s ptrace.Span) {
	const want = "times in nanoseconds since 1970"
	from, to := s.StartTimestamp(), s.EndTimestamp()
	switch {
	case from == 0 || to == 0:
		c.wrong(w, ruleTime, want, "its start or its end is missing")
	case !isNanos(from) || !isNanos(to):
		c.wrong(w, ruleTime, want, "it is from %d to %d, which are no times of this century in nanoseconds", from, to)
	case to < from:
		c.wrong(w, ruleTime, "an end that is not before the start", "it ends %d ns before it starts", from-to)
	}
}

// isNanos says whether t is nanoseconds from 2001 to 2286.
func isNanos(t pcommon.Timestamp) bool { return t >= 1e18 && t < 1e19 }

func (c *checker) checkRoot(w where, s ptrace.Span) {
	a := s.Attributes()
	c.checkAttrs(w, a, semconv.AttrController, semconv.AttrObjectName, semconv.AttrResult)
	named := strings.TrimPrefix(s.Name(), semconv.SpanReconcilePrefix)
	if name := text(a, semconv.AttrController); name != "" && name != named {
		c.wrong(w, ruleName, "the name \"reconcile "+clip(name)+"\"", "the span's name and %s %q differ", semconv.AttrController, clip(name))
	}
	if id := text(a, semconv.AttrID); id != "" && strings.ReplaceAll(id, "-", "") != w.traceID {
		c.wrong(w, ruleValue, semconv.AttrID+" as the trace id", "%s is %q", semconv.AttrID, clip(id))
	}
	if s.ParentSpanID() != (pcommon.SpanID{}) {
		c.wrong(w, ruleParent, "a root without a parent: one trace is one reconcile", "the root has the parent %s", s.ParentSpanID())
	}
}

func (c *checker) checkCauses(w where, s ptrace.Span) {
	found := c.checkEvents(w, s, semconv.EventCause, semconv.AttrCause)
	switch {
	case found == 0:
		c.wrong(w, ruleCause, "an event \"cause\" for each cause ("+semconv.CauseGeneric+" where it is not known)", "it has no cause")
	case found > semconv.MaxCauses:
		c.wrong(w, ruleCause, "the first 32 and the last 32 causes, and exact counts in "+semconv.AttrCauseCounts, "it has %d causes", found)
	}
}

// checkEvents checks the events of one name and returns how many there are.
func (c *checker) checkEvents(w where, s ptrace.Span, name string, required ...string) int {
	found := 0
	for _, e := range s.Events().All() {
		if e.Name() != name {
			continue
		}
		found++
		at := w
		at.name = s.Name() + " event " + name
		c.checkAttrs(at, e.Attributes(), required...)
		if !isNanos(e.Timestamp()) {
			c.wrong(at, ruleTime, "its time in nanoseconds since 1970", "its time is %d", e.Timestamp())
		}
	}
	return found
}

func (c *checker) checkWrite(w where, s ptrace.Span) {
	a := s.Attributes()
	c.checkAttrs(w, a, semconv.AttrHTTPMethod, semconv.AttrWriteResource)
	if s.Kind() != ptrace.SpanKindClient {
		c.wrong(w, ruleWrite, "span kind CLIENT", "its kind is %s", s.Kind())
	}
	status, answered := number(a, semconv.AttrHTTPStatus)
	_, anyStatus := a.Get(semconv.AttrHTTPStatus)
	failure := text(a, semconv.AttrErrorType)
	if !anyStatus && failure == "" {
		c.wrong(w, ruleWrite, semconv.AttrHTTPStatus+" as an int, or error.type where there was no answer", "it has neither")
	}
	if audit := text(a, semconv.AttrAuditID); audit != "" && !strings.HasPrefix(audit, w.traceID) {
		c.wrong(w, ruleWrite, "audit-id as <trace id>-<n>", "audit-id is %q: the API server's own records cannot be joined", clip(audit))
	}
	before, after := text(a, semconv.AttrWriteResourceVersionOld), text(a, semconv.AttrWriteResourceVersionNew)
	if v, ok := a.Get(semconv.AttrWriteNoop); ok && v.Bool() && before != "" && before != after {
		c.wrong(w, ruleWrite, semconv.AttrWriteNoop+" only where the version did not move", "it is a no-op from version %q to %q", clip(before), clip(after))
	}
	if answered && status < 400 && after == "" && text(a, semconv.AttrHTTPMethod) != "DELETE" {
		c.note(w, ruleWrite, semconv.AttrWriteResourceVersionNew+", the version in the answer",
			"it does not say which resourceVersion it made: the reconcile that it causes cannot be joined to it")
	}
}
