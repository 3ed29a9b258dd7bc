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
	// protocol is the hub's subprotocol for viewers.
	protocol = "tracer.v1"
)

// watched are the kinds of rows that conditions speak of.
func watched() []flow.RowKind {
	return []flow.RowKind{flow.RowReconcile, flow.RowWait, flow.RowHold, flow.RowItem, flow.RowEdge, flow.RowFinding}
}

// Watch implements Hub. It returns an error at once where the hub refuses.
func (r *Remote) Watch(ctx context.Context, namespace string, take func([]flow.Row, []flow.RowRef)) error {
	for {
		err := r.watchOnce(ctx, namespace, take)
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(again):
		}
		if refused, ok := errors.AsType[*refusedError](err); ok && refused.status < http.StatusInternalServerError {
			return err
		}
	}
}

// refusedError is the hub's answer to who may not watch.
type refusedError struct {
	status int
	err    error
}

func (e *refusedError) Error() string {
	return fmt.Sprintf("the hub does not let the lesson watch: it answered %d: give it the presenter's token: %v", e.status, e.err)
}

func (r *Remote) watchOnce(ctx context.Context, namespace string, take func([]flow.Row, []flow.RowRef)) error {
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
		return fmt.Errorf("watching the hub: %w", err)
	}
	defer func() { _ = conn.CloseNow() }()
	conn.SetReadLimit(maxFrame)
	for {
		_, data, err := conn.Read(ctx)
		if err != nil {
			return fmt.Errorf("watching the hub: %w", err)
		}
		rows, gone, err := readFrame(data)
		if err != nil {
			return err
		}
		take(rows, gone)
	}
}

// readFrame reads the rows of a frame; one that holds none is no error.
func readFrame(data []byte) (rows []flow.Row, gone []flow.RowRef, err error) {
	var frame struct {
		Rows []json.RawMessage `json:"rows"`
		Gone []string          `json:"gone"`
	}
	if err := json.Unmarshal(data, &frame); err != nil {
		return nil, nil, fmt.Errorf("reading a frame of the hub: %w", err)
	}
	for _, raw := range frame.Rows {
		row, err := readRow(raw)
		if err != nil {
			return nil, nil, err
		}
		if row != nil {
			rows = append(rows, row)
		}
	}
	for _, name := range frame.Gone {
		kind, key, _ := strings.Cut(name, "/")
		gone = append(gone, flow.RowRef{Kind: flow.RowKind(kind), ID: key})
	}
	return rows, gone, nil
}

// readRow reads a row by its kind, nil for a kind that no condition speaks of.
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
	default:
		return nil, nil
	}
	if err := json.Unmarshal(raw, row); err != nil {
		return nil, fmt.Errorf("reading a %s of the hub: %w", head.Row, err)
	}
	return row, nil
}
