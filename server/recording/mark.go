package recording

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
)

// The attributes of a line's resources that say where in the journal it stood.
// Their names are in files: never change one.
const (
	// AttrOffset is the block's offset, an int from 1.
	AttrOffset = "tracer.recording.offset"
	// AttrReceived is when the hub received it, in microseconds since the epoch,
	// an int.
	AttrReceived = "tracer.recording.received_us"
	// AttrDamaged says of a block that it cannot be read, and why; of a block
	// with AttrReceived, that of one of its records.
	AttrDamaged = "tracer.recording.damaged"
	// AttrLoss is what the journal noted about blocks that were lost at its
	// end, in its own JSON.
	AttrLoss = "tracer.recording.loss"
)

// mark is a line's place in the journal. The zero mark is of a line that has
// none.
type mark struct {
	offset   uint64
	received int64
	damaged  string
	loss     string
}

func (m mark) put(resource pcommon.Map) {
	resource.PutInt(AttrOffset, int64(m.offset))
	if m.received != 0 {
		resource.PutInt(AttrReceived, m.received)
	}
	if m.damaged != "" {
		resource.PutStr(AttrDamaged, m.damaged)
	}
	if m.loss != "" {
		resource.PutStr(AttrLoss, m.loss)
	}
}

// takeMark takes the marks off a line's resources and returns the first.
func takeMark(resources []pcommon.Map) mark {
	var first mark
	for _, attrs := range resources {
		m := mark{
			offset:   uint64(max(0, number(attrs, AttrOffset))),
			received: max(0, number(attrs, AttrReceived)),
			damaged:  text(attrs, AttrDamaged),
			loss:     text(attrs, AttrLoss),
		}
		if first.offset == 0 {
			first = m
		}
		for _, name := range []string{AttrOffset, AttrReceived, AttrDamaged, AttrLoss} {
			attrs.Remove(name)
		}
	}
	if first.offset == 0 {
		return mark{}
	}
	return first
}

// line is a mark by itself: a line of logs without a record.
func (m mark) line() ([]byte, error) {
	logs := plog.NewLogs()
	m.put(logs.ResourceLogs().AppendEmpty().Resource().Attributes())
	return plogotlp.NewExportRequestFromLogs(logs).MarshalJSON()
}

func number(m pcommon.Map, name string) int64 {
	if v, ok := m.Get(name); ok && v.Type() == pcommon.ValueTypeInt {
		return v.Int()
	}
	return 0
}

func text(m pcommon.Map, name string) string {
	if v, ok := m.Get(name); ok && v.Type() == pcommon.ValueTypeStr {
		return v.Str()
	}
	return ""
}
