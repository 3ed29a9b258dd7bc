package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"
)

const (
	// flushEvery is how often an emitter sends, as the library does.
	flushEvery = 20 * time.Millisecond
	// aliveEvery is how often it says that it is alive.
	aliveEvery = time.Second
	// most is how many requests may be under way at once.
	most = 32
)

// sent is what became of the load.
type sent struct {
	Reconciles uint64  `json:"reconciles"`
	Spans      uint64  `json:"spans"`
	Seconds    float64 `json:"seconds"`
	// Refused counts requests that were not answered with 200.
	Refused int `json:"refused"`
	// LateP99 is how long after the intended time the hub had the spans, in ms.
	LateP99 float64 `json:"lateP99"`
}

// sender owns the controllers; its requests run beside each other.
type sender struct {
	o           options
	controllers []*controller
	client      *http.Client
	wait        sync.WaitGroup
	room        chan struct{}

	mu   sync.Mutex
	sent sent
	late []float64
}

func newSender(o options) *sender {
	s := &sender{o: o, room: make(chan struct{}, most), client: &http.Client{
		Timeout: 30 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: most},
	}}
	epoch := rand.Text()[:8]
	for i := range o.controllers {
		name := fmt.Sprintf("load-%d", i+1)
		s.controllers = append(s.controllers, &controller{name: name, epoch: epoch, number: uint64(i), items: o.items, writes: o.writes})
	}
	return s
}

// send sends until ctx ends, and waits for the answers.
func (s *sender) send(ctx context.Context) sent {
	began := time.Now()
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	next, alive := 0, time.Time{}
	for ctx.Err() == nil {
		now := time.Now()
		if now.Sub(alive) >= aliveEvery {
			alive = now
			s.tellAlive(now)
		}
		next = s.due(began, next, now)
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
	s.wait.Wait()
	return s.summary(time.Since(began))
}

// due sends the reconciles whose time has come, from number next on, and
// returns the number of the first that has not.
func (s *sender) due(began time.Time, next int, now time.Time) int {
	ended := make([][]time.Time, len(s.controllers))
	for {
		at := began.Add(time.Duration(float64(next) / s.o.rate * float64(time.Second)))
		if at.After(now) {
			break
		}
		i := next % len(ended)
		ended[i] = append(ended[i], at)
		next++
	}
	for i, times := range ended {
		if len(times) > 0 {
			s.sendBatch(s.controllers[i], times)
		}
	}
	return next
}

func (s *sender) sendBatch(c *controller, ended []time.Time) {
	body, err := c.batch(ended, s.failing).MarshalProto()
	s.post("/v1/traces", body, err, func(now time.Time) {
		s.sent.Reconciles += uint64(len(ended))
		for _, at := range ended {
			s.late = append(s.late, float64(now.Sub(at).Microseconds())/1000)
		}
	})
}

// failing spreads the failures evenly.
func (s *sender) failing(n uint64) bool {
	return uint64(float64(n)*s.o.errors) != uint64(float64(n-1)*s.o.errors)
}

func (s *sender) tellAlive(now time.Time) {
	for _, c := range s.controllers {
		body, err := c.state(now).MarshalProto()
		s.post("/v1/logs", body, err, func(time.Time) {})
	}
}

// post sends in the background; stored is called, one at a time, when the hub
// has it.
func (s *sender) post(path string, body []byte, err error, stored func(now time.Time)) {
	s.room <- struct{}{}
	s.wait.Go(func() {
		defer func() { <-s.room }()
		if err == nil {
			err = s.request(path, body)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if err != nil {
			s.sent.Refused++
			return
		}
		stored(time.Now())
	})
}

func (s *sender) request(path string, body []byte) error {
	req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, s.o.hub+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/x-protobuf")
	req.Header.Set("Authorization", "Bearer "+s.o.token)
	res, err := s.client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, res.Body) // so that the connection is used again
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("the hub answers %s", res.Status)
	}
	return nil
}

func (s *sender) summary(took time.Duration) sent {
	s.sent.Spans = s.sent.Reconciles * uint64(spansEach(s.o.writes))
	s.sent.Seconds = took.Seconds()
	slices.Sort(s.late)
	if n := len(s.late); n > 0 {
		s.sent.LateP99 = s.late[(n-1)*99/100]
	}
	return s.sent
}
