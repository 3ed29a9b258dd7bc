package play

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"github.com/reconcile-tracer/tracer/internal/clustertest"
	"github.com/reconcile-tracer/tracer/lessons/cluster"
	"github.com/reconcile-tracer/tracer/lessons/engine"
	"github.com/reconcile-tracer/tracer/lessons/format"
	"github.com/reconcile-tracer/tracer/server/flow"
	"github.com/reconcile-tracer/tracer/tracer/control/wire"
)

// TestMain also fails when goroutines are left over.
func TestMain(m *testing.M) { os.Exit(clustertest.Main(m)) }

// within bounds what a test waits for.
const within = 30 * time.Second

// handHub is a hub by hand: it hears what a lesson wants of one.
type handHub struct {
	mu      sync.Mutex
	beats   map[string]flow.Beat // the newest record of each, by key
	given   []string             // commands
	lifted  []string             // ids
	control func(ctx context.Context) error
	busy    error // what Free says
	// lost ends Watch with an error.
	lost chan error
}

func newHandHub() *handHub {
	return &handHub{beats: map[string]flow.Beat{}, lost: make(chan error, 1), control: func(context.Context) error { return nil }}
}

func (h *handHub) Check(context.Context, string, bool) error { return nil }

func (h *handHub) Free(context.Context, string, string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.busy
}

func (h *handHub) Watch(ctx context.Context, _ string, take func(Change)) error {
	take(Change{All: true})
	select {
	case <-ctx.Done():
		return nil
	case err := <-h.lost:
		return err
	}
}

func (h *handHub) Control(ctx context.Context, c wire.Command) (id, did string, err error) {
	h.mu.Lock()
	h.given = append(h.given, c.Command)
	h.mu.Unlock()
	return "id-" + c.Command, "did " + c.Command, h.control(ctx)
}

func (h *handHub) Lift(ctx context.Context, _, id string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.lifted = append(h.lifted, id)
	return ctx.Err()
}

func (h *handHub) Record(ctx context.Context, beat *flow.Beat) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.beats[beat.Key] = *beat
	return ctx.Err()
}

// open are the beats that have not ended, ended how many have.
func (h *handHub) open() (open []string, ended int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for key, b := range h.beats {
		if b.To == 0 {
			open = append(open, key)
		} else {
			ended++
		}
	}
	return open, ended
}

// stage is a player with one lesson on the tests' cluster.
type stage struct {
	t      *testing.T
	hub    *handHub
	kube   kubernetes.Interface
	acts   *cluster.Cluster
	player *Player
	told   chan struct{} // room for one
}

// newStage makes a player with a lesson of those beats, whose id is the name, and
// begins it, after what is to be done before.
func newStage(t *testing.T, name, beats string, before ...func(*stage)) *stage {
	t.Helper()
	cfg := clustertest.Get(t).Config()
	kube, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		t.Fatal(err)
	}
	acts, err := cluster.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	l, err := format.Parse("x.yaml", []byte("id: "+name+"\ntitle: x\nabout: x\nminutes: 1\nneeds: [control]\nbeats:"+beats))
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{t: t, hub: newHandHub(), kube: kube, acts: acts, told: make(chan struct{}, 1)}
	s.player = New(Config{
		Hub: s.hub, Cluster: acts, Lessons: []*format.Lesson{l}, Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
		OnChange: func(*engine.State) {
			select {
			case s.told <- struct{}{}:
			default:
			}
		},
	})
	t.Cleanup(s.player.Close)
	for _, do := range before {
		do(s)
	}
	if err := s.player.Start(name); err != nil {
		t.Fatal(err)
	}
	return s
}

// await waits until the lesson is in one of those states; "" is none.
func (s *stage) await(states ...string) *engine.State {
	s.t.Helper()
	timeout := time.After(within)
	for {
		now, word := s.player.Current(), ""
		if now != nil {
			word = now.State
		}
		if slices.Contains(states, word) {
			return now
		}
		select {
		case <-s.told:
		case <-timeout:
			s.t.Fatalf("the lesson is %+v, want it %s", now, strings.Join(states, " or "))
		}
	}
}

func (s *stage) do(command engine.Command) {
	s.t.Helper()
	if err := s.player.Do(s.t.Context(), string(command)); err != nil {
		s.t.Fatal(err)
	}
}

// hold puts something into a namespace that keeps it from going, until t ends.
func (s *stage) hold(namespace string) {
	s.t.Helper()
	maps := s.kube.CoreV1().ConfigMaps(namespace)
	held := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "held", Finalizers: []string{"example.test/hold"}}}
	if _, err := maps.Create(s.t.Context(), held, metav1.CreateOptions{}); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		let := []byte(`{"metadata":{"finalizers":null}}`)
		if _, err := maps.Patch(context.Background(), "held", types.MergePatchType, let, metav1.PatchOptions{}); err != nil {
			s.t.Error(err)
		}
	})
}

// deleted waits until a namespace is gone, or on its way.
func (s *stage) deleted(namespace string) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), within)
	defer cancel()
	watch, err := s.kube.CoreV1().Namespaces().Watch(ctx, metav1.ListOptions{FieldSelector: "metadata.name=" + namespace})
	if err != nil {
		s.t.Fatal(err)
	}
	defer watch.Stop()
	for {
		now, err := s.kube.CoreV1().Namespaces().Get(ctx, namespace, metav1.GetOptions{})
		if err != nil || now.DeletionTimestamp != nil {
			break
		}
		if _, more := <-watch.ResultChan(); !more {
			s.t.Fatalf("namespace %s is not deleted", namespace)
		}
	}
}

var errRefused = errors.New("the token is of yesterday: give today's")
