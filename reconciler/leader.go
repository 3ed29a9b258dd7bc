package reconciler

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/google/uuid"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// ErrLeaseLost is what Run returns when it had to stop because the Lease went
// to somebody else or could not be renewed. Starting again is the remedy.
var ErrLeaseLost = errors.New("the lease was lost: another instance may be working now; start again to stand by")

const (
	defaultLeaseDuration = 15 * time.Second
	minLeaseDuration     = 3 * time.Second
)

// complete returns an error when l does not make sense.
func (l LeaderElection) complete() error {
	if l.LeaseDuration != 0 && l.LeaseDuration < minLeaseDuration {
		return fmt.Errorf("options: lease duration is %v, and must be at least %v: choose a longer one", l.LeaseDuration, minLeaseDuration)
	}
	return nil
}

func (l LeaderElection) withDefaults() (LeaderElection, error) {
	if l.Namespace == "" {
		l.Namespace = metav1.NamespaceDefault
	}
	if l.Name == "" {
		l.Name = "tracer-" + ControllerName
	}
	if l.LeaseDuration == 0 {
		l.LeaseDuration = defaultLeaseDuration
	}
	if l.Identity == "" {
		host, err := os.Hostname()
		if err != nil {
			return l, fmt.Errorf("making an identity for the lease: %w", err)
		}
		l.Identity = host + "_" + uuid.NewString()
	}
	return l, nil
}

// lead calls work when the lease is won, with a context that ends when ctx
// does or the lease is lost, and gives the lease back only when work is done.
func (l LeaderElection) lead(ctx context.Context, client kubernetes.Interface, work func(context.Context) error) error {
	l, err := l.withDefaults()
	if err != nil {
		return err
	}
	election := newTerm(ctx)
	elector, err := leaderelection.NewLeaderElector(l.config(client, election, work))
	if err != nil {
		return fmt.Errorf("setting up leader election: %w", err)
	}
	return election.run(elector)
}

func (l LeaderElection) config(client kubernetes.Interface, t *term, work func(context.Context) error) leaderelection.LeaderElectionConfig {
	return leaderelection.LeaderElectionConfig{
		Lock: &resourcelock.LeaseLock{
			LeaseMeta:  metav1.ObjectMeta{Namespace: l.Namespace, Name: l.Name},
			Client:     client.CoordinationV1(),
			LockConfig: resourcelock.ResourceLockConfig{Identity: l.Identity},
		},
		LeaseDuration:   l.LeaseDuration,
		RenewDeadline:   l.LeaseDuration * 2 / 3,
		RetryPeriod:     l.LeaseDuration / 7,
		ReleaseOnCancel: true,
		Name:            ControllerName,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(context.Context) { t.work(work) },
			OnStoppedLeading: t.lost,
		},
	}
}

// term is one stay in office. client-go starts the work on a goroutine of its
// own, waits for none, and releases the lease the moment that its context
// ends; so the elector has a context that outlives the work.
type term struct {
	workCtx  context.Context
	stopWork context.CancelCauseFunc
	elector  context.Context
	resign   context.CancelFunc

	mu      sync.Mutex
	started bool
	ended   bool
	done    chan struct{}
	err     error
}

func newTerm(ctx context.Context) *term {
	t := &term{done: make(chan struct{})}
	t.workCtx, t.stopWork = context.WithCancelCause(ctx)
	t.elector, t.resign = context.WithCancel(context.WithoutCancel(ctx))
	return t
}

// work runs on client-go's goroutine, unless it came too late.
func (t *term) work(work func(context.Context) error) {
	t.mu.Lock()
	if t.ended {
		t.mu.Unlock()
		return
	}
	t.started = true
	t.mu.Unlock()

	defer t.resign()
	defer close(t.done)
	t.err = work(t.workCtx)
}

// lost runs whenever the elector ends, also when nothing was ever won.
func (t *term) lost() { t.stopWork(ErrLeaseLost) }

// run returns when neither the elector nor the work is running any more.
func (t *term) run(elector *leaderelection.LeaderElector) error {
	defer t.resign()
	stop := context.AfterFunc(t.workCtx, t.resignUnlessWorking)
	defer stop()
	elector.Run(t.elector)

	t.mu.Lock()
	t.ended = true
	started := t.started
	t.mu.Unlock()
	if !started {
		return nil
	}
	<-t.done
	if errors.Is(context.Cause(t.workCtx), ErrLeaseLost) && t.err == nil {
		return ErrLeaseLost
	}
	return t.err
}

// resignUnlessWorking ends the candidacy; a leader resigns by ending its work.
func (t *term) resignUnlessWorking() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.started {
		t.ended = true
		t.resign()
	}
}
