package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"

	"github.com/go-chi/chi/v5"
)

const (
	// maxAction is the largest body of an action, in bytes.
	maxAction = 16 << 10
	// maxActionArgs is how many arguments it may have.
	maxActionArgs = 32
)

// act does what a button of the page says, for real.
func (h *Hub) act(w http.ResponseWriter, r *http.Request) {
	body, ok := h.body(w, r, "an action", readJSON)
	if !ok {
		return
	}
	args, err := actionArgs(body)
	if err != nil {
		fail(w, http.StatusBadRequest, "%v", err)
		return
	}
	if h.cfg.Actions == nil {
		fail(w, http.StatusServiceUnavailable, "the hub has no cluster to act on: start it with --kubeconfig, or use `tracer demo`")
		return
	}
	summary, err := h.cfg.Actions.Do(r.Context(), chi.URLParam(r, "action"), args)
	if err != nil {
		fail(w, actionStatus(err), "%v", err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]string{"summary": summary})
}

// ownPage refuses what a page of another site sends in a browser's name.
func (h *Hub) ownPage(w http.ResponseWriter, r *http.Request, what string) bool {
	if err := h.cross.Check(r); err != nil {
		fail(w, http.StatusForbidden, "%s must come from this hub's own page: %v", what, err)
		return false
	}
	if same, there := h.sameOrigin(r); there && !same {
		fail(w, http.StatusForbidden, "%s must come from this hub's own page, not from %q", what, briefOrigin(r))
		return false
	}
	return true
}

// body reads what this hub's own page sends, as read does; false when it has
// answered.
func (h *Hub) body(w http.ResponseWriter, r *http.Request, what string, read bodyReader) (body []byte, ok bool) {
	if !h.ownPage(w, r, what) {
		return nil, false
	}
	body, status, err := read(w, r)
	if err != nil {
		fail(w, status, "%v", err)
		return nil, false
	}
	return body, true
}

// bodyReader reads a body; with an error, status is the answer's.
type bodyReader func(w http.ResponseWriter, r *http.Request) (body []byte, status int, err error)

// readJSON reads a body of JSON, whatever is in it.
func readJSON(w http.ResponseWriter, r *http.Request) (body []byte, status int, err error) {
	if t, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); t != "application/json" {
		return nil, http.StatusUnsupportedMediaType, errors.New("the Content-Type must be application/json")
	}
	return readBody(w, r)
}

// readBody reads a body that is not too large.
func readBody(w http.ResponseWriter, r *http.Request) (body []byte, status int, err error) {
	body, err = io.ReadAll(http.MaxBytesReader(w, r.Body, maxAction))
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return nil, http.StatusRequestEntityTooLarge, errors.New("the body is over the limit of 16 KiB: send only what is asked for")
	}
	if err != nil {
		return nil, http.StatusBadRequest, fmt.Errorf("the body did not come whole: %w: send it again", err)
	}
	return body, 0, nil
}

func actionArgs(body []byte) (args map[string]string, err error) {
	if err := json.Unmarshal(body, &args); err != nil || args == nil {
		return nil, errors.New(`the body is not a JSON object of strings, like {"namespace":"default","name":"web"}`)
	}
	if len(args) > maxActionArgs {
		return nil, errors.New("the body has over 32 arguments: send only the action's")
	}
	return args, nil
}

// actionStatus is the status that an action's error asks for.
func actionStatus(err error) int {
	var asked interface{ HTTPStatus() int }
	if errors.As(err, &asked) && asked.HTTPStatus() >= 400 && asked.HTTPStatus() < 600 {
		return asked.HTTPStatus()
	}
	return http.StatusInternalServerError
}
