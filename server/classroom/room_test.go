package classroom

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func paused(t int64) Meaning { return Meaning{Mode: ModePaused, T: t, Since: t, Speed: 1} }

// inside says in one line who is in the room.
func inside(r *Room) string {
	s := r.State()
	data, _ := json.Marshal([]any{s.Viewers, s.Following, s.Presenter.Here, s.Presenter.Page, s.Presenter.T})
	return string(data)
}

func TestFirstPagePresentsAndLateViewersGetItsMeaning(t *testing.T) {
	r := New()
	r.Join("p1", true)
	if _, err := r.Present("p1", paused(7), false); err != nil {
		t.Fatal(err)
	}
	if !r.Join("v1", false) {
		t.Error("a viewer that joins changes nothing")
	}
	if got := inside(r); got != `[1,1,true,"p1",7]` {
		t.Errorf("the room is %s", got)
	}
}

func TestSecondPageIsToldAndMayTakeOver(t *testing.T) {
	r := New()
	r.Join("p1", true)
	r.Join("p2", true)
	_, first := r.Present("p1", paused(1), false)
	_, second := r.Present("p2", paused(2), false)
	if first != nil || !errors.Is(second, ErrOther) {
		t.Fatalf("presenting: %v, then %v", first, second)
	}
	if got := inside(r); got != `[0,0,true,"p1",1]` {
		t.Errorf("the refused page moved the room to %s", got)
	}
	if _, err := r.Present("p2", paused(2), true); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Present("p1", paused(3), false); !errors.Is(err, ErrOther) {
		t.Errorf("the first page is not told: %v", err)
	}
}

func TestPresenterWhoLeavesIsAwayAndAnotherPageGoesOnWithoutTaking(t *testing.T) {
	r := New()
	r.Join("p1", true)
	_, _ = r.Present("p1", paused(1), false)
	if !r.Leave("p1", true) || r.State().Presenter.Here {
		t.Error("the presenter who has left is here")
	}
	r.Join("p2", true)
	if _, err := r.Present("p2", paused(2), false); err != nil {
		t.Errorf("the page that was opened anew may not present: %v", err)
	}
}

// A presenter's page that has no name is here, and nobody presents.
func TestAPageWithoutANameDoesNotPresent(t *testing.T) {
	r := New()
	r.Join("", true)
	if got := inside(r); got != `[0,0,false,"",0]` {
		t.Errorf("the room is %s", got)
	}
}

func TestPageThatReconnectsIsCountedOnceAndKeepsItsChoice(t *testing.T) {
	r := New()
	r.Join("v1", false)
	if _, err := r.Follow("v1", false); err != nil {
		t.Fatal(err)
	}
	if r.Join("v1", false) || r.Leave("v1", false) {
		t.Error("a page that has reconnected changes the room")
	}
	if got := inside(r); got != `[1,0,false,"",0]` {
		t.Errorf("the room is %s", got)
	}
	if r.Leave("v1", false); inside(r) != `[0,0,false,"",0]` {
		t.Errorf("after all have left the room is %s", inside(r))
	}
}

func TestStrangersAndViewersCannotLead(t *testing.T) {
	r := New()
	r.Join("v1", false)
	r.Join("p1", true)
	if _, err := r.Present("v1", paused(1), true); !errors.Is(err, ErrNotHere) {
		t.Errorf("a viewer presents: %v", err)
	}
	if _, err := r.Present("nobody", paused(1), true); !errors.Is(err, ErrNotHere) {
		t.Errorf("who does not watch presents: %v", err)
	}
	for _, name := range []string{"p1", "nobody"} {
		if _, err := r.Follow(name, false); !errors.Is(err, ErrNotHere) {
			t.Errorf("%s follows: %v", name, err)
		}
	}
}

// Pages make their names up, and a viewer may take the presenter's.
func TestANameIsWorthNothingInAnotherRole(t *testing.T) {
	r := New()
	r.Join("p1", true)
	_, _ = r.Present("p1", paused(1), false)
	r.Leave("p1", true)
	r.Join("p1", false)
	if got := inside(r); got != `[1,1,false,"p1",1]` {
		t.Errorf("with a viewer of the presenter's name the room is %s", got)
	}
	r.Join("p1", true)
	if _, err := r.Present("p1", paused(2), false); err != nil {
		t.Errorf("the presenter who is back may not present: %v", err)
	}
	r.Leave("p1", false)
	if got := inside(r); got != `[0,0,true,"p1",2]` {
		t.Errorf("when the viewer has left the room is %s", got)
	}
}

func TestSameMeaningAgainChangesNothing(t *testing.T) {
	r := New()
	r.Join("p1", true)
	m := paused(1)
	m.Sel = &Selection{Controller: "podset", Item: "default/web"}
	_, _ = r.Present("p1", m, false)
	again := m
	again.Sel = &Selection{Controller: "podset", Item: "default/web"}
	if changed, _ := r.Present("p1", again, false); changed {
		t.Error("the same meaning is told again")
	}
	again.Recording = "lesson-1"
	if changed, _ := r.Present("p1", again, false); !changed {
		t.Error("another recording is not told")
	}
	again.Sel = nil
	if changed, _ := r.Present("p1", again, false); !changed {
		t.Error("a selection that was cleared is not told")
	}
}

func TestStateOnTheWire(t *testing.T) {
	r := New()
	r.Call()
	r.SetLesson(json.RawMessage(`{"id":"lesson-4"}`))
	got, err := json.Marshal(r.State())
	if err != nil {
		t.Fatal(err)
	}
	want := `{"viewers":0,"following":0,"presenter":{"here":false,"page":"","mode":"following","t":0,"since":0,"speed":1,"recording":"","sel":null,"q":"","question":null},` +
		`"call":1,"lesson":{"id":"lesson-4"},"poll":null}`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWrongMeaningsNameTheField(t *testing.T) {
	long := strings.Repeat("x", maxFilter+1)
	for says, m := range map[string]Meaning{
		"mode":  {Mode: "fast", Speed: 1},
		"speed": {Mode: ModePaused},
		"t and": {Mode: ModePaused, Speed: 1, T: -1},
		"q has": {Mode: ModePaused, Speed: 1, Q: long},
		"recor": {Mode: ModePaused, Speed: 1, Recording: long},
		"sel":   {Mode: ModePaused, Speed: 1, Sel: &Selection{Item: long}},
	} {
		if err := m.Check(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%+.40v: %v, want a word of %s", m, err, says)
		}
	}
	if err := Live().Check(); err != nil {
		t.Errorf("the meaning of a new page: %v", err)
	}
	for _, name := range []string{"a b", "ä", strings.Repeat("x", MaxPage+1)} {
		if CheckPage(name) == nil {
			t.Errorf("the page's name %.10q passes", name)
		}
	}
}

// Whatever comes in whatever order, the counts are those of the pages that
// watch, and nothing is kept of those that do not.
func TestCountsAreThoseOfWhoIsThere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, open := New(), map[who]int{}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			one := who{rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "page"), rapid.Bool().Draw(t, "presents")}
			switch rapid.IntRange(0, 3).Draw(t, "what") {
			case 0:
				r.Join(one.name, one.presenter)
				open[one]++
			case 1:
				r.Leave(one.name, one.presenter)
				open[one] = max(0, open[one]-1)
			case 2:
				_, _ = r.Present(one.name, paused(1), rapid.Bool().Draw(t, "take"))
			case 3:
				_, _ = r.Follow(one.name, rapid.Bool().Draw(t, "follows"))
			}
		}
		viewers, kept := 0, 0
		for one, n := range open {
			if n > 0 {
				kept++
				if !one.presenter {
					viewers++
				}
			}
		}
		s := r.State()
		if s.Viewers != viewers || len(r.pages) != kept || s.Following > viewers || s.Presenter.Here != (open[who{s.Presenter.Page, true}] > 0) {
			t.Fatalf("%+v with %v open and %d kept", s, open, len(r.pages))
		}
	})
}
