package engine

import (
	"fmt"

	"github.com/reconcile-tracer/tracer/lessons/format"
	"github.com/reconcile-tracer/tracer/server/flow"
)

// Command is what the presenter asks for.
type Command string

// The commands. Next goes on: it acts, reveals or turns to the next beat, and
// after the last one it ends the lesson.
const (
	Next     Command = "next"
	Previous Command = "previous"
	Restart  Command = "restart"
	Stop     Command = "stop"
)

// Input is one thing that the engine takes in. Now, in microseconds since the
// epoch, goes with every input; at most one of Command, Answer, Result and Lost
// is set.
type Input struct {
	Now     int64
	Command Command
	// Meant is where the lesson was for who gave the command: one that is
	// elsewhere by now does not do it. nil, and with Stop, is wherever it is.
	Meant  *Meant
	Answer *Answer
	Result *Result
	// Rows are new or changed rows, Gone those that are no more. Rows of other
	// namespaces than the lesson's are left out by the engine. All says that
	// Rows are all that there are now: what else the engine knew is no more.
	Rows []flow.Row
	Gone []flow.RowRef
	All  bool
	// Lost is why there will be no more rows, which ends the lesson.
	Lost error
}

// Meant is a beat, from 1, and its state as State has it.
type Meant struct {
	Beat  int
	State string
}

// Answer is what one viewer predicts. It may be given again, until the beat
// acts.
type Answer struct {
	// Viewer tells viewers apart, and nothing else about them.
	Viewer string
	Beat   int
	Choice int
}

// Result is how an effect ended.
type Result struct {
	Seq int
	// Run is the namespace that Prepare made.
	Run string
	// Did says in sentences what was done.
	Did []string
	// Gave are the ids of the commands that stand from then on, in their order.
	Gave []string
	// Err is nil where all went well; At is the index of the action that failed.
	Err error
	At  int
}

// Effect is one thing to do; exactly one field is set. Effects are to be done
// one after another, and each but Record is answered by a Result with its Seq.
type Effect struct {
	Prepare *Prepare
	Act     *Act
	Undo    *Undo
	Clean   *Clean
	// Record is a beat as it is now, for the journal.
	Record *flow.Beat
}

// Prepare makes a namespace of that name, or of one that begins with it, and
// lets the engine have the rows of it from then on.
type Prepare struct {
	Seq  int
	Name string
}

// Act does the actions in order, until one fails.
type Act struct {
	Seq     int
	Run     string
	Beat    int
	Actions []format.Action
}

// Undo makes the lesson's objects as they were before Act of beat Beat.
type Undo struct {
	Seq  int
	Run  string
	Beat int
}

// Clean takes away all that the lesson made, whatever is under way.
type Clean struct {
	Seq int
	Run string
}

// Engine plays one lesson. One goroutine owns it.
type Engine struct {
	lesson *format.Lesson
	run    string
	now    int64
	seq    int

	beat int // from 0
	// from is the beat at which the lesson begins to speak: those before it act,
	// and are waited for, and nothing else.
	from  int
	stage stage
	// until is when the stage has to be over, steady since when all conditions
	// hold; 0 is never.
	until, steady int64
	// acted are the beats that have acted and were not undone, and when.
	acted map[int]int64
	// gave are the ids of the commands that a beat has given.
	gave map[int][]string
	// note is said before the words of a beat to which the lesson has gone back
	// by itself.
	note string

	table   table
	matched []matched
	did     []string
	sel     string
	answers map[string]int // by viewer; replaced, never changed
	record  *flow.Beat
	failure string

	effects []Effect
}

// stage is where a beat is.
type stage string

const (
	preparing stage = "preparing"
	ready     stage = "ready"
	asking    stage = "question"
	acting    stage = "acting"
	waiting   stage = "waiting"
	done      stage = "done"
	undoing   stage = "undoing"
	settling  stage = "settling"
	failed    stage = "failed"
	cleaning  stage = "cleaning"
	over      stage = "over"
)

const (
	// settleFor is how long nothing may go on after an undo, settleWithin how
	// long that may take.
	settleFor    = 700_000
	settleWithin = 30_000_000
)

// New returns an engine and its first effect. Now is in microseconds since the
// epoch. The lesson, which is shared and not changed, begins at a beat, from 1, of
// those that there are: what the beats before it do is done without words and
// questions.
func New(lesson *format.Lesson, now int64, beat int) (*Engine, []Effect) {
	e := &Engine{lesson: lesson, now: now, from: beat - 1, stage: preparing, acted: map[int]int64{}, gave: map[int][]string{}, table: newTable(), answers: map[string]int{}}
	e.seq++
	return e, []Effect{{Prepare: &Prepare{Seq: e.seq, Name: namespaceOf(lesson)}}}
}

func namespaceOf(l *format.Lesson) string {
	const prefix = "lesson-"
	if len(l.ID) > len(prefix) && l.ID[:len(prefix)] == prefix {
		return l.ID
	}
	return prefix + l.ID
}

// Refusal is the error of a command or an answer that does not go now. The
// text says why, and what to do.
type Refusal struct{ Text string }

// Error implements error.
func (r *Refusal) Error() string { return r.Text }

func refuse(format string, args ...any) error { return &Refusal{fmt.Sprintf(format, args...)} }

// Step takes one input in and returns what is to be done. The error is a
// *Refusal of the input's command or answer; the rest of the input counts all
// the same.
func (e *Engine) Step(in Input) ([]Effect, error) {
	e.now = max(e.now, in.Now)
	if in.All {
		e.table.keep(in.Rows)
	}
	e.table.take(e.run, in.Rows, in.Gone)
	var err error
	switch {
	case in.Result != nil:
		e.result(in.Result)
	case in.Lost != nil:
		e.lose(in.Lost)
	case in.Answer != nil:
		err = e.answer(in.Answer)
	case in.Command != "":
		err = e.command(in.Command, in.Meant)
	}
	e.look()
	out := e.effects
	e.effects = nil
	return out, err
}

// Deadline is when the engine wants to be stepped although nothing has come,
// in microseconds since the epoch; 0 is never.
func (e *Engine) Deadline() int64 {
	switch {
	case e.stage == waiting && e.steady > 0:
		return min(e.until, e.steady+e.current().Wait.Steady)
	case e.stage == settling && e.steady > 0:
		return min(e.until, e.steady+settleFor)
	}
	return e.until
}

// Over says that the lesson has ended, and that what it made is gone, as far as
// that could be.
func (e *Engine) Over() bool { return e.stage == over || e.stage == failed }

func (e *Engine) current() *format.Beat { return &e.lesson.Beats[e.beat] }

func (e *Engine) emit(f Effect) { e.effects = append(e.effects, f) }

// number gives the next effect its number; the results of earlier ones are
// not heard any more.
func (e *Engine) number() int {
	e.seq++
	return e.seq
}
