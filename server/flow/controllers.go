package flow

import (
	"cmp"
	"container/list"
	"slices"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// maxReplicas is how many processes of one controller are told apart.
const maxReplicas = 8

// controller is a Controller row and the processes that run it.
type controller struct {
	row      *Controller
	frozen   bool
	queued   bool
	given    bool
	gone     bool
	replicas []*replica
	elem     *list.Element
}

// replica is one process that runs a controller, with what it last said of
// itself.
type replica struct {
	controller *controller
	source     *source
	heard      int64
	// since is when it was heard of first, or again after a silence.
	since int64
	// at is the time of the newest controller.state record, taken when it came.
	at, taken int64
	state     lane
	// dropped is what predicates dropped, by their name and the kind.
	dropped map[string]*dropped
	// givenUp says that what it left open has been ended.
	givenUp bool
}

// lane is what a controller.state record says.
type lane struct {
	workers          int
	lease            string
	synced, unsynced []string
	watchError       string
	stopping         bool
	control          bool
}

// controller returns the controller called name, a new one if need be.
func (s *State) controller(name string) *controller {
	c := s.controllers[name]
	if c == nil {
		c = &controller{row: &Controller{Row: RowController, Key: name}}
		s.controllers[name] = c
		c.elem = s.controllerOrder.PushBack(c)
		s.editController(c)
		for len(s.controllers) > s.limits.Controllers {
			s.dropController(s.quietest(c))
		}
	}
	return c
}

func (s *State) editController(c *controller) *Controller {
	if c.frozen {
		c.row, c.frozen = c.row.clone(), false
	}
	if !c.queued {
		c.queued = true
		s.changed = append(s.changed, c)
	}
	return c.row
}

// clone copies what the fold changes in place; Synced and Unsynced are only
// ever replaced.
func (r *Controller) clone() *Controller {
	c := *r
	c.Latency = slices.Clone(r.Latency)
	c.Drops = slices.Clone(r.Drops)
	return &c
}

func (c *controller) publish() Row {
	c.queued = false
	if c.gone {
		return nil
	}
	c.frozen, c.given = true, true
	return c.row
}

// bind notes that a process runs a controller.
func (s *State) bind(name string, src *source) *replica {
	c := s.controller(name)
	for _, rep := range c.replicas {
		if rep.source == src {
			return rep
		}
	}
	rep := &replica{controller: c, source: src}
	if len(c.replicas) >= maxReplicas {
		s.unbind(slices.MinFunc(c.replicas, func(a, b *replica) int { return cmp.Compare(a.heard, b.heard) }))
	}
	c.replicas = append(c.replicas, rep)
	src.replicas = append(src.replicas, rep)
	rep.since = src.heard
	if rep.heard = src.heard; !s.silent(rep) { // else it speaks of the past
		s.heardReplica(rep)
	}
	s.showLane(c)
	return rep
}

func (s *State) unbind(rep *replica) {
	same := func(o *replica) bool { return o == rep }
	rep.controller.replicas = slices.DeleteFunc(rep.controller.replicas, same)
	rep.source.replicas = slices.DeleteFunc(rep.source.replicas, same)
}

// heardReplica notes that a controller is alive. Its row says so once a
// second, so that busy controllers do not change their rows by that alone.
func (s *State) heardReplica(rep *replica) {
	if rep.source.heard-rep.heard >= silence {
		rep.since = rep.source.heard
	}
	rep.heard, rep.givenUp = rep.source.heard, false
	c := rep.controller
	// After a hub was down, too, nobody has said that it was silent.
	if !c.row.Connected || rep.heard-c.row.Heard >= silence {
		row := s.editController(c)
		row.Connected, row.Since, row.Heard = true, rep.heard, rep.heard
		s.askAll(row.Key)
		s.showLane(c)
	}
	if rep.heard-c.row.Heard >= second {
		s.editController(c).Heard = rep.heard
	}
}

// takeState takes a controller.state record in.
func (s *State) takeState(r *run, l *Log) {
	name := l.Attrs.text(semconv.AttrController)
	if name == "" {
		return
	}
	rep := s.bind(name, r.source)
	if l.At < rep.at {
		if s.now < rep.taken+stepGrace {
			return
		}
		s.stepBack(rep, l.At)
	}
	rep.at, rep.taken = l.At, s.now
	rep.state = laneOf(l.Attrs)
	if kind := l.Attrs.text(semconv.AttrObjectKind); kind != "" && rep.controller.row.ObjectKind != kind {
		s.editController(rep.controller).ObjectKind = kind
	}
	s.showLane(rep.controller)
}

func laneOf(a Attrs) lane {
	return lane{
		workers:    int(a.num(semconv.AttrStateWorkers)),
		lease:      a.text(semconv.AttrStateLease),
		synced:     a.list(semconv.AttrStateSynced),
		unsynced:   a.list(semconv.AttrStateUnsynced),
		watchError: a.text(semconv.AttrStateWatchError),
		stopping:   a.flag(semconv.AttrStateStopping),
		control:    a.flag(semconv.AttrStateControl),
	}
}

// showLane shows the process that does the work: one that holds the lease or
// needs none, and of these the one heard of last.
func (s *State) showLane(c *controller) {
	if len(c.replicas) == 0 {
		return
	}
	rep := slices.MaxFunc(c.replicas, func(a, b *replica) int {
		return cmp.Or(
			cmp.Compare(s.rank(a), s.rank(b)), cmp.Compare(a.heard, b.heard),
			cmp.Compare(a.source.id.Instance, b.source.id.Instance))
	})
	if c.shows(rep) {
		return
	}
	row, l, id := s.editController(c), rep.state, rep.source.id
	if row.Connected && row.Source != id.Instance {
		row.Since = max(row.Since, rep.since)
	}
	row.Source, row.Service, row.Pod = id.Instance, id.Service, id.Pod
	row.Workers, row.Lease = l.workers, l.lease
	row.Synced, row.Unsynced = l.synced, l.unsynced
	row.WatchError, row.Stopping, row.Control = l.watchError, l.stopping, l.control && c.row.Connected
}

func (c *controller) shows(rep *replica) bool {
	r, l, id := c.row, rep.state, rep.source.id
	return r.Source == id.Instance && r.Service == id.Service && r.Pod == id.Pod &&
		r.Workers == l.workers && r.Lease == l.lease && r.WatchError == l.watchError && r.Stopping == l.stopping &&
		r.Control == (l.control && r.Connected) &&
		slices.Equal(r.Synced, l.synced) && slices.Equal(r.Unsynced, l.unsynced)
}

func (s *State) rank(rep *replica) int {
	switch {
	case s.silent(rep):
		return 0
	case rep.state.lease == semconv.LeaseWaiting:
		return 1
	}
	return 2
}

func (s *State) silent(rep *replica) bool { return s.now-rep.heard >= silence }

// checkSilence says of controllers that have not been heard of that they are
// not connected. What a silent process left open stays open, because it may
// only be held; when another process of the same controller is there, it has
// taken over, and what the silent one left is given up.
func (s *State) checkSilence() {
	for e := s.controllerOrder.Front(); e != nil; e = e.Next() {
		c := e.Value.(*controller)
		if !c.row.Connected {
			continue
		}
		if alive := slices.ContainsFunc(c.replicas, func(r *replica) bool { return !s.silent(r) }); !alive {
			s.disconnect(c)
			continue
		}
		for _, rep := range c.replicas {
			if s.silent(rep) && !rep.givenUp {
				rep.givenUp = true
				s.giveUpReplica(rep)
				s.showLane(c)
			}
		}
	}
}

func (s *State) disconnect(c *controller) {
	row := s.editController(c)
	row.Connected, row.Control = false, false
	for _, rep := range c.replicas {
		row.Heard = max(row.Heard, rep.heard)
	}
	row.Since = row.Heard
}

func (s *State) giveUpReplica(rep *replica) {
	name := rep.controller.row.Key
	s.giveUp(rep.heard, name, func(r *run) bool { return r.source == rep.source })
	s.endAllHolds(name, rep.source, rep.heard)
}

// quietest is the controller that goes first when there are too many, the new
// one apart.
func (s *State) quietest(apart *controller) *controller {
	var oldest *controller
	for e := s.controllerOrder.Back(); e != nil; e = e.Prev() {
		c := e.Value.(*controller)
		if c == apart {
			continue
		}
		if oldest == nil || !c.row.Connected || oldest.row.Connected {
			oldest = c
		}
	}
	return oldest
}

func (s *State) dropController(c *controller) {
	for _, rep := range slices.Clone(c.replicas) {
		s.unbind(rep)
	}
	c.gone = true
	s.controllerOrder.Remove(c.elem)
	delete(s.controllers, c.row.Key)
	if c.given {
		s.retract(c.row)
	}
}

func (s *State) controllerRows(rows []Row) []Row {
	for e := s.controllerOrder.Front(); e != nil; e = e.Next() {
		c := e.Value.(*controller)
		c.frozen = true
		rows = append(rows, c.row)
	}
	return rows
}
