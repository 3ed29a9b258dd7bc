package server

import (
	"net/http"

	"github.com/reconcile-tracer/tracer/server/classroom"
)

// answerPoll takes an answer to the question of a recorded lesson, as
// answerQuestion does of one that is given.
func (h *Hub) answerPoll(w http.ResponseWriter, r *http.Request) {
	a, ok := h.readAnswer(w, r)
	if !ok {
		return
	}
	answerRoom(w, h.room.change(func(room *classroom.Room) (bool, error) {
		err := room.Answer(a.voter, a.beat, a.choice)
		return err == nil, err
	}))
}

// myAnswer tells a browser what it has answered to the question that is asked.
func (h *Hub) myAnswer(w http.ResponseWriter, r *http.Request) {
	mine, voter := map[string]int{}, h.voterOf(r)
	_ = h.room.change(func(room *classroom.Room) (bool, error) {
		if choice, ok := room.Mine(voter); ok {
			mine["mine"] = choice
		}
		return false, nil
	})
	answerJSON(w, mine)
}
