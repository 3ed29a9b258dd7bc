package ctrlruntime

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/reconcile-tracer/tracer/tracer"
)

// flushAtMost is how long the manager's end waits for what is buffered.
const flushAtMost = 3 * time.Second

// Config says what is traced and where it is sent. Its zero value is usable.
type Config struct {
	// Tracer is what each controller's tracer is made from: endpoint, headers,
	// service name, buffer, logger, with the defaults of tracer.Config.
	// Controller, For and Workers are the controller's own.
	Tracer tracer.Config
	// For names the kind that a controller reconciles, by the controller's
	// name, where it is not found: it is the kind of For, or the watched kind
	// that has the controller's name.
	For map[string]schema.GroupVersionKind
}

// NewManager is ctrl.NewManager with every controller of the manager traced.
// Without an endpoint it is ctrl.NewManager. Neither cfg nor options are
// changed. An error is the manager's, or says which setting of config is wrong.
func NewManager(cfg *rest.Config, options manager.Options, config Config) (manager.Manager, error) {
	on, err := config.Tracer.Check()
	if err != nil {
		return nil, err
	}
	if !on || cfg == nil {
		return manager.New(cfg, options)
	}
	if config.Tracer.Logger == nil {
		config.Tracer.Logger = slog.Default()
	}
	s := &setup{config: config, election: options.LeaderElection}
	s.watches = tracer.NewWatches(s.othersThatWatch)
	s.config.Tracer.Watches = s.watches
	cfg = rest.CopyConfig(cfg)
	cfg.Wrap(s.newTransport)
	inner, err := manager.New(cfg, s.options(options))
	if err != nil {
		return nil, err
	}
	s.scheme = inner.GetScheme()
	return &managed{Manager: inner, setup: s}, nil
}

// managed is a manager whose controllers are traced.
type managed struct {
	manager.Manager
	setup *setup
}

// Add adds a runnable; a controller is traced from now on.
func (m *managed) Add(r manager.Runnable) error { return m.Manager.Add(m.setup.adopt(r)) }

// Start runs the manager. What is buffered at its end is sent, for 3 s at most.
func (m *managed) Start(ctx context.Context) error {
	if err := m.setup.start(ctx); err != nil {
		return err
	}
	defer m.setup.shutdown()
	return m.Manager.Start(ctx)
}

// setup is what a manager's controllers have in common.
type setup struct {
	config   Config
	election bool // the manager waits to be the leader
	scheme   kinds
	watches  *tracer.Watches // of the manager's cache

	mu          sync.Mutex
	controllers []*controller
}

// register keeps a controller for the manager's start.
func (s *setup) register(c *controller) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.controllers = append(s.controllers, c)
}

func (s *setup) all() []*controller {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]*controller(nil), s.controllers...)
}

// start starts the tracers of all controllers that are there.
func (s *setup) start(ctx context.Context) error {
	for _, c := range s.all() {
		if err := c.start(ctx, true); err != nil {
			s.shutdown()
			return fmt.Errorf("tracing controller %q: %w", c.name, err)
		}
	}
	return nil
}

// shutdown ends all tracers at once.
func (s *setup) shutdown() {
	ctx, cancel := context.WithTimeout(context.Background(), flushAtMost)
	defer cancel()
	var running sync.WaitGroup
	for _, c := range s.all() {
		running.Go(func() {
			if err := c.trace().Shutdown(ctx); err != nil {
				s.config.Tracer.Logger.Warn("the last spans of a controller are lost", "controller", c.name, "error", err)
			}
		})
	}
	running.Wait()
}

// options are o with cache and client traced.
func (s *setup) options(o manager.Options) manager.Options {
	newCache, newClient := o.NewCache, o.NewClient
	if newCache == nil {
		newCache = cache.New
	}
	if newClient == nil {
		newClient = client.New
	}
	o.NewCache = func(cfg *rest.Config, opts cache.Options) (cache.Cache, error) {
		c, err := newCache(cfg, opts)
		if err != nil || c == nil {
			return c, err
		}
		return newTracedCache(c, opts.Scheme, opts.Mapper), nil
	}
	o.NewClient = func(cfg *rest.Config, opts client.Options) (client.Client, error) {
		c, err := newClient(cfg, opts)
		if err != nil || c == nil {
			return c, err
		}
		return &tracedClient{c}, nil
	}
	o.Cache.DefaultWatchErrorHandler = s.watchErrors(o.Cache.DefaultWatchErrorHandler)
	o.Client.HTTPClient, o.Cache.HTTPClient = s.traced(o.Client.HTTPClient), s.traced(o.Cache.HTTPClient)
	return o
}

// traced is a copy of a client that was made beforehand; nil stays nil, because
// what is made from the manager's configuration is traced anyway.
func (s *setup) traced(c *http.Client) *http.Client {
	if c == nil {
		return nil
	}
	out := *c
	out.Transport = s.newTransport(c.Transport)
	return &out
}
