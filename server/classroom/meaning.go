package classroom

import (
	"errors"
	"fmt"
	"unicode/utf8"
)

// Modes of the picture.
const (
	ModeFollowing = "following"
	ModePlaying   = "playing"
	ModePaused    = "paused"
)

// Limits of a meaning, in bytes.
const (
	maxName      = 512
	maxFilter    = 2048
	maxRecording = 64
	// MaxPage is how long a page's name may be.
	MaxPage = 64
)

// Meaning is what a presenter shows, in the words of the model.
type Meaning struct {
	// Mode is one of the three above. T is the moment shown, and Since the
	// hub's clock when it was shown, from which a playing picture has gone on
	// at Speed (1 is as it was). Microseconds since the epoch.
	Mode  string  `json:"mode"`
	T     int64   `json:"t"`
	Since int64   `json:"since"`
	Speed float64 `json:"speed"`
	// Recording is the name of the recorded session that is shown, "" for what is
	// live.
	Recording string `json:"recording"`
	// Sel is what the panel shows, nil for nothing. Q is the filter's text.
	Sel *Selection `json:"sel"`
	Q   string     `json:"q"`
	// Question is what is asked of a recorded lesson, nil for nothing.
	Question *Question `json:"question"`
}

// Selection is an item, and the key of one of its reconciles ("" for the item
// itself).
type Selection struct {
	Controller string `json:"controller"`
	Item       string `json:"item"`
	Reconcile  string `json:"reconcile"`
}

// Live is the meaning of a page that was just opened.
func Live() Meaning { return Meaning{Mode: ModeFollowing, Speed: 1} }

// Check says what is wrong with a meaning that came over the network.
func (m Meaning) Check() error {
	switch {
	case m.Mode != ModeFollowing && m.Mode != ModePlaying && m.Mode != ModePaused:
		return fmt.Errorf("mode %.20q is none: use %s, %s or %s", m.Mode, ModeFollowing, ModePlaying, ModePaused)
	case m.Speed <= 0 || m.Speed > 100:
		return fmt.Errorf("speed %g is not between 0 and 100: use 1 for as it was", m.Speed)
	case m.T < 0 || m.Since < 0:
		return errors.New("t and since are microseconds since the epoch: they cannot be negative")
	case len(m.Recording) > maxRecording:
		return fmt.Errorf("recording has %d bytes, the limit is %d: use a name of GET /api/v1/recordings", len(m.Recording), maxRecording)
	case len(m.Q) > maxFilter || !utf8.ValidString(m.Q):
		return fmt.Errorf("q has %d bytes, the limit is %d: use a shorter filter", len(m.Q), maxFilter)
	}
	var errs []error
	if m.Sel != nil {
		errs = append(errs, m.Sel.check())
	}
	if m.Question != nil {
		errs = append(errs, m.Question.check())
	}
	return errors.Join(errs...)
}

func (s Selection) check() error {
	if n := max(len(s.Controller), len(s.Item), len(s.Reconcile)); n > maxName {
		return fmt.Errorf("sel names something with %d bytes, the limit is %d: use names of rows", n, maxName)
	}
	return nil
}

// CheckPage says what is wrong with a page's name, which the page makes up.
func CheckPage(name string) error {
	if len(name) > MaxPage {
		return fmt.Errorf("page has %d characters, the limit is %d: use a random name of some 20", len(name), MaxPage)
	}
	for _, c := range name {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') {
			return errors.New("page has other characters than letters and digits: use a random name of some 20")
		}
	}
	return nil
}

// same compares by value.
func (p Presenter) same(other Presenter) bool {
	if !equal(p.Sel, other.Sel) || !equal(p.Question, other.Question) {
		return false
	}
	p.Sel, p.Question = other.Sel, other.Question
	return p == other
}

func equal[T comparable](a, b *T) bool {
	return a == b || a != nil && b != nil && *a == *b
}
