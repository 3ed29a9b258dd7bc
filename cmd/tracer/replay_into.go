package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"time"

	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	spb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/reconcile-tracer/tracer/server/journal"
	"github.com/reconcile-tracer/tracer/server/recording"
)

// parseSpeed reads a speed; 0 is as fast as can be.
func parseSpeed(value string) (float64, error) {
	if value == "max" {
		return 0, nil
	}
	speed, err := strconv.ParseFloat(strings.TrimSuffix(value, "x"), 64)
	if err != nil || !(speed >= 0.01 && speed <= 1000) {
		return 0, usagef("--speed %q: not a speed (give 1, 10, another number from 0.01 to 1000, or max)", value)
	}
	return speed, nil
}

// intoHub sends a recording to a hub.
type intoHub struct {
	url, token string
	client     *http.Client
	speed      float64 // 0 is as fast as can be
	// began is when the first block was sent, first when the hub of the
	// recording received it.
	began time.Time
	first int64

	progress *progress
	requests int64
	bytes    int64
	rejected int64
	why      string
}

func (o *replayOptions) playInto(ctx context.Context) error {
	in, err := o.openFile()
	if err != nil {
		return err
	}
	defer in.Close()
	speed, _ := parseSpeed(o.speed) // checked
	p := &intoHub{
		url: strings.TrimSuffix(o.into, "/"), token: o.ingest, client: &http.Client{Timeout: time.Minute}, speed: speed,
		progress: newProgress(o.io.err),
	}
	sum, err := recording.Read(in, func(b journal.Block) error { return p.block(ctx, b) })
	p.progress.clear()
	if err != nil {
		if p.requests > 0 {
			fmt.Fprintf(o.io.err, "tracer replay: sent %s before it broke off\n", grouped(p.requests, "request"))
		}
		var sending *sendError
		if errors.As(err, &sending) || ctx.Err() != nil {
			return err
		}
		return explainFile(o.title(), err)
	}
	fmt.Fprintf(o.io.err, "tracer replay: sent %s, %s, %s to %s\n",
		grouped(sum.Requests, "request"), grouped(sum.Spans, "span"), grouped(sum.Logs, "log record"), p.url)
	return p.judge(sum)
}

// judge makes an error of what has not arrived as it was.
func (p *intoHub) judge(sum recording.Summary) error {
	switch {
	case sum.Left > 0:
		return fmt.Errorf("%s left out: %s", grouped(int64(sum.Left), "span or log record"), sum.LeftWhy)
	case p.rejected > 0:
		return fmt.Errorf("the hub left out %s: %s", grouped(p.rejected, "span or log record"), p.why)
	}
	return nil
}

// block sends a block's requests when their time has come.
func (p *intoHub) block(ctx context.Context, b journal.Block) error {
	for _, r := range b.Records {
		path := map[journal.Kind]string{journal.KindTraces: "/v1/traces", journal.KindLogs: "/v1/logs"}[r.Kind]
		if path == "" {
			continue // a loss: that what is missing is missing, its numbers say
		}
		if err := p.wait(ctx, b.At); err != nil {
			return err
		}
		if err := p.send(ctx, path, r); err != nil {
			return err
		}
		p.requests++
		p.bytes += int64(len(r.Payload))
		p.progress.tell(p.requests, p.bytes)
	}
	return nil
}

// wait waits until it is time for what was received at a time.
func (p *intoHub) wait(ctx context.Context, at int64) error {
	if p.began.IsZero() {
		p.began, p.first = time.Now(), at
	}
	if p.speed == 0 {
		return nil
	}
	after := time.Duration(float64(at-p.first)/p.speed) * time.Microsecond
	return pause(ctx, time.Until(p.began.Add(after)))
}

func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// sendError says that a request did not arrive.
type sendError struct{ err error }

func (e *sendError) Error() string { return e.err.Error() }
func (e *sendError) Unwrap() error { return e.err }

// sendTries is how often a request is sent to a hub that is full.
const sendTries = 60

// send sends one request, again while the hub is full.
func (p *intoHub) send(ctx context.Context, path string, r journal.Record) error {
	for range sendTries {
		again, err := p.post(ctx, path, r)
		if err != nil {
			return &sendError{err}
		}
		if !again {
			return nil
		}
		if err := pause(ctx, time.Second); err != nil {
			return err
		}
	}
	return &sendError{fmt.Errorf("%s has been full for %d s: see its disk, and play it again", p.url, sendTries)}
}

func (p *intoHub) post(ctx context.Context, path string, r journal.Record) (again bool, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.url+path, bytes.NewReader(r.Payload))
	if err != nil {
		return false, err
	}
	req.Header.Set("Content-Type", "application/x-protobuf")
	req.Header.Set("Authorization", "Bearer "+p.token)
	res, err := p.client.Do(req)
	if errors.Is(err, syscall.ECONNREFUSED) {
		return false, fmt.Errorf("no hub answers at %s: start it, or name another with --into", p.url)
	}
	if err != nil {
		return false, fmt.Errorf("sending to the hub: %w", err)
	}
	defer res.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(res.Body, 64<<10))
	switch res.StatusCode {
	case http.StatusOK:
		return false, p.note(r.Kind, body)
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return true, nil
	case http.StatusUnauthorized:
		return false, fmt.Errorf("%s does not take the token: give its ingest token with --ingest-token or TRACER_INGEST_TOKEN; it is in the file ingest-token of the hub's data folder", p.url)
	case http.StatusNotFound:
		return false, fmt.Errorf("%s takes no spans: is it a hub, and not one of tracer replay? Name another with --into", p.url)
	}
	var said spb.Status
	_ = proto.Unmarshal(body, &said) // what is no Status has no message
	return false, fmt.Errorf("%s answers %s: %s", p.url, res.Status, said.GetMessage())
}

// note takes down what the hub has left out of a request.
func (p *intoHub) note(kind journal.Kind, body []byte) error {
	left, why := int64(0), ""
	if kind == journal.KindTraces {
		res := ptraceotlp.NewExportResponse()
		if err := res.UnmarshalProto(body); err != nil {
			return fmt.Errorf("%s does not answer as OTLP wants it: %w: is it a hub?", p.url, err)
		}
		left, why = res.PartialSuccess().RejectedSpans(), res.PartialSuccess().ErrorMessage()
	} else {
		res := plogotlp.NewExportResponse()
		if err := res.UnmarshalProto(body); err != nil {
			return fmt.Errorf("%s does not answer as OTLP wants it: %w: is it a hub?", p.url, err)
		}
		left, why = res.PartialSuccess().RejectedLogRecords(), res.PartialSuccess().ErrorMessage()
	}
	p.rejected += left
	p.why = or(p.why, why)
	return nil
}
