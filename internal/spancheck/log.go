package spancheck

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// ruleLog is the rule about names of log records.
const ruleLog = "log-name"

// records are the contract's log records and what they must have.
var records = map[string][]string{
	semconv.LogSpanStart:       {semconv.AttrSpanName, semconv.AttrSpanStart},
	semconv.LogQueueItem:       {semconv.AttrController, semconv.AttrObjectName},
	semconv.LogHold:            {semconv.AttrController, semconv.AttrWorker},
	semconv.LogDrop:            {semconv.AttrController},
	semconv.LogControllerState: {semconv.AttrController},
	semconv.LogControl:         {semconv.AttrController, semconv.AttrControlID},
}

const wantRecord = "the event name span.start, queue.item, hold, drop or controller.state"

// scopeLogs takes the log records of one scope in. Those of another scope are
// the contract's business when they name a controller or an open span.
func (c *checker) scopeLogs(at where, resource pcommon.Resource, sl plog.ScopeLogs) {
	own, told := sl.Scope().Name() == semconv.ScopeName, false
	for _, l := range sl.LogRecords().All() {
		name := eventName(l)
		if !own && !meant(name, l.Attributes()) {
			c.report.Ignored++
			continue
		}
		if !own && !told {
			c.wrong(at, ruleScope, "scope "+quotedScope, "log records of the contract come in scope %q", clip(sl.Scope().Name()))
		}
		if !told {
			told = true
			c.checkAttrs(at, sl.Scope().Attributes())
			c.checkResource(at, resource)
		}
		c.log(where{at.line, l.TraceID().String(), l.SpanID().String(), name}, l)
	}
}

func meant(name string, a pcommon.Map) bool {
	if _, known := records[name]; !known {
		return false
	}
	return text(a, semconv.AttrController) != "" || text(a, semconv.AttrSpanName) != ""
}

// eventName is the record's event; older SDKs have it as an attribute.
func eventName(l plog.LogRecord) string {
	if l.EventName() != "" {
		return l.EventName()
	}
	return text(l.Attributes(), "event.name")
}

func (c *checker) log(w where, l plog.LogRecord) {
	c.report.Logs++
	required, known := records[w.name]
	switch {
	case w.name == "":
		c.wrong(w, ruleLog, wantRecord, "the log record has no event name")
		return
	case !known:
		c.wrong(w, ruleLog, wantRecord, "the contract has no log record %q", clip(w.name))
		return
	}
	c.checkAttrs(w, l.Attributes(), required...)
	if at := max(l.Timestamp(), l.ObservedTimestamp()); !isNanos(at) {
		c.wrong(w, ruleTime, "its time in nanoseconds since 1970", "its time is %d", at)
	}
	switch w.name {
	case semconv.LogControllerState:
		c.states = true
	case semconv.LogSpanStart:
		c.spanStart(w, l)
	}
}

func (c *checker) spanStart(w where, l plog.LogRecord) {
	if l.TraceID().IsEmpty() || l.SpanID().IsEmpty() {
		c.wrong(w, ruleID, "the trace id and the span id of the open span", "the trace id or the span id is missing")
		return
	}
	name := text(l.Attributes(), semconv.AttrSpanName)
	if name != "" && !isContractSpan(name) {
		c.wrong(w, ruleName, "span.name as the name of a span of the contract", "span.name is %q", clip(name))
	}
	if isRoot(name) {
		c.trace(w.traceID).open = true
	}
}
