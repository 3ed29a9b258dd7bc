package engine

import (
	"fmt"

	"github.com/reconcile-tracer/tracer/lessons/format"
	"github.com/reconcile-tracer/tracer/server/flow"
)

// begin records that a beat is shown.
func (e *Engine) begin(b *format.Beat) {
	if e.skips() {
		return
	}
	r := flow.Beat{
		Row: flow.RowBeat, Key: fmt.Sprintf("%s/%d/%d", e.run, e.beat+1, e.now),
		Lesson: e.lesson.ID, Run: e.run, Title: e.lesson.Title, N: e.beat + 1, Of: len(e.lesson.Beats),
		Heading: b.Title, Words: e.fill(b.Words), Highlight: b.Highlight,
		Controller: e.lesson.Controller, Item: e.item(), Reconcile: e.sel, From: e.now,
	}
	if q := b.Question; q != nil {
		r.Question = e.fill(q.Text)
		for _, c := range q.Choices {
			r.Choices = append(r.Choices, e.fill(c.Text))
		}
	}
	e.put(r)
}

func (e *Engine) recordActed() {
	if e.record != nil {
		r := *e.record
		r.Acted = e.now
		e.put(r)
	}
}

func (e *Engine) recordDone() {
	if e.record != nil {
		r := *e.record
		r.Done, r.Then, r.Reconcile = e.now, e.fill(e.current().Then), e.sel
		if q := e.current().Question; q != nil { // rows are there for everybody to read
			r.Right, r.Because = q.Right, e.fill(q.Because)
		}
		e.put(r)
	}
}

// leave records that the beat is shown no more.
func (e *Engine) leave() {
	if e.record != nil {
		r := *e.record
		r.To = e.now
		e.put(r)
		e.record = nil
	}
}

func (e *Engine) put(r flow.Beat) {
	e.record = &r
	e.emit(Effect{Record: &r})
}
