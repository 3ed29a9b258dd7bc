package tracer

import (
	"context"
	"slices"
	"sort"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"k8s.io/client-go/tools/cache"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

const (
	heartbeat = time.Second
	// pollSynced is how often caches are asked while some are not synced.
	pollSynced = 50 * time.Millisecond
	// watchErrorFor is how long an error is shown when no event ends it.
	watchErrorFor = time.Minute
	// refreshEvery is how often every item's place is told anew, for a hub
	// that has lost it.
	refreshEvery = 10 * time.Second
)

// controllerState is the controller's start-up lane and sign of life.
type controllerState struct {
	controller string
	kind       string
	changed    chan struct{}

	mu       sync.Mutex
	workers  int
	lease    string
	stopping bool
	control  bool // a hub's commands reach it
	pending  map[string]func() bool
	synced   map[string]bool
	errors   map[string]watchError
	refresh  []func()
}

type watchError struct {
	what string
	at   time.Time
}

func newControllerState(cfg Config) *controllerState {
	return &controllerState{
		controller: cfg.Controller,
		kind:       cfg.For.Kind,
		workers:    cfg.Workers,
		lease:      semconv.LeaseNone,
		changed:    make(chan struct{}, 1),
		pending:    map[string]func() bool{},
		synced:     map[string]bool{},
		errors:     map[string]watchError{},
	}
}

// Workers tells how many workers the controller runs.
func (t *Tracer) Workers(n int) {
	t.updateState(func(s *controllerState) { s.workers = n })
}

// Lease tells about leader election: semconv.LeaseNone (the default),
// LeaseWaiting or LeaseLeading.
func (t *Tracer) Lease(state string) {
	t.updateState(func(s *controllerState) { s.lease = state })
}

// Stopping tells that the controller has begun to stop.
func (t *Tracer) Stopping() {
	t.updateState(func(s *controllerState) { s.stopping = true })
}

// WatchSync makes the start of a kind's cache visible; hasSynced is an
// informer's HasSynced, which is polled until it is true.
func (t *Tracer) WatchSync(kind string, hasSynced func() bool) {
	if hasSynced == nil {
		return
	}
	t.updateState(func(s *controllerState) { s.pending[kind] = hasSynced })
}

// WatchErrorHandler wraps an informer's watch error handler (nil:
// cache.DefaultWatchErrorHandler) so that the error's type is shown for kind
// until its next event or for a minute:
// informer.SetWatchErrorHandlerWithContext(t.WatchErrorHandler("Pod", nil)).
func (t *Tracer) WatchErrorHandler(kind string, next cache.WatchErrorHandlerWithContext) cache.WatchErrorHandlerWithContext {
	if next == nil {
		next = cache.DefaultWatchErrorHandler
	}
	return func(ctx context.Context, r *cache.Reflector, err error) {
		t.updateState(func(s *controllerState) {
			s.errors[kind] = watchError{errorType(err), time.Now()}
		})
		next(ctx, r, err)
	}
}

// updateState changes the state and has it sent; a tracer that is off keeps
// nothing.
func (t *Tracer) updateState(change func(*controllerState)) {
	if !t.Enabled() {
		return
	}
	t.state.mu.Lock()
	change(t.state)
	t.state.mu.Unlock()
	signal(t.state.changed)
}

// eventOf notes that an event of kind came, so its watch works.
func (s *controllerState) eventOf(kind string) {
	s.mu.Lock()
	_, failed := s.errors[kind]
	delete(s.errors, kind)
	s.mu.Unlock()
	if failed {
		signal(s.changed)
	}
}

// run sends the state on each change and each second until stop is closed.
func (s *controllerState) run(stop <-chan struct{}, put func(string, func() record)) {
	refreshed := time.Now()
	for {
		if time.Since(refreshed) >= refreshEvery {
			refreshed = time.Now()
			s.tellAll()
		}
		s.poll()
		put(semconv.LogControllerState, s.record)
		timer := time.NewTimer(s.next())
		select {
		case <-stop:
			timer.Stop()
			return
		case <-s.changed:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// stop notes that the controller's tracing ends, and so does the controller.
func (s *controllerState) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopping = true
}

// tellAll has every queue tell the place of every item.
func (s *controllerState) tellAll() {
	s.mu.Lock()
	refresh := slices.Clone(s.refresh)
	s.mu.Unlock()
	for _, tell := range refresh {
		tell()
	}
}

// next is how long to wait before the state is sent again.
func (s *controllerState) next() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.pending) > 0 {
		return pollSynced
	}
	return heartbeat
}

// poll asks the caches that are not synced. They are asked outside the lock,
// because they are the controller's code.
func (s *controllerState) poll() {
	s.mu.Lock()
	asked := make(map[string]func() bool, len(s.pending))
	for kind, hasSynced := range s.pending {
		asked[kind] = hasSynced
	}
	s.mu.Unlock()
	for kind, hasSynced := range asked {
		if has, _ := spared(hasSynced); !has {
			continue
		}
		s.mu.Lock()
		s.synced[kind] = true
		delete(s.pending, kind)
		s.mu.Unlock()
	}
}

func (s *controllerState) record() record {
	now := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	return record{at: now, event: semconv.LogControllerState, attrs: []attribute.KeyValue{
		attribute.String(semconv.AttrController, s.controller),
		attribute.String(semconv.AttrObjectKind, s.kind),
		attribute.Int(semconv.AttrStateWorkers, s.workers),
		attribute.String(semconv.AttrStateLease, s.lease),
		attribute.StringSlice(semconv.AttrStateSynced, sortedKeys(s.synced)),
		attribute.StringSlice(semconv.AttrStateUnsynced, sortedKeys(s.pending)),
		attribute.String(semconv.AttrStateWatchError, s.watchError(now)),
		attribute.Bool(semconv.AttrStateStopping, s.stopping),
		attribute.Bool(semconv.AttrStateControl, s.control),
	}}
}

// watchError is the newest error as "kind: type"; old ones are let go.
func (s *controllerState) watchError(now time.Time) string {
	text, newest := "", time.Time{}
	for kind, e := range s.errors {
		if now.Sub(e.at) > watchErrorFor {
			delete(s.errors, kind)
		} else if e.at.After(newest) {
			text, newest = kind+": "+e.what, e.at
		}
	}
	return text
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
