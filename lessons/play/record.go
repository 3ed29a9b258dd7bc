package play

import (
	"strings"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"

	"github.com/reconcile-tracer/tracer/server/flow"
	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// service is who records beats.
const service = "tracer-lesson"

// encodeBeat makes an OTLP request in protobuf of a beat.
func encodeBeat(b *flow.Beat) ([]byte, error) {
	logs := plog.NewLogs()
	resource := logs.ResourceLogs().AppendEmpty()
	resource.Resource().Attributes().PutStr(semconv.AttrServiceName, service)
	resource.Resource().Attributes().PutStr(semconv.AttrServiceInstanceID, service+"/"+b.Run)
	scope := resource.ScopeLogs().AppendEmpty()
	scope.Scope().SetName(semconv.ScopeName)
	scope.Scope().SetVersion(semconv.Version)
	record := scope.LogRecords().AppendEmpty()
	record.SetEventName(semconv.LogLessonBeat)
	record.SetTimestamp(pcommon.NewTimestampFromTime(time.UnixMicro(max(b.From, b.Acted, b.Done, b.To))))
	fillBeat(record.Attributes(), b)
	return plogotlp.NewExportRequestFromLogs(logs).MarshalProto()
}

func fillBeat(a pcommon.Map, b *flow.Beat) {
	_, name, _ := strings.Cut(b.Item, "/")
	for key, text := range map[string]string{
		semconv.AttrLessonID: b.Lesson, semconv.AttrLessonTitle: b.Title, semconv.AttrBeatHeading: b.Heading,
		semconv.AttrBeatWords: b.Words, semconv.AttrBeatThen: b.Then, semconv.AttrBeatReconcile: b.Reconcile,
		semconv.AttrController: b.Controller, semconv.AttrNamespace: b.Run, semconv.AttrObjectName: name,
		semconv.AttrQuestion: b.Question, semconv.AttrQuestionBecause: b.Because,
	} {
		if text != "" {
			a.PutStr(key, text)
		}
	}
	for key, n := range map[string]int64{
		semconv.AttrBeatN: int64(b.N), semconv.AttrBeatOf: int64(b.Of), semconv.AttrQuestionRight: int64(b.Right),
		semconv.AttrBeatFrom: b.From, semconv.AttrBeatActed: b.Acted, semconv.AttrBeatDone: b.Done, semconv.AttrBeatTo: b.To,
	} {
		if n != 0 {
			a.PutInt(key, n)
		}
	}
	putList(a, semconv.AttrBeatHighlight, b.Highlight)
	putList(a, semconv.AttrQuestionChoice, b.Choices)
}

func putList(a pcommon.Map, key string, texts []string) {
	if len(texts) == 0 {
		return
	}
	list := a.PutEmptySlice(key)
	for _, text := range texts {
		list.AppendEmpty().SetStr(text)
	}
}
