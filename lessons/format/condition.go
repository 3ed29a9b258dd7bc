package format

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Condition is one condition on rows, as
//
//	reconcile item=web cause=own_write result=success count>=1
//
// It is true when the number of rows that fit all terms fits Op and Count.
type Condition struct {
	// Text is the condition as it stands in the file.
	Text string
	// Row is the kind of rows.
	Row   string
	Terms []Term
	// Op and Count are how many must fit: at least one where none is given.
	Op    string
	Count int
	// Show is the field of the rows that came which is told, "" for none.
	Show string
	Line int
}

// Term compares one field.
type Term struct {
	Field string
	Type  Type
	Op    string
	// Value is what a text is compared with, Number what a number is.
	Value  string
	Number int64
}

const (
	maxTerms = 8
	maxCount = 100
	// operators in an order in which none hides another.
	fieldCount = "count"
	fieldShow  = "show"
)

// ParseCondition reads a condition. The error names the part, what it may be,
// and what to do.
func ParseCondition(text string) (Condition, error) {
	c := Condition{Text: text, Op: ">=", Count: 1}
	words, err := split(text)
	if err != nil {
		return c, err
	}
	if len(words) == 0 {
		return c, fmt.Errorf("a condition is empty: begin with a row (%s)", rowNames())
	}
	fields, ok := Rows()[words[0]]
	if !ok {
		return c, fmt.Errorf("row %q is not known: use one of %s", words[0], rowNames())
	}
	c.Row = words[0]
	if len(words) > maxTerms+1 {
		return c, fmt.Errorf("the condition has %d terms, the limit is %d: use fewer", len(words)-1, maxTerms)
	}
	for _, word := range words[1:] {
		if err := c.term(word, fields); err != nil {
			return c, err
		}
	}
	return c, nil
}

func (c *Condition) term(word string, fields map[string]Field) error {
	name, op, value, ok := cut(word)
	if !ok {
		return fmt.Errorf("term %q has no operator: write field=value, with =, !=, <, <=, >, >= or ~", word)
	}
	switch name {
	case fieldCount:
		return c.setCount(op, value)
	case fieldShow:
		if _, known := fields[value]; !known || op != "=" {
			return fmt.Errorf("show%s%s: %s has no field %q: use show= with one of %s", op, value, c.Row, value, names(fields))
		}
		c.Show = value
		return nil
	}
	field, known := fields[name]
	if !known {
		return fmt.Errorf("field %q: %s has none of that name: use one of %s, or count", name, c.Row, names(fields))
	}
	t := Term{Field: name, Type: field.Type, Op: op, Value: value}
	if !slices.Contains(field.Type.ops(), op) {
		return fmt.Errorf("operator %s does not go with %s: use %s", op, name, strings.Join(field.Type.ops(), " "))
	}
	c.Terms = append(c.Terms, t)
	return c.Terms[len(c.Terms)-1].check(field)
}

// check refuses a value that the field can never have.
func (t *Term) check(field Field) error {
	switch {
	case field.Type == Number:
		return t.checkNumber()
	case field.Type == Bool && t.Value != "true" && t.Value != "false":
		return fmt.Errorf("%s%s%s: give true or false", t.Field, t.Op, t.Value)
	case field.OneOf != nil && !slices.ContainsFunc(field.OneOf, t.isOrHolds):
		return fmt.Errorf("%s%s%s can never be: use one of %s", t.Field, t.Op, t.Value, strings.Join(field.OneOf, ", "))
	case field.Like != nil && t.Op != "~" && !field.Like.pattern.MatchString(t.Value):
		return fmt.Errorf("%s%s%s can never be: give %s", t.Field, t.Op, t.Value, field.Like.words)
	}
	return nil
}

func (t *Term) isOrHolds(value string) bool {
	return value == t.Value || t.Op == "~" && strings.Contains(value, t.Value)
}

func (t *Term) checkNumber() (err error) {
	t.Number, err = strconv.ParseInt(t.Value, 10, 64)
	switch {
	case err != nil:
		return fmt.Errorf("%s%s%s: not a whole number: give one", t.Field, t.Op, t.Value)
	case t.Number < 0 || t.Number == 0 && t.Op == "<":
		return fmt.Errorf("%s%s%s says nothing: it is never below 0: compare it with 0 or more", t.Field, t.Op, t.Value)
	}
	return nil
}

func (c *Condition) setCount(op, value string) error {
	n, err := strconv.Atoi(value)
	if err != nil || n < 0 || n > maxCount || !slices.Contains(Number.ops(), op) {
		return fmt.Errorf("count%s%s: compare it with a whole number from 0 to %d", op, value, maxCount)
	}
	if op == "<" && n == 0 {
		return fmt.Errorf("count<0 can never be: compare it with a whole number from 0 to %d", maxCount)
	}
	c.Op, c.Count = op, n
	return nil
}

// Fits says whether a number of rows fits the condition.
func (c *Condition) Fits(n int) bool { return Compare(c.Op, int64(n), int64(c.Count)) }

// Compare compares two numbers by one of the operators of Number.
func Compare(op string, a, b int64) bool {
	switch op {
	case "=":
		return a == b
	case "!=":
		return a != b
	case "<":
		return a < b
	case "<=":
		return a <= b
	case ">":
		return a > b
	}
	return a >= b
}

// cut takes a term apart at its operator.
func cut(word string) (name, op, value string, ok bool) {
	i := strings.IndexAny(word, "=!<>~")
	if i < 1 {
		return "", "", "", false
	}
	n := 1
	if strings.HasPrefix(word[i+1:], "=") && word[i] != '=' && word[i] != '~' {
		n = 2
	}
	op = word[i : i+n]
	value = strings.Trim(word[i+n:], `"`)
	return word[:i], op, value, op != "!" && value != ""
}

// split cuts a condition at its spaces, except between quotation marks.
func split(text string) ([]string, error) {
	var words []string
	var word strings.Builder
	quoted := false
	for _, r := range text + " " {
		switch {
		case r == '"':
			quoted = !quoted
			word.WriteRune(r)
		case r == ' ' && !quoted:
			if word.Len() > 0 {
				words = append(words, word.String())
			}
			word.Reset()
		default:
			word.WriteRune(r)
		}
	}
	if quoted {
		return nil, fmt.Errorf("a quotation mark is missing in %s: put one at the end of the value", text)
	}
	return words, nil
}

func rowNames() string { return strings.Join(slices.Sorted(maps.Keys(Rows())), ", ") }

func names(fields map[string]Field) string {
	return strings.Join(slices.Sorted(maps.Keys(fields)), ", ")
}
