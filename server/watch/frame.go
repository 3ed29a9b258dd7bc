package watch

import (
	"encoding/json"
	"strconv"

	"github.com/reconcile-tracer/tracer/server/flow"
)

// maxRows is how many rows a frame holds at most.
const maxRows = 100

// frame is an encoded message that every viewer of a feed gets. It brings a
// viewer from anywhere in [from, to) to to, if it is the last of its flush.
type frame struct {
	from, to uint64
	last     bool
	data     []byte
	// totals are the feed's counts of ended reconciles at to.
	totals counts
}

// counts are exact numbers of ended reconciles by result. A value is never
// changed, only replaced, so that frames can share it.
type counts map[string]int64

func (c counts) plus(result string) counts {
	sum := make(counts, len(c)+1)
	for k, v := range c {
		sum[k] = v
	}
	sum[result]++
	return sum
}

// change is what happened to a row as one feed sees it: its new state, or that
// it is gone.
type change struct {
	ref flow.RowRef
	now *encoded // nil when it is gone
	// fresh says that no viewer of this feed can have the row yet.
	fresh bool
	// ended says that it is a reconcile that came to its end with this.
	ended bool
}

// encoded is a row's state, which all feeds share. Who holds Hub.making
// encodes it.
type encoded struct {
	row  flow.Row
	json []byte
}

func (e *encoded) encode() ([]byte, error) {
	var err error
	if e.json == nil {
		e.json, err = json.Marshal(e.row)
	}
	return e.json, err
}

func appendHead(buf []byte, kind string, offset uint64, now int64) []byte {
	buf = append(buf, `{"type":"`...)
	buf = append(buf, kind...)
	buf = append(buf, `","offset":`...)
	buf = strconv.AppendUint(buf, offset, 10)
	buf = append(buf, `,"now":`...)
	return strconv.AppendInt(buf, now, 10)
}

// encodeRows makes one rows frame. It leaves out a row that cannot be encoded,
// which the types of rows make impossible short of a fault in the code.
func encodeRows(offset uint64, now int64, changes []*change) []byte {
	buf := appendHead(make([]byte, 0, 512*len(changes)+128), "rows", offset, now)
	buf = append(buf, `,"rows":[`...)
	var gone []string
	sep := false
	for _, c := range changes {
		if c.now == nil {
			gone = append(gone, GoneName(c.ref))
			continue
		}
		data, err := c.now.encode()
		if err != nil {
			continue
		}
		if sep {
			buf = append(buf, ',')
		}
		buf, sep = append(buf, data...), true
	}
	buf = append(buf, ']')
	if len(gone) > 0 {
		names, _ := json.Marshal(gone)
		buf = append(append(buf, `,"gone":`...), names...)
	}
	return append(buf, '}')
}

// GoneName is how a frame names a row that is gone: kind, slash, key. A kind
// has no slash in it, a key may.
func GoneName(ref flow.RowRef) string { return string(ref.Kind) + "/" + ref.ID }

func encodeBookmark(epoch string, offset uint64, now int64) []byte {
	buf := appendHead(nil, "bookmark", offset, now)
	buf = append(buf, `,"epoch":`...)
	return append(strconv.AppendQuote(buf, epoch), '}')
}

// elided says exactly what was not sent.
type elided struct {
	Type       string `json:"type"`
	Offset     uint64 `json:"offset"`
	Now        int64  `json:"now"`
	From       uint64 `json:"from"`
	To         uint64 `json:"to"`
	Reconciles int64  `json:"reconciles"`
	By         counts `json:"by"`
}

// encodeElided returns nil when nothing was left out.
func encodeElided(from, to, offset uint64, now int64, by counts) []byte {
	e := elided{Type: "elided", Offset: offset, Now: now, From: from, To: to, By: by}
	for _, n := range by {
		e.Reconciles += n
	}
	if e.Reconciles == 0 {
		return nil
	}
	data, _ := json.Marshal(e)
	return data
}

// encodeError makes an error frame.
func encodeError(code, message string, now int64) []byte {
	data, _ := json.Marshal(map[string]any{"type": "error", "code": code, "message": message, "now": now})
	return data
}
