package wire

import (
	"fmt"
	"slices"
	"strings"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// OwnWrite is a cause that no span has as a word: an update of this controller's
// own that changed no spec.
const OwnWrite = "own_write"

// WriteOK is what a write came to that the API server took.
const WriteOK = "ok"

// Condition says where a breakpoint holds: at a place where each of its tests
// does. The zero value holds everywhere.
type Condition struct{ tests []test }

type test struct {
	field, value string
	not          bool
}

// Facts are what is known of a reconcile at the place where its worker is; what
// is empty is not known there. A test of what is not known does not hold, with
// != either.
type Facts struct {
	Phase, Item string
	// Causes are those of the reconcile: the words of semconv, and OwnWrite.
	Causes []string
	// Result and Error are known when the reconcile is done.
	Result, Error string
	// Write is known when the answer to a write has just come: its reason or
	// WriteOK, and its status code.
	Write []string
	// Verb and Resource are the write's.
	Verb, Resource string
}

func (f Facts) of(field string) []string {
	var one string
	switch field {
	case "cause":
		return f.Causes
	case "write":
		return f.Write
	case "phase":
		one = f.Phase
	case "item":
		one = f.Item
	case "result":
		one = f.Result
	case "error":
		one = f.Error
	case "verb":
		one = f.Verb
	case "resource":
		one = f.Resource
	}
	if one == "" {
		return nil
	}
	return []string{one}
}

// Holds says whether every test holds.
func (c Condition) Holds(f Facts) bool {
	for _, t := range c.tests {
		known := f.of(t.field)
		if len(known) == 0 || slices.Contains(known, t.value) == t.not {
			return false
		}
	}
	return true
}

// Speaks says whether one of the tests is of that field.
func (c Condition) Speaks(field string) bool {
	return slices.ContainsFunc(c.tests, func(t test) bool { return t.field == field })
}

// Wants are the values of which a field must be one each, in order: those of its
// tests that are not negated.
func (c Condition) Wants(field string) []string {
	var values []string
	for _, t := range c.tests {
		if t.field == field && !t.not {
			values = append(values, t.value)
		}
	}
	return values
}

// ConditionError says what is wrong in a condition, and where.
type ConditionError struct {
	// At is the place, in characters from 1.
	At   int
	What string
}

// Error implements error.
func (e *ConditionError) Error() string { return fmt.Sprintf("when: at %d: %s", e.At, e.What) }

// fields are what a test can be of; nil is any word.
var fields = map[string][]string{
	"phase": phases,
	"item":  nil,
	"result": {
		semconv.ResultSuccess, semconv.ResultRequeue, semconv.ResultRequeueAfter, semconv.ResultError,
		semconv.ResultTerminalError, semconv.ResultPanic, semconv.ResultTimeout,
	},
	"error": nil,
	"write": {
		WriteOK, "Conflict", "AlreadyExists", "NotFound", "Invalid", "Forbidden", "Unauthorized", "BadRequest", "Gone", "Expired",
		"MethodNotAllowed", "TooManyRequests", "InternalError", "Timeout", "ServerTimeout", "ServiceUnavailable",
		"timeout", "canceled", "connection",
	},
	"cause": {
		semconv.CauseInitialList, semconv.CauseAdd, semconv.CauseUpdate, semconv.CauseDelete, semconv.CauseGeneric, semconv.CauseResync,
		semconv.CauseRelist, semconv.CauseBackoff, semconv.CauseRequeueAfter, semconv.CauseManual, OwnWrite,
	},
	"verb":     writeVerbs,
	"resource": nil,
}

const fieldNames = "phase, item, result, error, write, cause, verb or resource"

// ParseCondition reads a condition:
//
//	condition = test { "and" test }
//	test      = field ( "=" | "!=" ) value
//	field     = "phase" | "item" | "result" | "error" | "write" | "cause" | "verb" | "resource"
//	value     = word | '"' characters '"'
//
// A word has letters, digits, and _ - . / in it. The error is a ConditionError.
func ParseCondition(s string) (Condition, error) {
	p := &parser{rest: []rune(s)}
	var c Condition
	for {
		t, err := p.test()
		if err != nil {
			return Condition{}, err
		}
		c.tests = append(c.tests, t)
		next := p.next()
		switch {
		case next.text == "":
			return c, nil
		case next.text != "and" || next.quoted:
			return Condition{}, p.fault(next, "%q follows a test: join tests with and", next.text)
		}
	}
}

// token is a word, a text in quotes, an operator, or nothing at the end.
type token struct {
	text       string
	at         int
	quoted     bool
	unfinished bool
}

type parser struct {
	rest []rune
	pos  int
}

func (p *parser) fault(t token, format string, args ...any) error {
	return &ConditionError{At: t.at + 1, What: fmt.Sprintf(format, args...)}
}

func (p *parser) test() (test, error) {
	field, op, value := p.next(), p.next(), p.next()
	allowed, known := fields[field.text]
	switch {
	case field.text == "":
		return test{}, p.fault(field, "a test is missing: write one like result = error")
	case !known || field.quoted:
		return test{}, p.fault(field, "%q is nothing to test: use %s", brief(field.text), fieldNames)
	case op.quoted || op.text != "=" && op.text != "!=":
		return test{}, p.fault(op, "%q cannot follow %s: use = or !=", brief(op.text), field.text)
	case value.unfinished:
		return test{}, p.fault(value, "the quote is not closed: end the value with \"")
	case value.text == "" && !value.quoted:
		return test{}, p.fault(value, "the value of %s is missing: write one like %s = %s", field.text, field.text, example(field.text, allowed))
	case !value.quoted && !isWord(value.text):
		return test{}, p.fault(value, "%q is no value: write a word, or put it into quotes", brief(value.text))
	case allowed != nil && !slices.Contains(allowed, value.text) && (field.text != "write" || !isStatus(value.text)):
		return test{}, p.fault(value, "%q is no %s that there is: use %s", brief(value.text), field.text, choices(field.text, allowed))
	}
	return test{field: field.text, value: value.text, not: op.text == "!="}, nil
}

func example(field string, allowed []string) string {
	switch {
	case field == "item":
		return "default/web"
	case len(allowed) > 1:
		return allowed[1]
	}
	return "Conflict"
}

func choices(field string, allowed []string) string {
	list := strings.Join(allowed, ", ")
	if field == "write" {
		list += ", or a status code"
	}
	return list
}

func (p *parser) next() token {
	for p.pos < len(p.rest) && (p.rest[p.pos] == ' ' || p.rest[p.pos] == '\t') {
		p.pos++
	}
	t := token{at: p.pos}
	switch {
	case p.pos == len(p.rest):
		return t
	case p.rest[p.pos] == '"':
		return p.quoted(t)
	}
	same := isWordRune(p.rest[p.pos])
	for p.pos < len(p.rest) && isWordRune(p.rest[p.pos]) == same && !strings.ContainsRune(" \t\"", p.rest[p.pos]) {
		p.pos++
	}
	t.text = string(p.rest[t.at:p.pos])
	return t
}

func (p *parser) quoted(t token) token {
	t.quoted = true
	end := slices.Index(p.rest[p.pos+1:], '"')
	if end < 0 {
		t.unfinished, p.pos = true, len(p.rest)
		return t
	}
	t.text = string(p.rest[p.pos+1 : p.pos+1+end])
	p.pos += end + 2
	return t
}

func isWord(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return !isWordRune(r) })
}

func isWordRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-./", r)
}

func isStatus(s string) bool {
	return len(s) == 3 && s >= "100" && s <= "599" && isWord(s) && !strings.ContainsFunc(s, func(r rune) bool { return r < '0' || r > '9' })
}
