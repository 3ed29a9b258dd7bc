package spancheck

import (
	"slices"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// kind is the type of an attribute.
type kind int

const (
	str kind = iota
	integer
	double
	boolean
	list
	// listOrInt is a list that becomes its length when it is too long.
	listOrInt
)

var kindNames = [...]string{"a string", "an int", "a double", "a bool", "a list of strings", "a list of strings, or their number as an int"}

// attribute is what the contract says of one.
type attribute struct {
	kind kind
	// values are the only ones allowed; nil means any.
	values []string
}

// attributes returns the contract's attributes by name.
func attributes() map[string]attribute {
	all := map[string]attribute{
		semconv.AttrResult:     {str, results},
		semconv.AttrCause:      {str, causes},
		semconv.AttrCauseBy:    {str, []string{semconv.BySelf, semconv.ByOther, semconv.ByUnknown}},
		semconv.AttrReadSource: {str, []string{semconv.ReadCache, semconv.ReadAPI}},
		semconv.AttrReadStale:  {str, []string{semconv.StaleYes, semconv.StaleNo, semconv.StaleUnknown}},
		semconv.AttrStateLease: {str, []string{semconv.LeaseNone, semconv.LeaseWaiting, semconv.LeaseLeading}},
		// Some SDKs have no whole numbers of their own.
		semconv.AttrRequeueDelayMS:   {double, nil},
		semconv.AttrRequeueIgnoredMS: {double, nil},
		semconv.AttrItemReadyCauses:  {listOrInt, nil},
	}
	for _, more := range []map[kind][]string{byKind, ofLessons} {
		for k, names := range more {
			for _, name := range names {
				all[name] = attribute{kind: k}
			}
		}
	}
	return all
}

var contract = attributes()

var results = []string{
	semconv.ResultSuccess, semconv.ResultRequeue, semconv.ResultRequeueAfter, semconv.ResultError,
	semconv.ResultTerminalError, semconv.ResultPanic, semconv.ResultTimeout,
}

var causes = []string{
	semconv.CauseInitialList, semconv.CauseAdd, semconv.CauseUpdate, semconv.CauseDelete, semconv.CauseGeneric,
	semconv.CauseResync, semconv.CauseRelist, semconv.CauseBackoff, semconv.CauseRequeueAfter, semconv.CauseManual,
}

// byKind are the attributes that may have any value of their type.
var byKind = map[kind][]string{
	str: {
		semconv.AttrObjectKind, semconv.AttrObjectAPIVersion, semconv.AttrObjectName, semconv.AttrObjectUID,
		semconv.AttrNamespace, semconv.AttrController, semconv.AttrID, semconv.AttrObjectResourceVersion,
		semconv.AttrErrorType, semconv.AttrCauseObjectKind, semconv.AttrCauseObjectNamespace,
		semconv.AttrCauseObjectName, semconv.AttrCauseObjectUID, semconv.AttrCauseObjectRV,
		semconv.AttrCauseManager, semconv.AttrCauseWriteTraceID, semconv.AttrCauseWriteSpanID,
		semconv.AttrReadKind, semconv.AttrActionVerb, semconv.AttrActionKind, semconv.AttrActionName,
		semconv.AttrActionSummary, semconv.AttrHTTPMethod, semconv.AttrAuditID, semconv.AttrWriteResource,
		semconv.AttrWriteSubresource, semconv.AttrWriteNamespace, semconv.AttrWriteName, semconv.AttrWriteUID,
		semconv.AttrWriteResourceVersionOld, semconv.AttrWriteResourceVersionNew, semconv.AttrSpanName,
		semconv.AttrSpanParentID, semconv.AttrItemDelayedWhy, semconv.AttrHoldPhase, semconv.AttrHoldWhy,
		semconv.AttrStateWatchError, semconv.AttrEmitterEpoch, semconv.AttrWriteFault, semconv.AttrControlID,
		semconv.AttrControlCommand, semconv.AttrControlPhase, semconv.AttrControlText, semconv.AttrControlBy,
		semconv.AttrControlLifted,
	},
	integer: {
		semconv.AttrRequeueCount, semconv.AttrWorker, semconv.AttrObjectGeneration, semconv.AttrObjectObservedGen,
		semconv.AttrSeq, semconv.AttrQueueDepth, semconv.AttrQueuePriority, semconv.AttrQueueNumRequeues,
		semconv.AttrReadCount, semconv.AttrPlanCount, semconv.AttrReadStaleBy, semconv.AttrReadStaleSince, semconv.AttrHTTPStatus,
		semconv.AttrEmitterFirstSeq, semconv.AttrEmitterLastSeq, semconv.AttrEmitterDropped, semconv.AttrSpanStart,
		semconv.AttrItemReadySince, semconv.AttrItemReadyOrder, semconv.AttrItemDelayedSince,
		semconv.AttrItemDelayedUntil, semconv.AttrItemRequeues, semconv.AttrHoldSince, semconv.AttrHoldUntil,
		semconv.AttrStateWorkers, semconv.AttrControlFrom, semconv.AttrControlTo, semconv.AttrControlUntil,
	},
	boolean: {
		semconv.AttrObjectDeleting, semconv.AttrQueueModelled, semconv.AttrCauseRaced, semconv.AttrCauseInferred,
		semconv.AttrWriteNoop, semconv.AttrWriteOwned, semconv.AttrItemActive, semconv.AttrItemDirty, semconv.AttrStateStopping,
		semconv.AttrStateControl,
	},
	list: {
		semconv.AttrObjectFields, semconv.AttrObjectFinalizers, semconv.AttrCauseChanged, semconv.AttrCauseCounts, semconv.AttrActionPaths, semconv.AttrWriteFields,
		semconv.AttrStateSynced, semconv.AttrStateUnsynced,
	},
}

// times are the attributes that hold microseconds since the epoch.
var times = []string{
	semconv.AttrReadStaleSince, semconv.AttrSpanStart, semconv.AttrItemReadySince, semconv.AttrItemDelayedSince,
	semconv.AttrItemDelayedUntil, semconv.AttrHoldSince, semconv.AttrHoldUntil,
	semconv.AttrControlFrom, semconv.AttrControlTo, semconv.AttrControlUntil,
}

// ownPrefixes begin the names that only this contract uses.
var ownPrefixes = []string{"reconcile.", "workqueue.", "queue.", "hold.", "emitter."}

func isOwn(name string) bool {
	return slices.ContainsFunc(ownPrefixes, func(p string) bool { return strings.HasPrefix(name, p) })
}

// Rules about attributes.
const (
	ruleMissing = "attribute-missing"
	ruleType    = "attribute-type"
	ruleValue   = "attribute-value"
	ruleUnknown = "attribute-unknown"
)

// checkAttrs checks those that are there, and that the required ones are.
func (c *checker) checkAttrs(w where, m pcommon.Map, required ...string) {
	for _, name := range required {
		if v, ok := m.Get(name); !ok || v.Type() == pcommon.ValueTypeStr && v.Str() == "" {
			c.wrong(w, ruleMissing, name+" as "+kindNames[contract[name].kind], "%s is missing", name)
		}
	}
	for name, v := range m.All() {
		a, known := contract[name]
		switch {
		case !known && isOwn(name):
			c.note(w, ruleUnknown, "the names in docs/spans.md", "%s is not in the contract; the hub ignores it", clip(name))
		case known && !a.kind.fits(v):
			c.wrong(w, ruleType, name+" as "+kindNames[a.kind], "%s is %s", name, describe(v))
		case known:
			c.checkValue(w, name, a, v)
		}
	}
}

func (k kind) fits(v pcommon.Value) bool {
	switch v.Type() {
	case pcommon.ValueTypeStr:
		return k == str
	case pcommon.ValueTypeInt:
		return k == integer || k == double || k == listOrInt
	case pcommon.ValueTypeDouble:
		return k == double
	case pcommon.ValueTypeBool:
		return k == boolean
	case pcommon.ValueTypeSlice:
		return (k == list || k == listOrInt) && onlyStrings(v.Slice())
	}
	return false
}

func onlyStrings(s pcommon.Slice) bool {
	for _, v := range s.All() {
		if v.Type() != pcommon.ValueTypeStr {
			return false
		}
	}
	return true
}

func describe(v pcommon.Value) string {
	switch v.Type() {
	case pcommon.ValueTypeStr:
		return "the string \"" + clip(v.Str()) + "\""
	case pcommon.ValueTypeInt:
		return "the int " + v.AsString()
	case pcommon.ValueTypeDouble:
		return "the double " + v.AsString()
	case pcommon.ValueTypeBool:
		return "the bool " + v.AsString()
	case pcommon.ValueTypeSlice:
		return "a list with something else than strings in it"
	case pcommon.ValueTypeEmpty:
		return "empty"
	}
	return "a " + strings.ToLower(v.Type().String())
}

// texts are the strings of a value: one, or those of a list.
func texts(v pcommon.Value) []string {
	if v.Type() != pcommon.ValueTypeSlice {
		return []string{v.AsString()}
	}
	var all []string
	for _, e := range v.Slice().All() {
		all = append(all, e.AsString())
	}
	return all
}

func (c *checker) checkValue(w where, name string, a attribute, v pcommon.Value) {
	if a.values != nil {
		for _, text := range texts(v) {
			if text != "" && !slices.Contains(a.values, text) {
				c.wrong(w, ruleValue, name+" as one of "+strings.Join(a.values, ", "), "%s is %q", name, clip(text))
			}
		}
	}
	if slices.Contains(times, name) && !isMicros(v.Int()) {
		c.wrong(w, ruleValue, name+" in microseconds since 1970", "%s is %d, which is no time of this century in microseconds", name, v.Int())
	}
	if name == semconv.AttrErrorType && strings.ContainsAny(v.Str(), " \n\t") {
		c.wrong(w, ruleValue, "the error's type or the API server's reason, never its text, which may hold secrets",
			"error.type holds a text")
	}
}

// isMicros says whether t is microseconds from 2001 to 2286; 0 says "not".
func isMicros(t int64) bool { return t == 0 || t >= 1e15 && t < 1e16 }

// text is the string called name, or "".
func text(m pcommon.Map, name string) string {
	if v, ok := m.Get(name); ok && v.Type() == pcommon.ValueTypeStr {
		return v.Str()
	}
	return ""
}

// number is the int called name and whether it is there.
func number(m pcommon.Map, name string) (int64, bool) {
	if v, ok := m.Get(name); ok && v.Type() == pcommon.ValueTypeInt {
		return v.Int(), true
	}
	return 0, false
}
