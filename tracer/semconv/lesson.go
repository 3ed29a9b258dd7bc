package semconv

// LogLessonBeat is the event name of the log record that tells of one beat of
// a lesson while it is shown. The newest record of a run, number and
// AttrBeatFrom wins.
const LogLessonBeat = "lesson.beat"

// Attributes of the log record LogLessonBeat, beside AttrController, AttrNamespace
// (the run) and AttrObjectName. Times are microseconds since the epoch, 0 or
// absent meaning not yet.
const (
	AttrLessonID       = "lesson.id"
	AttrLessonTitle    = "lesson.title"
	AttrBeatN          = "lesson.beat.n"
	AttrBeatOf         = "lesson.beat.of"
	AttrBeatHeading    = "lesson.beat.heading"
	AttrBeatWords      = "lesson.beat.words"
	AttrBeatThen       = "lesson.beat.then"
	AttrBeatHighlight  = "lesson.beat.highlight"
	AttrBeatReconcile  = "lesson.beat.reconcile"
	AttrBeatFrom       = "lesson.beat.from_us"
	AttrBeatActed      = "lesson.beat.acted_us"
	AttrBeatDone       = "lesson.beat.done_us"
	AttrBeatTo         = "lesson.beat.to_us"
	AttrQuestion       = "lesson.question"
	AttrQuestionChoice = "lesson.question.choices"
	// AttrQuestionRight is the index of the right choice, from 0.
	AttrQuestionRight   = "lesson.question.right"
	AttrQuestionBecause = "lesson.question.because"
)
