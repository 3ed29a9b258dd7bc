package otlp

import (
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/reconcile-tracer/tracer/server/flow"
	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// known are the attributes that reach the fold: all that the contract names.
var known = set(
	semconv.AttrObjectKind, semconv.AttrObjectAPIVersion, semconv.AttrObjectName, semconv.AttrObjectUID,
	semconv.AttrNamespace, semconv.AttrServiceName, semconv.AttrServiceInstanceID, semconv.AttrPodName,
	semconv.AttrController, semconv.AttrID, semconv.AttrResult, semconv.AttrRequeueDelayMS,
	semconv.AttrRequeueCount, semconv.AttrRequeueIgnoredMS, semconv.AttrObjectFinalizers, semconv.AttrWriteOwned, semconv.AttrWorker, semconv.AttrObjectGeneration, semconv.AttrObjectObservedGen,
	semconv.AttrObjectResourceVersion, semconv.AttrObjectDeleting, semconv.AttrObjectFields,
	semconv.AttrErrorType, semconv.AttrSeq, semconv.AttrQueueModelled, semconv.AttrQueueDepth,
	semconv.AttrQueuePriority, semconv.AttrQueueNumRequeues, semconv.AttrCauseCounts, semconv.AttrCause,
	semconv.AttrCauseBy, semconv.AttrCauseObjectKind, semconv.AttrCauseObjectNamespace,
	semconv.AttrCauseObjectName, semconv.AttrCauseObjectUID, semconv.AttrCauseObjectRV,
	semconv.AttrCauseChanged, semconv.AttrCauseManager, semconv.AttrCauseRaced, semconv.AttrCauseInferred,
	semconv.AttrCauseWriteTraceID, semconv.AttrCauseWriteSpanID, semconv.AttrReadSource, semconv.AttrReadKind,
	semconv.AttrReadCount, semconv.AttrReadStaleBy, semconv.AttrReadStaleSince, semconv.AttrReadStale,
	semconv.AttrActionVerb, semconv.AttrActionKind, semconv.AttrActionName, semconv.AttrActionSummary,
	semconv.AttrActionPaths, semconv.AttrPlanCount, semconv.AttrHTTPMethod, semconv.AttrHTTPStatus, semconv.AttrAuditID,
	semconv.AttrWriteResource, semconv.AttrWriteSubresource, semconv.AttrWriteNamespace,
	semconv.AttrWriteName, semconv.AttrWriteUID, semconv.AttrWriteResourceVersionOld,
	semconv.AttrWriteResourceVersionNew, semconv.AttrWriteNoop, semconv.AttrWriteFields,
	semconv.AttrEmitterEpoch, semconv.AttrEmitterFirstSeq, semconv.AttrEmitterLastSeq,
	semconv.AttrEmitterDropped, semconv.AttrSpanName, semconv.AttrSpanParentID, semconv.AttrSpanStart, semconv.AttrPlan,
	semconv.AttrItemReadySince, semconv.AttrItemReadyOrder, semconv.AttrItemReadyCauses,
	semconv.AttrItemDelayedSince, semconv.AttrItemDelayedUntil, semconv.AttrItemDelayedWhy,
	semconv.AttrItemRequeues, semconv.AttrItemActive, semconv.AttrItemDirty, semconv.AttrHoldSince,
	semconv.AttrHoldUntil, semconv.AttrHoldPhase, semconv.AttrHoldWhy, semconv.AttrStateWorkers,
	semconv.AttrStateLease, semconv.AttrStateSynced, semconv.AttrStateUnsynced, semconv.AttrStateWatchError,
	semconv.AttrStateStopping, semconv.AttrStateControl, semconv.AttrWriteFault, semconv.AttrControlID,
	semconv.AttrControlCommand, semconv.AttrControlPhase, semconv.AttrControlText, semconv.AttrControlBy,
	semconv.AttrControlFrom, semconv.AttrControlTo, semconv.AttrControlUntil, semconv.AttrControlLifted,
	semconv.AttrDropPredicate, semconv.AttrDropEvent, semconv.AttrDropCount,
	semconv.AttrLessonID, semconv.AttrLessonTitle, semconv.AttrBeatN, semconv.AttrBeatOf, semconv.AttrBeatHeading,
	semconv.AttrBeatWords, semconv.AttrBeatThen, semconv.AttrBeatHighlight, semconv.AttrBeatReconcile, semconv.AttrBeatFrom,
	semconv.AttrBeatActed, semconv.AttrBeatDone, semconv.AttrBeatTo, semconv.AttrQuestion, semconv.AttrQuestionChoice,
	semconv.AttrQuestionRight, semconv.AttrQuestionBecause,
)

func set(names ...string) map[string]bool {
	m := make(map[string]bool, len(names))
	for _, n := range names {
		m[n] = true
	}
	return m
}

func decodeAttrs(m pcommon.Map) flow.Attrs {
	attrs := make(flow.Attrs, m.Len())
	for k, v := range m.All() {
		if !known[k] {
			continue
		}
		if value := decodeValue(v); value != nil {
			attrs[k] = value
		}
	}
	return attrs
}

// decodeValue returns nil for what the fold does not take: maps and bytes.
func decodeValue(v pcommon.Value) any {
	switch v.Type() {
	case pcommon.ValueTypeStr:
		return v.Str()
	case pcommon.ValueTypeInt:
		return v.Int()
	case pcommon.ValueTypeDouble:
		return v.Double()
	case pcommon.ValueTypeBool:
		return v.Bool()
	case pcommon.ValueTypeSlice:
		list := make([]string, 0, v.Slice().Len())
		for _, e := range v.Slice().All() {
			list = append(list, e.AsString())
		}
		return list
	}
	return nil
}
