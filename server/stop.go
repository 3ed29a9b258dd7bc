package server

import (
	"context"
	"net/http"
	"sync"
	"time"

	"google.golang.org/grpc"
)

// stopWithin bounds how long Run waits for requests under way when it stops,
// and drainWithin how long for the journal to store what it has taken.
const (
	stopWithin  = 1500 * time.Millisecond
	drainWithin = 2 * time.Second
	// StopWithin is how long Run may take to end when its context has.
	StopWithin = stopWithin + drainWithin
)

// stop ends the hub in order: intake, drain, wait.
func (h *Hub) stop(folded <-chan struct{}) error {
	h.ready.Store(false)
	h.recordings.refuse()
	ctx, cancel := context.WithTimeout(context.Background(), stopWithin)
	defer cancel()
	h.stopServing(ctx)
	h.desk.Close() // its last rows are still stored
	drained := make(chan struct{})
	go func() { // a fold that has failed must not keep the journal from closing
		defer close(drained)
		<-folded
		h.fold.drain()
	}()
	draining, cancelDrain := context.WithTimeout(context.Background(), drainWithin)
	defer cancelDrain()
	abandon := context.AfterFunc(draining, h.fold.abandon) // else a slow fold holds the writer up
	err := h.journal.Close(draining)
	abandon()
	h.fold.end()
	<-drained
	return err
}

// stopServing lets nobody in any more, by whatever listener, and gives requests
// under way the same time at each: a viewer who reads slowly takes none from an
// emitter.
func (h *Hub) stopServing(ctx context.Context) {
	var all sync.WaitGroup
	defer all.Wait()
	all.Go(func() { stopHTTP(ctx, h.http) })
	if h.share != nil {
		all.Go(func() { stopHTTP(ctx, h.share.http) })
	}
	if h.grpc != nil {
		all.Go(func() { stopGRPC(ctx, h.grpc) })
	}
}

func stopHTTP(ctx context.Context, s *http.Server) {
	if err := s.Shutdown(ctx); err != nil {
		_ = s.Close()
	}
}

func stopGRPC(ctx context.Context, s *grpc.Server) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.GracefulStop()
	}()
	select {
	case <-done:
	case <-ctx.Done():
		s.Stop()
		<-done
	}
}
