package control

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"
)

// A process that connects while commands stand for its controller is sent them,
// with the time that is left, so that they are true of every process. A lift that
// the others were sent before it came would miss it: so it lets go of whatever
// ends at any other.

// tellWhatStands sends a new process what stands for its controller. Lock held.
func (d *Desk) tellWhatStands(l *link) {
	var stand []*order
	for _, o := range d.standing {
		if o.command.Controller == l.name && o.given && !o.ending {
			stand = append(stand, o)
		}
	}
	slices.SortFunc(stand, func(a, b *order) int {
		return cmp.Or(cmp.Compare(a.row.From, b.row.From), cmp.Compare(a.row.Key, b.row.Key))
	})
	for _, o := range stand {
		d.tellLate(l, o)
	}
}

// spread sends a command that stands to the processes that have come since it was
// sent to the others; from then on each new one gets it when it comes.
func (d *Desk) spread(o *order, sent []asked) {
	d.mu.Lock()
	defer d.mu.Unlock()
	o.given = true
	if d.standing[o.row.Key] != o || o.ending {
		return
	}
	for _, l := range d.links[o.command.Controller] {
		if !slices.ContainsFunc(sent, func(a asked) bool { return a.link == l }) {
			d.tellLate(l, o)
		}
	}
}

// tellLate sends a command that stands to one more process. Lock held.
func (d *Desk) tellLate(l *link, o *order) {
	left := time.Duration(o.row.Until-d.cfg.Now().UnixMicro()) * time.Microsecond
	if left < time.Millisecond {
		return // it ends now
	}
	o.holders[l], o.late[l] = true, true
	a := l.ask(o.command, left)
	d.serving.Go(func() { d.awaitLate(a, o) })
}

// awaitLate sees whether a process takes a command that stands elsewhere. When it
// does not, nothing is changed for the others.
func (d *Desk) awaitLate(a asked, o *order) {
	ctx, cancel := context.WithTimeout(context.Background(), AckWithin)
	defer cancel()
	said, err := a.answer(ctx)
	switch {
	case err == nil && said == "":
		return
	case err == nil:
		d.cfg.Log.Info("a process that has connected refuses a command that stands", "command", o.row.Text, "error", said)
	case !errors.Is(err, errGone): // it may take it yet
		d.takeBack(a.link, o)
	}
	d.ended(a.link, o.row.Key, "", true)
}

// endLate has the processes that came late let go of a command that has ended at
// another. Lock held.
func (d *Desk) endLate(o *order) {
	o.ending = true
	for l := range o.late {
		if o.holders[l] {
			d.takeBack(l, o)
		}
	}
}
