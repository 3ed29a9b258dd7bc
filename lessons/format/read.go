package format

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// reader reads the nodes of a YAML document and notes what is wrong.
type reader struct {
	file   string
	faults Faults
}

// place is a node and how it is called.
type place struct {
	*yaml.Node
	path string
}

func (a place) field(name string, n *yaml.Node) place {
	if a.path == "" {
		return place{n, name}
	}
	return place{n, a.path + "." + name}
}

func (a place) at(i int, n *yaml.Node) place { return place{n, fmt.Sprintf("%s[%d]", a.path, i)} }

func (r *reader) fault(a place, format string, args ...any) {
	r.faults = append(r.faults, Fault{File: r.file, Line: a.Line, Field: a.path, Text: fmt.Sprintf(format, args...)})
}

// entry is a field of a mapping and what takes it in.
type entry struct {
	name     string
	required bool
	take     func(place)
}

func must(name string, take func(place)) entry  { return entry{name, true, take} }
func maybe(name string, take func(place)) entry { return entry{name, false, take} }

// mapping reads a mapping with those fields and no others.
func (r *reader) mapping(a place, entries ...entry) {
	if a.Kind != yaml.MappingNode {
		r.fault(a, "it is %s: write a mapping with %s", kindOf(a.Node), entryNames(entries))
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(a.Content); i += 2 {
		key, value := a.Content[i], a.Content[i+1]
		here := a.field(brief(key.Value), key)
		at := slices.IndexFunc(entries, func(e entry) bool { return e.name == key.Value })
		switch {
		case at < 0:
			r.fault(here, "the field is not known: use %s", entryNames(entries))
		case seen[key.Value]:
			r.fault(here, "the field is there twice: leave one of them out")
		default:
			seen[key.Value] = true
			entries[at].take(a.field(key.Value, value))
		}
	}
	for _, e := range entries {
		if e.required && !seen[e.name] {
			r.fault(a, "%s is missing: add it", e.name)
		}
	}
}

func entryNames(entries []entry) string {
	var names []string
	for _, e := range entries {
		names = append(names, e.name)
	}
	return strings.Join(names, ", ")
}

// list reads a list of least to most parts.
func (r *reader) list(a place, least, most int, take func(place)) {
	if a.Kind != yaml.SequenceNode {
		r.fault(a, "it is %s: write a list of %d to %d", kindOf(a.Node), least, most)
		return
	}
	if n := len(a.Content); n < least || n > most {
		r.fault(a, "it has %d parts, and must have %d to %d: %s", n, least, most, addOrTake(n < least))
		return
	}
	for i, n := range a.Content {
		take(a.at(i, n))
	}
}

func addOrTake(few bool) string {
	if few {
		return "add some"
	}
	return "take some out"
}

// text reads a text of at most max characters into to.
func (r *reader) text(to *string, max int) func(place) {
	return func(a place) {
		text := strings.TrimSpace(a.Value)
		switch {
		case a.Kind != yaml.ScalarNode || a.Tag == "!!null" || text == "":
			r.fault(a, "it is %s: write a text of 1 to %d characters", kindOf(a.Node), max)
		case utf8.RuneCountInString(text) > max:
			r.fault(a, "it has %d characters, the limit is %d: shorten it", utf8.RuneCountInString(text), max)
		default:
			*to = text
		}
	}
}

// words reads sentences: each line is a paragraph. YAML's > makes one line of
// what has no empty line in between.
func (r *reader) words(to *string, max int) func(place) {
	return func(a place) {
		r.text(to, max)(a)
		var paragraphs []string
		for line := range strings.SplitSeq(*to, "\n") {
			if words := strings.Fields(line); len(words) > 0 {
				paragraphs = append(paragraphs, strings.Join(words, " "))
			}
		}
		*to = strings.Join(paragraphs, "\n")
	}
}

// oneOf reads one of some words.
func (r *reader) oneOf(to *string, of ...string) func(place) {
	return func(a place) {
		if a.Kind != yaml.ScalarNode || !slices.Contains(of, a.Value) {
			r.fault(a, "%s is not known: use one of %s", shown(a.Node), strings.Join(of, ", "))
			return
		}
		*to = a.Value
	}
}

// integer reads a whole number from least to most.
func (r *reader) integer(to *int, least, most int) func(place) {
	return func(a place) {
		n, err := strconv.Atoi(a.Value)
		if a.Kind != yaml.ScalarNode || err != nil || n < least || n > most {
			r.fault(a, "%s is not a whole number from %d to %d: give one", shown(a.Node), least, most)
			return
		}
		*to = n
	}
}

// number reads a number from least to most.
func (r *reader) number(to *float64, least, most float64) func(place) {
	return func(a place) {
		n, err := strconv.ParseFloat(a.Value, 64)
		if a.Kind != yaml.ScalarNode || err != nil || math.IsNaN(n) || n < least || n > most {
			r.fault(a, "%s is not a number from %g to %g: give one", shown(a.Node), least, most)
			return
		}
		*to = n
	}
}

func (r *reader) yes(to *bool) func(place) {
	return func(a place) {
		if a.Kind != yaml.ScalarNode || a.Value != "true" && a.Value != "false" {
			r.fault(a, "%s is not true or false: give one of them", shown(a.Node))
			return
		}
		*to = a.Value == "true"
	}
}

func kindOf(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "a mapping"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.Tag == "!!null" || n.Value == "":
		return "empty"
	}
	return "a single value"
}

func shown(n *yaml.Node) string {
	if n.Kind != yaml.ScalarNode {
		return kindOf(n)
	}
	return strconv.Quote(brief(n.Value))
}

// brief keeps a hostile word from flooding an error.
func brief(text string) string {
	const most = 60
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most]) + "…"
}
