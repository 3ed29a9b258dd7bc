package tracer

import "strings"

// message is which protobuf message is being read.
type message int

const (
	msgSkip message = iota
	msgUnknown
	msgType
	msgRaw // an object, a list or a Status: known by the kind
	msgMeta
	msgDetails
)

// protoScanner is a push parser for Kubernetes' protobuf encoding: the magic
// "k8s\x00", a runtime.Unknown and in it the object, whose first field is its
// metadata. Fields other than names and versions have numbers that differ from
// kind to kind, so they are passed over.
type protoScanner struct {
	found  scanned
	magic  int
	stack  []protoFrame
	state  protoState
	value  uint64 // the varint so far
	shift  uint
	tag    uint64
	left   uint64 // of the field that is skipped or kept
	keep   *string
	text   []byte
	broken bool
}

// protoFrame is an open message and how many bytes of it are to come.
type protoFrame struct {
	msg  message
	left uint64
}

type protoState int

const (
	readTag protoState = iota
	readVarint
	readLength
	readBytes
)

const protoMagic = "k8s\x00"

// unbounded is the length of the outermost message: the end of the body ends it.
const unbounded = 1 << 62

func newProtoScanner() *protoScanner {
	return &protoScanner{stack: []protoFrame{{msgUnknown, unbounded}}}
}

func (s *protoScanner) result() scanned { return s.found }

// Write scans p and never fails.
func (s *protoScanner) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 && !s.broken {
		p = p[s.step(p):]
	}
	return n, nil
}

// step reads at least one byte of p and tells how many it read.
func (s *protoScanner) step(p []byte) int {
	if s.magic < len(protoMagic) {
		s.broken = p[0] != protoMagic[s.magic]
		s.magic++
		return 1
	}
	n := 1
	if s.state == readBytes {
		n = int(min(uint64(len(p)), s.left))
		s.bytes(p[:n])
	} else {
		s.varint(p[0])
	}
	s.consume(uint64(n))
	return n
}

// varint reads one byte of a tag, a length or a number.
func (s *protoScanner) varint(c byte) {
	if s.shift > 63 {
		s.broken = true
		return
	}
	s.value |= uint64(c&0x7f) << s.shift
	s.shift += 7
	if c&0x80 != 0 {
		return
	}
	v := s.value
	s.value, s.shift = 0, 0
	switch s.state {
	case readTag:
		s.beginField(v)
	case readLength:
		s.beginBytes(v)
	default:
		s.state = readTag
	}
}

// beginField decides by the wire type what comes next.
func (s *protoScanner) beginField(tag uint64) {
	s.tag, s.keep = tag>>3, nil
	switch tag & 7 {
	case 0:
		s.state = readVarint
	case 1:
		s.state, s.left = readBytes, 8
	case 2:
		s.state = readLength
	case 5:
		s.state, s.left = readBytes, 4
	default:
		s.broken = true
	}
}

// beginBytes opens a message, or keeps or skips a string.
func (s *protoScanner) beginBytes(length uint64) {
	top := s.stack[len(s.stack)-1]
	if length >= top.left {
		s.broken = true
		return
	}
	s.state = readTag
	if msg := s.nested(top.msg); msg != msgSkip {
		s.stack = append(s.stack, protoFrame{msg, length + 1}) // one more: consume takes off this byte
		return
	}
	if length > 0 {
		s.state, s.left = readBytes, length
	}
	s.text = s.text[:0]
	if length <= maxValue {
		s.keep = s.wanted(top.msg)
	}
}

// nested is the message in the field that begins, msgSkip when there is none
// that is wanted.
func (s *protoScanner) nested(in message) message {
	status, list := s.found.kind == "Status", strings.HasSuffix(s.found.kind, "List")
	switch {
	case in == msgUnknown && s.tag == 1:
		return msgType
	case in == msgUnknown && s.tag == 2:
		return msgRaw
	case in == msgRaw && s.tag == 1 && !list && !status:
		return msgMeta
	case in == msgMeta && s.tag == 13:
		s.found.owned = true // by an ownerReference
	case in == msgRaw && s.tag == 2 && list:
		s.found.items++
	case in == msgRaw && s.tag == 5 && status:
		return msgDetails
	}
	return msgSkip
}

// wanted is where the string in the field that begins is to be stored.
func (s *protoScanner) wanted(in message) *string {
	switch {
	case in == msgType && s.tag == 2:
		return &s.found.kind
	case in == msgRaw && s.tag == 4 && s.found.kind == "Status":
		return &s.found.reason
	case in == msgDetails && s.tag == 6:
		return &s.found.goneUID
	case in != msgMeta:
		return nil
	}
	switch s.tag {
	case 1:
		return &s.found.name
	case 5:
		return &s.found.uid
	case 6:
		return &s.found.version
	}
	return nil
}

// bytes reads some of a field's payload.
func (s *protoScanner) bytes(p []byte) {
	s.left -= uint64(len(p))
	if s.keep != nil {
		s.text = append(s.text, p...)
	}
	if s.left > 0 {
		return
	}
	s.state = readTag
	if s.keep != nil {
		*s.keep = string(s.text)
	}
	if s.keep == &s.found.reason {
		s.found.reason = word(s.found.reason)
	}
}

// consume takes n bytes off every open message and closes those at their end.
func (s *protoScanner) consume(n uint64) {
	for i := range s.stack {
		f := &s.stack[i]
		if f.left < n {
			s.broken = true
			return
		}
		f.left -= n
	}
	for len(s.stack) > 1 && s.stack[len(s.stack)-1].left == 0 {
		s.stack = s.stack[:len(s.stack)-1]
	}
}
