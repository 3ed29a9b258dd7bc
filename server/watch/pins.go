package watch

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/coder/websocket"

	"github.com/reconcile-tracer/tracer/server/flow"
)

const (
	// maxPins is how many different items the viewers of one feed may have pinned.
	maxPins = 64
	// maxTold is how many bytes a viewer's message may have. Of what is more than
	// the library's limit, 32 KiB, nothing is read: the connection ends.
	maxTold = 4096
)

// itemOf names an item of a controller; the zero value is none.
type itemOf struct{ controller, item string }

func itemOfRow(row flow.Row) itemOf {
	facts := factsOf(row)
	return itemOf{facts.controller, facts.item}
}

const pinForm = `send {"type":"pin","controller":"…","item":"…"}, with both empty for none`

// parsePin reads what a viewer says: which item it has pinned.
func parsePin(kind websocket.MessageType, data []byte) (itemOf, error) {
	var m struct {
		Type, Controller, Item string
	}
	switch {
	case kind != websocket.MessageText:
		return itemOf{}, errors.New("the message is not text: " + pinForm)
	case len(data) > maxTold:
		return itemOf{}, fmt.Errorf("the message has %d bytes, the limit is %d: %s", len(data), maxTold, pinForm)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&m); err != nil {
		return itemOf{}, fmt.Errorf("the message cannot be read (%w): %s", err, pinForm)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return itemOf{}, errors.New("something follows the message: " + pinForm)
	}
	if m.Type != "pin" {
		return itemOf{}, fmt.Errorf("type %q is not known: %s", flow.Brief(m.Type), pinForm)
	}
	for _, f := range []struct{ name, value, other string }{{"controller", m.Controller, m.Item}, {"item", m.Item, m.Controller}} {
		switch {
		case len(f.value) > maxValue:
			return itemOf{}, fmt.Errorf("%s has %d bytes, the limit is %d: shorten it", f.name, len(f.value), maxValue)
		case f.value == "" && f.other != "":
			return itemOf{}, fmt.Errorf("%s is empty: %s", f.name, pinForm)
		}
	}
	return itemOf{m.Controller, m.Item}, nil
}

// pin makes an item the one that the viewer has pinned, in the place of the one
// before, and has all its rows sent.
func (v *viewer) pin(it itemOf) error {
	v.hub.mu.Lock()
	defer v.hub.mu.Unlock()
	if it == v.pinned {
		return nil
	}
	if err := v.feed.pin(v.pinned, it); err != nil {
		return err
	}
	v.pinned, v.wanted = it, it != itemOf{}
	select {
	case v.told <- struct{}{}:
	default:
	}
	return nil
}

// want has the rows of what is pinned sent once more, after a snapshot, which
// holds only the newest of all.
func (v *viewer) want() {
	v.hub.mu.Lock()
	defer v.hub.mu.Unlock()
	v.wanted = v.pinned != itemOf{}
}

// pin counts a viewer's pin in the place of the one before.
func (f *feed) pin(before, it itemOf) error {
	pins := maps.Clone(f.pins)
	if pins == nil {
		pins = map[itemOf]int{}
	}
	if pins[before]--; pins[before] <= 0 {
		delete(pins, before)
	}
	if it != (itemOf{}) {
		if len(pins) >= maxPins && pins[it] == 0 {
			return fmt.Errorf("%d different items are pinned by those who watch with this filter, which is the limit: pin one of them, or ask again later", maxPins)
		}
		pins[it]++
	}
	f.pins = pins
	return nil
}

// pinnedRows returns the rows of what the viewer has pinned, what was left out of
// it before among them, and the frames up to where these rows are of; nothing
// when it has had them. It is for this viewer alone. One that has fallen off the
// ring gets a reason instead.
func (v *viewer) pinnedRows() []message {
	if !v.wants() {
		return nil
	}
	msgs, entries := v.takePinned()
	var rows []*change
	for _, e := range newest(entries, v.hub.cfg.Limit) {
		rows = append(rows, &change{now: &encoded{row: e.row}})
	}
	now := v.hub.stamp(v.hub.cfg.Now())
	for part := range slices.Chunk(rows, maxRows) {
		msgs = append(msgs, message{encodeRows(v.offset, now, part)})
	}
	return msgs
}

func (v *viewer) wants() bool {
	v.hub.mu.Lock()
	defer v.hub.mu.Unlock()
	return v.wanted
}

func (v *viewer) takePinned() ([]message, []entry) {
	h, f := v.hub, v.feed
	h.making.Lock()
	defer h.making.Unlock()
	h.mu.Lock()
	defer h.mu.Unlock()
	v.wanted = false
	if !f.thinned {
		return nil, nil
	}
	entries := h.table.chooseOf(v.pinned, f.filter)
	for _, e := range entries {
		// That it changes or goes is to be said from here on.
		delete(f.left, flow.RowRef{Kind: e.row.Kind(), ID: e.row.ID()})
	}
	h.finishHeld(f)
	msgs := v.step(math.MaxInt)
	if v.reason != "" {
		return nil, nil // they come after its snapshot
	}
	return msgs, entries
}
