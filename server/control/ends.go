package control

import (
	"context"

	"github.com/reconcile-tracer/tracer/server/flow"
)

// ended notes that a command stands no more at a process, which has told so or,
// with gone, is gone. When it was the last one the command has ended.
func (d *Desk) ended(l *link, id, why string, gone bool) {
	if o := d.noteEnd(l, id, why, gone); o != nil {
		d.recordEnds([]*order{o})
	}
}

// noteEnd returns the command if its end is to be recorded.
func (d *Desk) noteEnd(l *link, id, why string, gone bool) *order {
	d.mu.Lock()
	defer d.mu.Unlock()
	o := d.standing[id]
	if o == nil {
		return nil
	}
	held := o.holders[l]
	delete(o.holders, l)
	if why != "" && (!o.ending || !o.late[l]) { // else what ended it at another says why
		o.why = flow.Brief(why)
	}
	if o.inForce = o.inForce || !gone; held && !gone {
		d.endLate(o)
	}
	if !o.over() {
		return nil
	}
	d.finish(o)
	if !o.inForce {
		return nil
	}
	return o
}

// over says that a command is in force nowhere any more. Desk's lock held.
func (o *order) over() bool {
	for _, holds := range o.holders {
		if holds {
			return false
		}
	}
	return true
}

// finish ends a command. Lock held.
func (d *Desk) finish(o *order) {
	o.row.To, o.row.Lifted = max(d.cfg.Now().UnixMicro(), o.row.From+1), o.why
	delete(d.standing, o.row.Key)
}

// settle ends a command that ended while others had not answered yet.
func (d *Desk) settle(o *order) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if o.row.To == 0 && o.over() {
		d.finish(o)
	}
}

// endAll ends what stood at a process that is gone.
func (d *Desk) endAll(l *link, why string) { d.recordEnds(d.noteEnds(l, why)) }

// noteEnds returns the commands whose end is to be recorded, now that a process
// is gone.
func (d *Desk) noteEnds(l *link, why string) (over []*order) {
	d.mu.Lock()
	var ids []string
	for id, o := range d.standing {
		if _, there := o.holders[l]; there {
			ids = append(ids, id)
		}
	}
	d.mu.Unlock()
	for _, id := range ids {
		if o := d.noteEnd(l, id, why, true); o != nil {
			over = append(over, o)
		}
	}
	return over
}

func (d *Desk) recordEnds(over []*order) {
	for _, o := range over {
		if err := d.record(context.Background(), o); err != nil {
			d.cfg.Log.Warn("the end of a command is not recorded", "command", o.row.Text, "error", err)
		}
	}
}

// Recover ends the commands of a hub that is gone: a controller has let go of
// them when it was.
func (d *Desk) Recover(ctx context.Context, rows []*flow.Control) {
	for _, row := range rows {
		next := *row
		next.To, next.Lifted = max(d.cfg.Now().UnixMicro(), row.From+1), "the hub was started again"
		ctx, cancel := context.WithTimeout(ctx, recordWithin)
		if err := d.cfg.Record(ctx, next); err != nil {
			d.cfg.Log.Warn("the end of a command is not recorded", "command", row.Text, "error", err)
		}
		cancel()
	}
}
