package otlp

import (
	"errors"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
)

// maxWalk is the nesting at which Decode gives up: more than Caps.Depth can
// ever let in, few enough for any stack.
const maxWalk = 256

// message says which fields of a protobuf message hold messages that a request
// can have many of, or that can lead to an AnyValue, the one type that nests in
// itself. Cost is about how many bytes one takes decoded, however few it had.
type message struct {
	cost   int
	fields map[protowire.Number]*message
}

// What is decoded costs up to a hundred times what it is on the wire: two bytes
// make a span. Hence a request may only have so much of it.
const (
	maxDecoded  = 32 << 20
	costOuter   = 320 // a resource's, a scope's, a span, a record
	costPart    = 128 // an event, a link, an attribute, a value
	costElement = 256 // an element of a JSON array, on average
)

var traceMessage, logMessage = messages()

func messages() (traces, logs *message) {
	part := func(fields map[protowire.Number]*message) *message { return &message{costPart, fields} }
	outer := func(fields map[protowire.Number]*message) *message { return &message{costOuter, fields} }
	anyValue := part(map[protowire.Number]*message{})
	keyValue := part(map[protowire.Number]*message{2: anyValue})
	// An AnyValue holds an ArrayValue of AnyValues or a KeyValueList.
	anyValue.fields[5] = part(map[protowire.Number]*message{1: anyValue})
	anyValue.fields[6] = part(map[protowire.Number]*message{1: keyValue})
	text := part(nil)
	entity := part(map[protowire.Number]*message{3: text, 4: text})
	resource := part(map[protowire.Number]*message{1: keyValue, 3: entity})
	scope := part(map[protowire.Number]*message{3: keyValue})
	span := outer(map[protowire.Number]*message{
		9: keyValue, 11: part(map[protowire.Number]*message{3: keyValue}), 13: part(map[protowire.Number]*message{4: keyValue}),
	})
	record := outer(map[protowire.Number]*message{5: anyValue, 6: keyValue})
	request := func(leaf *message) *message {
		inScope := outer(map[protowire.Number]*message{1: scope, 2: leaf})
		return outer(map[protowire.Number]*message{1: outer(map[protowire.Number]*message{1: resource, 2: inScope})})
	}
	return request(span), request(record)
}

// outerLevels is how deep the messages around a value are, and levelsEach how
// many messages one level of nesting of a value takes.
const (
	outerLevels = 7
	levelsEach  = 3
)

// checkProto measures a request before it is decoded: how deep values nest, and
// how much memory it would take.
func checkProto(body []byte, req request, depth, budget int) error {
	root := logMessage
	if _, ok := req.(*traceRequest); ok {
		root = traceMessage
	}
	return walk(body, root, outerLevels+levelsEach*depth, &budget)
}

var (
	errDepth  = errors.New("a value is nested too deep: flatten it")
	errBudget = errors.New("the request has more spans, records, attributes and values than the hub decodes at once: send smaller batches")
)

func walk(buf []byte, m *message, left int, budget *int) error {
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
		if err := measure(field, m.fields[num], left-1, budget); err != nil {
			return err
		}
		buf = buf[n:]
	}
	return nil
}

// measure looks into a field that holds m; nil is one that does not count.
func measure(field []byte, m *message, left int, budget *int) error {
	if m == nil {
		return nil
	}
	if *budget -= m.cost; *budget < 0 {
		return errBudget
	}
	if m.fields == nil {
		return nil
	}
	return walk(field, m, left, budget)
}

// jsonOuter is how many brackets stand around a value in a JSON request, and
// jsonEach how many one level of nesting of a value takes.
const (
	jsonOuter = 16
	jsonEach  = 4
)

// checkJSON is checkProto for JSON. It looks at brackets and at commas within
// arrays, outside of strings, and leaves all other judgement to the decoder.
func checkJSON(body []byte, depth, budget int) error {
	limit, inString := jsonOuter+jsonEach*depth, false
	open := make([]byte, 0, limit)
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			if open = append(open, c); len(open) > limit {
				return fmt.Errorf("%w (over %d brackets)", errDepth, limit)
			}
			budget -= costOf(c == '[')
		case c == ',':
			budget -= costOf(len(open) > 0 && open[len(open)-1] == '[')
		case c == '}' || c == ']':
			open = open[:max(0, len(open)-1)]
		}
		if budget < 0 {
			return errBudget
		}
	}
	return nil
}

// costOf is what one more element of an array costs.
func costOf(element bool) int {
	if element {
		return costElement
	}
	return 0
}
