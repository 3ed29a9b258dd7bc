package otlp

import (
	"errors"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
)

// maxWalk is the nesting at which Decode gives up: more than Caps.Depth can
// ever let in, few enough for any stack.
const maxWalk = 256

// message says which fields of a protobuf message hold which messages. Only
// those that can lead to an AnyValue, the one type that nests in itself, count.
type message map[protowire.Number]message

var traceMessage, logMessage = messages()

func messages() (traces, logs message) {
	anyValue := message{}
	keyValue := message{2: anyValue}
	// An AnyValue holds an ArrayValue of AnyValues or a KeyValueList.
	anyValue[5] = message{1: anyValue}
	anyValue[6] = message{1: keyValue}
	resource, scope := message{1: keyValue}, message{3: keyValue}
	span := message{9: keyValue, 11: {3: keyValue}, 13: {4: keyValue}}
	record := message{5: anyValue, 6: keyValue}
	return message{1: {1: resource, 2: {1: scope, 2: span}}}, message{1: {1: resource, 2: {1: scope, 2: record}}}
}

// outerLevels is how deep the messages around a value are, and levelsEach how
// many messages one level of nesting of a value takes.
const (
	outerLevels = 7
	levelsEach  = 3
)

func checkProtoDepth(body []byte, req request, depth int) error {
	root := logMessage
	if _, ok := req.(*traceRequest); ok {
		root = traceMessage
	}
	return walk(body, root, outerLevels+levelsEach*depth)
}

var errDepth = errors.New("a value is nested too deep: flatten it")

func walk(buf []byte, m message, left int) error {
	if left == 0 {
		return errDepth
	}
	for len(buf) > 0 {
		num, typ, n := protowire.ConsumeTag(buf)
		if n < 0 {
			return protowire.ParseError(n)
		}
		buf = buf[n:]
		if typ != protowire.BytesType {
			if n = protowire.ConsumeFieldValue(num, typ, buf); n < 0 {
				return protowire.ParseError(n)
			}
			buf = buf[n:]
			continue
		}
		field, n := protowire.ConsumeBytes(buf)
		if n < 0 {
			return protowire.ParseError(n)
		}
		if inner, ok := m[num]; ok {
			if err := walk(field, inner, left-1); err != nil {
				return err
			}
		}
		buf = buf[n:]
	}
	return nil
}

// jsonOuter is how many brackets stand around a value in a JSON request, and
// jsonEach how many one level of nesting of a value takes.
const (
	jsonOuter = 16
	jsonEach  = 4
)

// checkJSONDepth counts brackets outside of strings. It leaves all other
// judgement to the decoder.
func checkJSONDepth(body []byte, depth int) error {
	limit, level, inString := jsonOuter+jsonEach*depth, 0, false
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			if level++; level > limit {
				return fmt.Errorf("%w (over %d brackets)", errDepth, limit)
			}
		case c == '}' || c == ']':
			level--
		}
	}
	return nil
}
