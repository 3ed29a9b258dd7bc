package watch

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"
)

// roomFrame reads frames up to the next about the room.
func roomFrame(t *testing.T, conn *websocket.Conn) string {
	t.Helper()
	for {
		if f := next(t, conn); f.Type == "room" {
			return string(f.Room)
		}
	}
}

func TestRoomComesAfterTheSnapshotAndWhenItChanges(t *testing.T) {
	s := serve(t)
	publish(s.Hub, 1, reconcile(1, "success"))
	s.SetRoom([]byte(`{"viewers":1}`))
	conn := s.connect("?item=nobody/*") // whatever the filter
	if first := next(t, conn); first.Type != "snapshot" {
		t.Fatalf("the first frame is a %s", first.Type)
	}
	if got := roomFrame(t, conn); got != `{"viewers":1}` {
		t.Errorf("the room is %s", got)
	}
	s.SetRoom([]byte(`{"viewers":1}`)) // the same: nothing is sent
	s.SetRoom([]byte(`{"viewers":2}`))
	if got := roomFrame(t, conn); got != `{"viewers":2}` {
		t.Errorf("the room is %s", got)
	}
}

func TestRoomComesWithAResumeToo(t *testing.T) {
	s := serve(t)
	publish(s.Hub, 1, reconcile(1, "success"))
	s.SetRoom([]byte(`{"viewers":3}`))
	conn := s.connect("?from=" + Position{testEpoch, 1}.String())
	if got := roomFrame(t, conn); got != `{"viewers":3}` {
		t.Errorf("the room is %s", got)
	}
}

// One that reads slowly is not sent every state in between.
func TestOnlyTheLastOfManyChangesIsSent(t *testing.T) {
	h := ready()
	v := join(t, h, Filter{}, nil)
	if _, err := v.wait(context.Background()); err != nil { // the snapshot
		t.Fatal(err)
	}
	for i := range 100 {
		h.SetRoom(fmt.Appendf(nil, `{"call":%d}`, i))
	}
	msgs, err := v.wait(context.Background())
	if err != nil || len(msgs) != 1 {
		t.Fatalf("%d messages, %v; want one", len(msgs), err)
	}
	var data []byte
	for _, part := range msgs[0] {
		data = append(data, part...)
	}
	if diff := cmp.Diff(`{"call":99}`, string(decode(t, data).Room)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if m, _ := v.roomNow(); m != nil {
		t.Errorf("it is sent again: %s", m)
	}
}

func TestWhoFindsNoPlaceIsToldTheLimit(t *testing.T) {
	h := ready()
	const full = "full: 2 watch, the limit is 2"
	web := guests(t, h, Guest{Full: full, Joined: func() func() { t.Error("it has joined"); return func() {} }})
	conn, _, err := websocket.Dial(t.Context(), web, &websocket.DialOptions{Subprotocols: []string{Subprotocol}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.CloseNow() }()
	if f := next(t, conn); f.Type != "error" || f.Code != "full" || f.Message != full {
		t.Errorf("the frame is %+v", f)
	}
	if _, _, err := conn.Read(t.Context()); websocket.CloseStatus(err) != websocket.StatusTryAgainLater {
		t.Errorf("closed with %v, want try again later", err)
	}
}

func TestGuestIsSeenToComeAndGo(t *testing.T) {
	h := ready()
	came, went := make(chan struct{}), make(chan struct{})
	web := guests(t, h, Guest{Joined: func() func() {
		close(came)
		return func() { close(went) }
	}})
	conn, _, err := websocket.Dial(t.Context(), web, &websocket.DialOptions{Subprotocols: []string{Subprotocol}})
	if err != nil {
		t.Fatal(err)
	}
	<-came
	_ = conn.CloseNow()
	select {
	case <-went:
	case <-time.After(10 * time.Second):
		t.Fatal("it is not seen that the guest has gone")
	}
}
