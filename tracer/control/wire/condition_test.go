package wire

import (
	"errors"
	"testing"
)

func TestConditions(t *testing.T) {
	done := Facts{Phase: "requeue", Item: "default/web", Causes: []string{"update", OwnWrite}, Result: "error", Error: "Conflict"}
	wrote := Facts{Phase: "apply", Item: "default/web", Causes: []string{"add"}, Write: []string{"Conflict", "409"}, Verb: "update", Resource: "podsets"}
	for text, want := range map[string]struct{ done, wrote bool }{
		"result = error":                                 {true, false},
		"result=error":                                   {true, false},
		"result != success":                              {true, false},
		"write = Conflict":                               {false, true},
		"write = 409":                                    {false, true},
		"write != ok":                                    {false, true},
		"write != Conflict":                              {false, false},
		"cause = own_write":                              {true, false},
		"cause != own_write":                             {false, true},
		"phase = apply and item = default/web":           {false, true},
		`item = "default/web"  and  error=Conflict`:      {true, false},
		"verb = update and resource = podsets":           {false, true},
		"write = Conflict and resource = pods":           {false, false},
		"phase = requeue and result=error and item != a": {true, false},
	} {
		c, err := ParseCondition(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if c.Holds(done) != want.done || c.Holds(wrote) != want.wrote {
			t.Errorf("%s: holds %v at the end and %v at the write, want %v", text, c.Holds(done), c.Holds(wrote), want)
		}
	}
}

func TestConditionErrorsSayWhere(t *testing.T) {
	for text, want := range map[string]string{
		"":                                 "when: at 1: a test is missing: write one like result = error",
		"resul = error":                    `when: at 1: "resul" is nothing to test: use phase, item, result, error, write, cause, verb or resource`,
		"result error":                     `when: at 8: "error" cannot follow result: use = or !=`,
		"result == error":                  `when: at 8: "==" cannot follow result: use = or !=`,
		"result =":                         "when: at 9: the value of result is missing: write one like result = requeue",
		"result = eror":                    `when: at 10: "eror" is no result that there is: use success, requeue, requeue_after, error, terminal_error, panic, timeout`,
		"phase = apply or item = a":        `when: at 15: "or" follows a test: join tests with and`,
		"phase = apply and":                "when: at 18: a test is missing: write one like result = error",
		`item = "default/web`:              `when: at 8: the quote is not closed: end the value with "`,
		"ä = b":                            `when: at 1: "ä" is nothing to test: use phase, item, result, error, write, cause, verb or resource`,
		"item = a and result = error = on": `when: at 29: "=" follows a test: join tests with and`,
		"item = ä":                         `when: at 8: "ä" is no value: write a word, or put it into quotes`,
	} {
		_, err := ParseCondition(text)
		var where *ConditionError
		if !errors.As(err, &where) || err.Error() != want {
			t.Errorf("%q: %v\nwant %s", text, err, want)
		}
	}
}

func FuzzCondition(f *testing.F) {
	for _, s := range []string{"result = error", `item="a" and write != 409`, "==", `"`, "and and and"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		c, err := ParseCondition(s)
		if err == nil && len(c.tests) == 0 {
			t.Errorf("%q is taken and tests nothing", s)
		}
		var where *ConditionError
		if err != nil && (!errors.As(err, &where) || where.At < 1 || where.At > len([]rune(s))+1) {
			t.Errorf("%q: %v is at no place of it", s, err)
		}
	})
}
