package tracer

import (
	"testing"
	"testing/synctest"
	"time"
)

// A hub that has lost everything hears of each item again, and of the
// controller each second.
func TestStateIsToldAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newControllerState(Config{Controller: "podset"})
		items, beats, stop, done := 0, 0, make(chan struct{}), make(chan struct{})
		s.refresh = append(s.refresh, func() { items++ })
		go func() {
			defer close(done)
			s.run(stop, func(string, func() record) { beats++ })
		}()
		time.Sleep(25*time.Second + heartbeat/2) // of the bubble's clock
		synctest.Wait()
		if items != 2 || beats != 26 {
			t.Errorf("in 25 s items were told %d times and the controller %d times, want 2 and 26", items, beats)
		}
		close(stop)
		<-done
	})
}
