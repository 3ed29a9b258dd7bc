// Command firsttoken measures how long the built demo takes from its start to
// the first moving token: the first reconcile that a viewer sees on the watch.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/coder/websocket"

	"github.com/reconcile-tracer/tracer/cmd/tracer/internal/demotest"
	"github.com/reconcile-tracer/tracer/server/flow"
)

const (
	goal     = 10 * time.Second
	patience = 2 * time.Minute
	// retry is how often a viewer that is not let in tries again.
	retry = 20 * time.Millisecond
)

func main() {
	var b demotest.Binaries
	flag.StringVar(&b.Tracer, "tracer", "bin/tracer", "the built tracer")
	flag.StringVar(&b.Localcluster, "localcluster", "bin/localcluster", "the built localcluster")
	flag.Parse()
	if err := run(b); err != nil {
		fmt.Fprintln(os.Stderr, "firsttoken:", err)
		os.Exit(1)
	}
}

func run(b demotest.Binaries) error {
	data, err := os.MkdirTemp("", "firsttoken-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(data) }()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	demo, err := demotest.Start(ctx, b, data)
	if err != nil {
		return err
	}
	defer demo.End()
	if err := firstReconcile(ctx, demo); err != nil {
		return fmt.Errorf("%w; the demo said:\n%s", err, demo.Progress())
	}
	token := time.Since(demo.Started)
	if _, err := demo.Ready(ctx); err != nil {
		return err
	}
	fmt.Printf("first moving token %.2f s after the start of the demo (goal: at most %.0f s); page ready after %.2f s\n",
		token.Seconds(), goal.Seconds(), time.Since(demo.Started).Seconds())
	if token > goal {
		return errors.New("that is over the goal")
	}
	return nil
}

// firstReconcile watches like a page and returns when it is told of a reconcile.
func firstReconcile(ctx context.Context, demo *demotest.Demo) error {
	conn, err := dial(ctx, demo)
	if err != nil {
		return err
	}
	defer func() { _ = conn.CloseNow() }()
	conn.SetReadLimit(16 << 20)
	for {
		_, text, err := conn.Read(ctx)
		if err != nil {
			return fmt.Errorf("watching: %w", err)
		}
		var frame struct {
			Rows []struct {
				Row flow.RowKind `json:"row"`
			} `json:"rows"`
		}
		if err := json.Unmarshal(text, &frame); err != nil {
			return fmt.Errorf("watching: %w", err)
		}
		for _, r := range frame.Rows {
			if r.Row == flow.RowReconcile {
				return nil
			}
		}
	}
}

// dial tries until the hub is there.
func dial(ctx context.Context, demo *demotest.Demo) (*websocket.Conn, error) {
	options := &websocket.DialOptions{
		HTTPHeader:   http.Header{"Authorization": {"Bearer " + demo.Token}},
		Subprotocols: []string{"tracer.v1"},
	}
	ticks := time.NewTicker(retry)
	defer ticks.Stop()
	for {
		conn, _, err := websocket.Dial(ctx, "ws://"+demo.Address+"/api/v1/watch", options) //nolint:bodyclose // the library closes it
		if err == nil {
			return conn, nil
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("connecting to the watch: %w", err)
		case <-ticks.C:
		}
	}
}
