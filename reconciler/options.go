package reconciler

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"k8s.io/client-go/rest"

	"github.com/reconcile-tracer/tracer/tracer"
)

// ControllerName is the controller's name: in spans, as the user agent, as the
// manager of the fields it writes and as the source of its events.
const ControllerName = "podset"

// Limits of Options.
const (
	DefaultWorkers = 2
	// DefaultDrainTimeout is that of Options.DrainTimeout.
	DefaultDrainTimeout = 3 * time.Second

	maxWorkers = 64
	minResync  = time.Second
)

// Options says how Run runs. Config is required; the zero value of everything
// else is a sensible default.
type Options struct {
	// Config reaches the API server. Run works on a copy. Where its QPS is 0
	// Run sets 50 requests a second with bursts of 100.
	Config *rest.Config
	// Workers is how many keys are reconciled at once, 1 to 64; 0 means 2.
	Workers int
	// Resync is how often every PodSet is reconciled though nothing changed;
	// 0 means never, otherwise at least one second.
	Resync time.Duration
	// Namespace limits the controller to one namespace; "" means all.
	Namespace string
	// DrainTimeout bounds the wait for passes under way when Run has to stop;
	// what is unfinished then is cancelled. 0 means 3 s.
	DrainTimeout time.Duration
	// LeaderElection is off by default.
	LeaderElection LeaderElection
	// Tracer sees the loop; nil means that nobody does. Start it with
	// Controller: ControllerName and For: v1alpha1.PodSetKind. It stays the
	// caller's, who shuts it down after Run has returned.
	Tracer *tracer.Tracer
	// InstallCRD installs the CustomResourceDefinition first.
	InstallCRD bool
	// Bug is the name of one of Bugs, a mistake to make on purpose; "" means
	// none.
	Bug string
	// AskedMistakes lets a PodSet ask for the mistake hot-loop by
	// AnnotationMistake: for itself alone, and for MostLooks writes at most.
	AskedMistakes bool
	// Logger receives the logs; nil means slog.Default().
	Logger *slog.Logger

	bug Bug // of that name
}

// LeaderElection says whether and how instances agree on the one that works.
type LeaderElection struct {
	Enabled bool
	// Namespace is where the Lease is; "" means default.
	Namespace string
	// Name is the Lease's name; "" means tracer-podset.
	Name string
	// Identity tells instances apart; "" means host name and a random part.
	Identity string
	// LeaseDuration is how long others wait for a leader that went silent; 0
	// means 15 s, otherwise at least 3 s. The leader gives up after two thirds
	// of it and tries every seventh of it.
	LeaseDuration time.Duration
}

// withDefaults returns o with its defaults filled in, or an error that names
// the option, its limit and what to do.
func (o Options) withDefaults() (Options, error) {
	if o.Config == nil {
		return o, errors.New("options: Config is nil: give the configuration of an API server")
	}
	if o.Workers == 0 {
		o.Workers = DefaultWorkers
	}
	if o.Workers < 1 || o.Workers > maxWorkers {
		return o, fmt.Errorf("options: workers is %d, and must be between 1 and %d: choose a number in that range", o.Workers, maxWorkers)
	}
	if o.Resync != 0 && o.Resync < minResync {
		return o, fmt.Errorf("options: resync is %v, and must be 0 (never) or at least %v: choose a longer one", o.Resync, minResync)
	}
	if o.DrainTimeout < 0 {
		return o, fmt.Errorf("options: drain timeout is %v, and must not be negative: choose a positive one, or 0 for %v", o.DrainTimeout, DefaultDrainTimeout)
	}
	if o.DrainTimeout == 0 {
		o.DrainTimeout = DefaultDrainTimeout
	}
	var err error
	if o.bug, err = findBug(o.Bug); err != nil {
		return o, err
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	o.Config = ownConfig(o.Config)
	return o, o.LeaderElection.complete()
}

// ownConfig copies cfg and makes it the controller's.
func ownConfig(cfg *rest.Config) *rest.Config {
	own := rest.CopyConfig(cfg)
	if own.QPS == 0 {
		own.QPS, own.Burst = 50, 100
	}
	own.UserAgent = ControllerName + "/v1alpha1 (tracer)"
	return own
}
