package tracer

// maxValue is how long a value that is kept may be.
const maxValue = 256

// jsonScanner is a push parser for JSON that keeps the values on a short list
// of paths. It does not check the syntax: what reads the body after it does.
// Below a path that no entry of the list begins with it only counts brackets.
type jsonScanner struct {
	found scanned
	stack []frame
	depth int // open brackets below the last frame

	state   jsonState
	escaped bool
	brief   bool // the object's identity is all that is wanted
	isKey   bool
	keep    bool // the text of this string or literal is wanted
	text    []byte
	cond    condition
	item    version // the one of a list that is being read
	broken  bool

	// What stack and text begin in, for most bodies all they need.
	frames  [5]frame
	letters [64]byte
}

// jsonState is what the next byte stands in.
type jsonState byte

const (
	inValue jsonState = iota // between tokens
	inString
	inLiteral
)

// frame is an open object or array on an interesting path.
type frame struct {
	at    *want
	array bool
	// member is what is wanted of the value that comes next, key its name
	// where members are wanted whatever their name is.
	member  *want
	key     string
	wantKey bool
}

// condition is the one of status.conditions that is being read.
type condition struct{ kind, status, reason string }

func newJSONScanner() *jsonScanner {
	s := &jsonScanner{}
	s.stack, s.text = s.frames[:0], s.letters[:0]
	return s
}

func (s *jsonScanner) result() scanned {
	out := s.found
	out.fields = sortedFields(out.fields)
	return out
}

// Write scans p and never fails.
func (s *jsonScanner) Write(p []byte) (int, error) {
	for i := 0; i < len(p) && !s.broken; {
		if n := s.pass(p[i:]); n > 0 {
			i += n
			continue
		}
		s.takeByte(p[i])
		i++
	}
	return len(p), nil
}

// takeByte takes one byte in the state that there is.
func (s *jsonScanner) takeByte(c byte) {
	switch s.state {
	case inString:
		s.inString(c)
	case inLiteral:
		s.inLiteral(c)
	default:
		s.value(c)
	}
}

// pass takes as many of the next bytes as can be taken at once: the inside of a
// string, and what is below an unwanted value, where only brackets and strings
// count.
func (s *jsonScanner) pass(p []byte) int {
	switch {
	case s.state == inString && !s.escaped:
		n := 0
		for n < len(p) && p[n] != '"' && p[n] != '\\' {
			n++
		}
		s.take(p[:n]...)
		return n
	case s.state == inValue && s.depth > 0:
		return s.passBelow(p)
	}
	return 0
}

// passBelow passes over what is below an unwanted value, up to its last
// bracket or into a string that p does not end.
func (s *jsonScanner) passBelow(p []byte) int {
	for i := 0; i < len(p); i++ {
		switch p[i] {
		case '{', '[':
			s.depth++
		case '}', ']':
			if s.depth == 1 {
				return i
			}
			s.depth--
		case '"':
			n := plainString(p[i+1:])
			if n < 0 {
				return i
			}
			i += n + 1
		}
	}
	return len(p)
}

// plainString is the length of a string that ends in p and has no escapes, -1
// for another.
func plainString(p []byte) int {
	for i, c := range p {
		switch c {
		case '"':
			return i
		case '\\':
			return -1
		}
	}
	return -1
}

// value is the state between tokens.
func (s *jsonScanner) value(c byte) {
	switch c {
	case ' ', '\t', '\n', '\r', ':':
	case '{':
		s.open(false)
	case '[':
		s.open(true)
	case '}', ']':
		s.close()
	case ',':
		s.next()
	case '"':
		s.beginString()
	default:
		s.beginLiteral(c)
	}
}

// top is the frame that the next token stands in, nil at the beginning and in
// what is passed over.
func (s *jsonScanner) top() *frame {
	if s.depth > 0 || len(s.stack) == 0 {
		return nil
	}
	return &s.stack[len(s.stack)-1]
}

// member is what is wanted of the value that comes next.
func (s *jsonScanner) member() *want {
	f := s.top()
	if f == nil {
		return nil
	}
	if f.array {
		return f.at.each
	}
	return f.member
}

func (s *jsonScanner) open(array bool) {
	var at *want
	if len(s.stack) == 0 && s.depth == 0 {
		at = wanted
	} else if at = s.member(); at == wantItem {
		s.found.items++
	}
	if at == nil || at.leaf() {
		s.depth++
		return
	}
	s.stack = append(s.stack, frame{at: at, array: array, wantKey: !array, member: at.other})
	switch at {
	case wantCondition:
		s.cond = condition{}
	case wantItem:
		s.item = version{}
	}
}

func (s *jsonScanner) close() {
	switch {
	case s.depth > 0:
		s.depth--
	case len(s.stack) > 0:
		s.closed(s.stack[len(s.stack)-1].at)
		s.stack = s.stack[:len(s.stack)-1]
	default:
		s.broken = true
	}
	if s.depth == 0 && (len(s.stack) == 0 || (s.brief && s.identified())) {
		s.broken = true // the document is over, or says nothing more
	}
}

// closed takes what was found in an object that is over.
func (s *jsonScanner) closed(at *want) {
	switch {
	case at == wantCondition:
		s.found.condition(s.cond)
	case at == wantItem && s.item.uid != "" && len(s.found.objects) < maxObjects:
		s.found.objects = append(s.found.objects, s.item)
	}
}

// identified tells, when a bracket was closed, whether the metadata is over.
func (s *jsonScanner) identified() bool {
	return len(s.stack) == 1 && s.stack[0].member == wantMetadata
}

func (s *jsonScanner) next() {
	if f := s.top(); f != nil && !f.array {
		f.wantKey = true
	}
}

func (s *jsonScanner) beginString() {
	f := s.top()
	s.isKey = f != nil && f.wantKey
	s.keep = s.isKey
	if m := s.member(); !s.isKey && m != nil && m.text {
		s.keep = true
	}
	s.text, s.escaped = s.text[:0], false
	s.state = inString
}

func (s *jsonScanner) inString(c byte) {
	switch {
	case s.escaped:
		s.escaped = false
	case c == '\\':
		// Nothing that is wanted is ever escaped.
		s.escaped, s.text, s.keep = true, s.text[:0], false
	case c == '"':
		s.state = inValue
		s.endString()
	default:
		s.take(c)
	}
}

// take keeps bytes of a wanted text; a text that is too long is given up.
func (s *jsonScanner) take(p ...byte) {
	switch {
	case !s.keep:
	case len(s.text)+len(p) > maxValue:
		s.text, s.keep = s.text[:0], false
	default:
		s.text = append(s.text, p...)
	}
}

func (s *jsonScanner) endString() {
	if !s.isKey {
		s.emit()
		return
	}
	f := s.top()
	f.wantKey, f.member, f.key = false, f.at.other, ""
	if !s.keep {
		return
	}
	if m, ok := f.at.members[string(s.text)]; ok {
		f.member = m
	} else if f.at.other != nil {
		f.key = string(s.text)
	}
}

func (s *jsonScanner) beginLiteral(c byte) {
	m := s.member()
	s.keep = m != nil && m.scalar
	s.text = s.text[:0]
	s.take(c)
	s.state = inLiteral
}

func (s *jsonScanner) inLiteral(c byte) {
	switch c {
	case ',', '}', ']', ' ', '\t', '\n', '\r':
		s.state = inValue
		s.emit()
		s.value(c)
	default:
		s.take(c)
	}
}

// emit stores the text that was just read.
func (s *jsonScanner) emit() {
	m := s.member()
	if m == nil || !s.keep || m.store == nil {
		return
	}
	m.store(s, s.top().key, string(s.text))
}
