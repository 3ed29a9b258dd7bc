package spancheck

import "github.com/reconcile-tracer/tracer/tracer/semconv"

// ofLessons are the attributes of the record lesson.beat.
var ofLessons = map[kind][]string{
	str: {
		semconv.AttrLessonID, semconv.AttrLessonTitle, semconv.AttrBeatHeading, semconv.AttrBeatWords, semconv.AttrBeatThen,
		semconv.AttrBeatReconcile, semconv.AttrQuestion, semconv.AttrQuestionBecause,
	},
	integer: {
		semconv.AttrBeatN, semconv.AttrBeatOf, semconv.AttrBeatFrom, semconv.AttrBeatActed, semconv.AttrBeatDone,
		semconv.AttrBeatTo, semconv.AttrQuestionRight,
	},
	list: {semconv.AttrBeatHighlight, semconv.AttrQuestionChoice},
}
