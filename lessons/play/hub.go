package play

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/reconcile-tracer/tracer/server/flow"
	"github.com/reconcile-tracer/tracer/tracer/control/wire"
)

// Remote is a hub by its HTTP API. It is safe for concurrent use.
type Remote struct {
	// URL is the hub's, without a slash at the end.
	URL string
	// Token is the presenter's, Ingest the emitters'. Either may be empty where
	// Client sends it by itself; without Ingest beats are not recorded.
	Token, Ingest string
	// Client makes the requests. nil is http.DefaultClient.
	Client *http.Client
	// NoRecord says that beats are not put into the journal.
	NoRecord bool

	lostAfter time.Duration         // 0 is the constant
	lead      atomic.Pointer[int64] // see Lead, in microseconds
}

func (r *Remote) client() *http.Client {
	if r.Client == nil {
		return http.DefaultClient
	}
	return r.Client
}

// post sends a body and returns the answer to it.
func (r *Remote) post(ctx context.Context, path, contentType, token string, body []byte) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.URL+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", contentType)
	return r.send(req, token)
}

// maxAnswer bounds an answer, in bytes: every beat that a hub keeps.
const maxAnswer = 16 << 20

// send sends a request and returns the answer to it. An answer that is no
// success is an error with the hub's own words.
func (r *Remote) send(req *http.Request, token string) ([]byte, error) {
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := r.client().Do(req)
	if err != nil {
		return nil, fmt.Errorf("the hub does not answer: %w: see whether it runs", err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return nil, fmt.Errorf("reading the hub's answer: %w", err)
	}
	if res.StatusCode >= 300 {
		return nil, answerError(req.URL.Path, res, data)
	}
	return data, nil
}

func answerError(path string, res *http.Response, data []byte) error {
	var said struct {
		Error string `json:"error"`
	}
	if json.Unmarshal(data, &said) == nil && said.Error != "" {
		return errors.New(said.Error)
	}
	return fmt.Errorf("the hub answered %s to %s: see whether it is of this version", res.Status, path)
}

// Check implements Hub.
func (r *Remote) Check(ctx context.Context, controller string, commands bool) error {
	rows, err := Rows[flow.Controller](ctx, r, "row=controller")
	if err != nil {
		return err
	}
	for _, row := range rows {
		if row.Key != controller || !row.Connected {
			continue
		}
		if commands && !row.Control {
			return fmt.Errorf("the controller %q takes no commands: start it with TRACER_CONTROL=1 and the hub's control token, as tracer demo does", controller)
		}
		return nil
	}
	return fmt.Errorf("the hub does not hear the controller %q: start it, as tracer demo and tracer attach do", controller)
}

// The rows follow a command that was lifted by some milliseconds: what stands
// is looked at that often before it is believed, with a pause in between.
const (
	looks     = 5
	lookAgain = 100 * time.Millisecond
)

// Free implements Hub.
func (r *Remote) Free(ctx context.Context, controller, namespace string) error {
	for left := looks - 1; ; left-- {
		rows, err := Rows[flow.Control](ctx, r, "row=control")
		if err != nil {
			return err
		}
		err = standing(rows, controller, namespace)
		if err == nil || left == 0 {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(lookAgain):
		}
	}
}

// standing is the error of Free.
func standing(rows []flow.Control, controller, namespace string) error {
	var texts, lifts []string
	for i := range rows {
		row := &rows[i]
		if row.To != 0 || row.Controller != controller || row.Item != "" && !strings.HasPrefix(row.Item, namespace+"/") {
			continue
		}
		texts = append(texts, strconv.Quote(row.Text))
		lifts = append(lifts, fmt.Sprintf(`{"command":"lift","controller":%q,"id":%q}`, controller, row.Key))
	}
	if texts == nil {
		return nil
	}
	return fmt.Errorf("what somebody else has commanded stands, and would change what the lesson shows: %s: "+
		"lift it on the page, under the commands, or by POST /api/v1/control with %s, and start the lesson again",
		strings.Join(texts, ", "), strings.Join(lifts, " and "))
}

// Rows returns the rows that a query of /api/v1/rows selects, which must all be
// of T's kind.
func Rows[T any](ctx context.Context, r *Remote, query string) ([]T, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.URL+"/api/v1/rows?"+query, nil)
	if err != nil {
		return nil, err
	}
	data, err := r.send(req, r.Token)
	if err != nil {
		return nil, err
	}
	var rows []T
	for lines := json.NewDecoder(bytes.NewReader(data)); ; {
		var row T
		if err := lines.Decode(&row); errors.Is(err, io.EOF) {
			return rows, nil
		} else if err != nil {
			return nil, fmt.Errorf("reading the hub's rows: %w", err)
		}
		rows = append(rows, row)
	}
}

// Lift implements Hub.
func (r *Remote) Lift(ctx context.Context, controller, id string) error {
	_, _, err := r.Control(ctx, wire.Command{Command: wire.Lift, Controller: controller, ID: id})
	return err
}

// Control implements Hub.
func (r *Remote) Control(ctx context.Context, c wire.Command) (id, did string, err error) {
	body, err := json.Marshal(c)
	if err != nil {
		return "", "", fmt.Errorf("encoding the command: %w", err)
	}
	data, err := r.post(ctx, "/api/v1/control", "application/json", r.Token, body)
	if err != nil {
		return "", "", err
	}
	var answer struct{ ID, Text string }
	if err := json.Unmarshal(data, &answer); err != nil {
		return "", "", fmt.Errorf("reading the hub's answer to a command: %w", err)
	}
	return answer.ID, answer.Text, nil
}

// Record implements Hub.
func (r *Remote) Record(ctx context.Context, beat *flow.Beat) error {
	if r.NoRecord {
		return nil
	}
	body, err := encodeBeat(beat)
	if err != nil {
		return fmt.Errorf("encoding a beat: %w", err)
	}
	_, err = r.post(ctx, "/v1/logs", "application/x-protobuf", r.Ingest, body)
	return err
}

// abandonedAfter is when a beat that has not ended is nobody's any more: who plays
// a lesson against a hub goes through each beat in minutes.
const abandonedAfter = time.Hour

// EndBeats ends, now, the beats in the hub's history that began before a time and
// have not ended, of runs that are mine: who played them was killed. A lesson that
// somebody else plays goes on; a beat of it ends when it is abandoned. It returns
// the beats that it has ended.
func (r *Remote) EndBeats(ctx context.Context, before time.Time, mine func(run string) bool) ([]*flow.Beat, error) {
	beats, err := Rows[flow.Beat](ctx, r, "row=beat")
	if err != nil {
		return nil, err
	}
	var open []*flow.Beat
	for i := range beats {
		b := &beats[i]
		until := before
		if !mine(b.Run) {
			until = before.Add(-abandonedAfter)
		}
		if b.To != 0 || b.From >= until.UnixMicro() {
			continue
		}
		open = append(open, b)
		b.To = max(now(), b.From, b.Acted, b.Done)
		if err := r.Record(ctx, b); err != nil {
			return open, err
		}
	}
	return open, nil
}
