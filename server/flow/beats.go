package flow

import (
	"container/list"
	"slices"
	"strconv"
	"strings"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// beats holds the beats of lessons, oldest first.
type beats struct {
	slots map[string]*beatSlot
	order list.List
}

// beatSlot holds one beat; its row is replaced, never changed.
type beatSlot struct {
	row    *Beat
	elem   *list.Element
	queued bool
	gone   bool
}

func (sl *beatSlot) publish() Row {
	sl.queued = false
	if sl.gone {
		return nil
	}
	return sl.row
}

// maxMarks and maxChoices bound the lists of a beat.
const (
	maxMarks   = 16
	maxChoices = 8
)

// takeBeat takes a lesson.beat record in. One without a lesson, a number or a
// beginning says nothing.
func (s *State) takeBeat(l *Log) {
	a := l.Attrs
	row := Beat{
		Row: RowBeat, Lesson: a.text(semconv.AttrLessonID), Run: a.text(semconv.AttrNamespace), Title: a.text(semconv.AttrLessonTitle),
		N: int(a.num(semconv.AttrBeatN)), Of: int(a.num(semconv.AttrBeatOf)),
		Heading: a.text(semconv.AttrBeatHeading), Words: a.long(semconv.AttrBeatWords), Then: a.long(semconv.AttrBeatThen),
		Highlight:  first(a.list(semconv.AttrBeatHighlight), maxMarks),
		Controller: a.text(semconv.AttrController), Item: itemName(a.text(semconv.AttrNamespace), a.text(semconv.AttrObjectName)),
		Reconcile: a.text(semconv.AttrBeatReconcile),
		Question:  a.long(semconv.AttrQuestion), Choices: first(a.list(semconv.AttrQuestionChoice), maxChoices),
		Right: int(a.num(semconv.AttrQuestionRight)), Because: a.long(semconv.AttrQuestionBecause),
		From: a.num(semconv.AttrBeatFrom), Acted: a.num(semconv.AttrBeatActed), Done: a.num(semconv.AttrBeatDone), To: a.num(semconv.AttrBeatTo),
	}
	if row.Lesson == "" || row.N < 1 || row.From == 0 {
		return
	}
	row.Key = row.Run + "/" + strconv.Itoa(row.N) + "/" + strconv.FormatInt(row.From, 10)
	s.putBeat(row)
}

func (s *State) putBeat(row Beat) {
	sl := s.beats.slots[row.Key]
	if sl == nil {
		sl = &beatSlot{row: &Beat{}}
		sl.elem = s.beats.order.PushBack(sl)
		s.beats.slots[row.Key] = sl
	}
	if old := sl.row; old.From != 0 && old.Acted == row.Acted && old.Done == row.Done && old.To == row.To || old.To != 0 {
		return // a repetition, or one that was overtaken
	}
	sl.row = &row
	if !sl.queued {
		sl.queued = true
		s.changed = append(s.changed, sl)
	}
	if len(s.beats.slots) > s.limits.Beats {
		s.dropBeat(s.beats.order.Front().Value.(*beatSlot))
	}
}

func (s *State) dropBeat(sl *beatSlot) {
	sl.gone = true
	delete(s.beats.slots, sl.row.Key)
	s.beats.order.Remove(sl.elem)
	s.retract(sl.row)
}

func (b *beats) appendTo(rows []Row) []Row {
	for e := b.order.Front(); e != nil; e = e.Next() {
		rows = append(rows, e.Value.(*beatSlot).row)
	}
	return rows
}

// maxLong is the longest text of a beat, in bytes; sentences need more room
// than names.
const maxLong = 3000

// long is the text called name, cut to maxLong.
func (a Attrs) long(name string) string {
	v, _ := a[name].(string)
	if len(v) > maxLong {
		return strings.Clone(cut(v, maxLong))
	}
	return v
}

func first(texts []string, n int) []string {
	return slices.Clone(texts[:min(n, len(texts))])
}
