package play

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/coder/websocket"

	"github.com/reconcile-tracer/tracer/server/flow"
)

const (
	// maxFrame is the largest frame, in bytes: a snapshot of one namespace.
	maxFrame = 64 << 20
	// again is how long Watch waits before it connects again.
	again = 300 * time.Millisecond
	// lostAfter is how long there may be no connection.
	lostAfter = 30 * time.Second
	// protocol is the hub's subprotocol for viewers.
	protocol = "tracer.v1"
)

// watched are the kinds of rows that conditions speak of, and commands: one that
// the lesson gave may be lifted by somebody.
func watched() []flow.RowKind {
	return []flow.RowKind{flow.RowReconcile, flow.RowWait, flow.RowHold, flow.RowItem, flow.RowEdge, flow.RowFinding, flow.RowControl}
}

// Watch implements Hub. It returns an error at once where the hub refuses, and
// later where there is no connection for long.
func (r *Remote) Watch(ctx context.Context, namespace string, take func(Change)) error {
	var last error // of the attempts since there was a connection
	var since time.Time
	for {
		err := r.watchOnce(ctx, namespace, func(c Change) {
			last = nil
			take(c)
		})
		if ctx.Err() != nil {
			return last
		}
		if refused, ok := errors.AsType[*refusedError](err); ok && refused.status < http.StatusInternalServerError {
			return err
		}
		if last == nil {
			since = time.Now()
		}
		if last = err; time.Since(since) > r.patience() {
			return fmt.Errorf("the hub gives no rows any more: %w", err)
		}
		select {
		case <-ctx.Done():
			return last
		case <-time.After(again):
		}
	}
}

func (r *Remote) patience() time.Duration {
	if r.lostAfter > 0 {
		return r.lostAfter
	}
	return lostAfter
}

// refusedError is the hub's answer where it gives no rows.
type refusedError struct {
	status int
	err    error
}

// Error implements error.
func (e *refusedError) Error() string {
	remedy := "see its log"
	if e.status == http.StatusUnauthorized || e.status == http.StatusForbidden {
		remedy = "give it the presenter's token"
	}
	return fmt.Sprintf("the hub does not let the lesson watch: it answered %d: %s: %v", e.status, remedy, e.err)
}

// Unwrap returns the error of the connection.
func (e *refusedError) Unwrap() error { return e.err }

func (r *Remote) watchOnce(ctx context.Context, namespace string, take func(Change)) error {
	query := url.Values{"item": {namespace + "/*"}}
	for _, kind := range watched() {
		query.Add("row", string(kind))
	}
	options := &websocket.DialOptions{HTTPClient: r.client(), Subprotocols: []string{protocol}, HTTPHeader: http.Header{}}
	if r.Token != "" {
		options.HTTPHeader.Set("Authorization", "Bearer "+r.Token)
	}
	conn, res, err := websocket.Dial(ctx, r.URL+"/api/v1/watch?"+query.Encode(), options) //nolint:bodyclose // the library closes it
	if err != nil && res != nil {
		return &refusedError{res.StatusCode, err}
	}
	if err != nil {
		return fmt.Errorf("watching the hub: %w: see whether it runs", err)
	}
	defer func() { _ = conn.CloseNow() }()
	conn.SetReadLimit(maxFrame)
	for {
		_, data, err := conn.Read(ctx)
		if err != nil {
			return fmt.Errorf("watching the hub: %w: see whether it runs", err)
		}
		change, at, err := readFrame(data)
		if err != nil {
			return err
		}
		r.heard(at)
		take(change)
	}
}

// heard takes down that it was at, in microseconds by the hub's clock, a moment
// ago. The shorter the way was, the larger is the lead.
func (r *Remote) heard(at int64) {
	lead := at - now()
	for at != 0 {
		old := r.lead.Load()
		if old != nil && *old >= lead || r.lead.CompareAndSwap(old, &lead) {
			return
		}
	}
}

// Lead is how far the hub's clock is ahead of this process's, or less by what its
// frames took to come here. It is 0 until one has.
func (r *Remote) Lead() time.Duration {
	if lead := r.lead.Load(); lead != nil {
		return time.Duration(*lead) * time.Microsecond
	}
	return 0
}

// readFrame reads the rows of a frame, and when it was sent; one that holds none
// is no error. That with which the hub lets a viewer go is.
func readFrame(data []byte) (c Change, at int64, err error) {
	var frame struct {
		Type    string
		Now     int64
		Message string
		Rows    []json.RawMessage
		Gone    []string
	}
	if err := json.Unmarshal(data, &frame); err != nil {
		return c, 0, fmt.Errorf("reading a frame of the hub: %w", err)
	}
	if frame.Type == "error" {
		return c, 0, fmt.Errorf("the hub has let the lesson go: %s", frame.Message)
	}
	c.All = frame.Type == "snapshot"
	for _, raw := range frame.Rows {
		row, err := readRow(raw)
		if err != nil {
			return c, 0, err
		}
		if row != nil {
			c.Rows = append(c.Rows, row)
		}
	}
	for _, name := range frame.Gone {
		kind, key, _ := strings.Cut(name, "/")
		c.Gone = append(c.Gone, flow.RowRef{Kind: flow.RowKind(kind), ID: key})
	}
	return c, frame.Now, nil
}

// readRow reads a row by its kind, nil for a kind that a lesson does not watch.
func readRow(raw json.RawMessage) (flow.Row, error) {
	var head struct {
		Row flow.RowKind `json:"row"`
	}
	if err := json.Unmarshal(raw, &head); err != nil {
		return nil, fmt.Errorf("reading a row of the hub: %w", err)
	}
	var row flow.Row
	switch head.Row {
	case flow.RowReconcile:
		row = &flow.Reconcile{}
	case flow.RowWait:
		row = &flow.Wait{}
	case flow.RowHold:
		row = &flow.Hold{}
	case flow.RowItem:
		row = &flow.Item{}
	case flow.RowEdge:
		row = &flow.Edge{}
	case flow.RowFinding:
		row = &flow.Finding{}
	case flow.RowControl:
		row = &flow.Control{}
	default:
		return nil, nil
	}
	if err := json.Unmarshal(raw, row); err != nil {
		return nil, fmt.Errorf("reading a %s of the hub: %w", head.Row, err)
	}
	return row, nil
}
