package format

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// Limits of a lesson.
const (
	MaxFile     = 64 << 10
	MaxBeats    = 30
	MaxActions  = 12
	MaxWaits    = 6
	MaxValues   = 20
	MaxWords    = 700
	MaxTitle    = 80
	MaxWithin   = 2 * time.Minute
	minWithin   = time.Second
	maxSteady   = 30 * time.Second
	maxChoice   = 120
	maxMinutes  = 60
	maxMarks    = 12
	maxNesting  = 40
	maxReplicas = 50
	maxName     = 40
)

// Parse reads a lesson; file is its name in errors. The error is of type
// Faults: every fault that was found.
func Parse(file string, data []byte) (*Lesson, error) {
	r := &reader{file: file}
	root := r.root(data)
	if root == nil {
		return nil, r.faults
	}
	l := r.lesson(place{root, ""})
	if len(r.faults) == 0 {
		r.check(l)
	}
	if len(r.faults) > 0 {
		return nil, r.faults.sorted()
	}
	return l, nil
}

// root returns the document's node, nil when there is none that can be read.
func (r *reader) root(data []byte) *yaml.Node {
	top := place{&yaml.Node{Line: 1}, ""}
	if len(data) > MaxFile {
		r.fault(top, "the file has %d bytes, the limit is %d: shorten it", len(data), MaxFile)
		return nil
	}
	in := yaml.NewDecoder(bytes.NewReader(data))
	var doc, more yaml.Node
	if err := in.Decode(&doc); err != nil {
		r.broken(err)
		return nil
	}
	if err := in.Decode(&more); !errors.Is(err, io.EOF) {
		r.fault(place{&doc, ""}, "the file has more than one document: leave out what comes after ---")
		return nil
	}
	if !r.plain(&doc, 0) {
		return nil
	}
	return doc.Content[0]
}

var lineOf = regexp.MustCompile(`line (\d+): `)

// broken notes what the YAML library could not read.
func (r *reader) broken(err error) {
	at := place{&yaml.Node{Line: 1}, ""}
	if errors.Is(err, io.EOF) {
		r.fault(at, "the file is empty: begin with what tracer lesson new writes")
		return
	}
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	if found := lineOf.FindStringSubmatch(text); found != nil {
		at.Line, _ = strconv.Atoi(found[1])
		text = strings.Replace(text, found[0], "", 1)
	}
	r.fault(at, "it is not YAML: %s: mend the indentation or the quotation marks there", text)
}

// plain refuses what makes one place in the file mean several, and depth.
func (r *reader) plain(n *yaml.Node, depth int) bool {
	switch {
	case n.Kind == yaml.AliasNode || n.Anchor != "":
		r.fault(place{n, ""}, "anchors and aliases are not taken: write it out")
		return false
	case depth > maxNesting:
		r.fault(place{n, ""}, "it is nested more than %d deep: make it flatter", maxNesting)
		return false
	}
	for _, child := range n.Content {
		if !r.plain(child, depth+1) {
			return false
		}
	}
	return true
}

func (r *reader) lesson(a place) *Lesson {
	l := &Lesson{Controller: "podset", Item: "web", File: r.file}
	r.mapping(a,
		must("id", r.name(&l.ID)),
		must("title", r.text(&l.Title, MaxTitle)),
		must("about", r.words(&l.About, MaxWords)),
		must("minutes", r.integer(&l.Minutes, 1, maxMinutes)),
		maybe("needs", func(a place) {
			r.list(a, 0, 1, func(a place) {
				var need string
				r.oneOf(&need, NeedControl)(a)
				l.Needs = append(l.Needs, need)
			})
		}),
		maybe("controller", r.name(&l.Controller)),
		maybe("item", r.name(&l.Item)),
		must("beats", func(a place) {
			r.list(a, 1, MaxBeats, func(a place) { l.Beats = append(l.Beats, r.beat(a)) })
		}),
	)
	return l
}

var label = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`)

// name reads a DNS label.
func (r *reader) name(to *string) func(place) {
	return func(a place) {
		if a.Kind != yaml.ScalarNode || !label.MatchString(a.Value) || len(a.Value) > maxName {
			r.fault(a, "%s is not a name: use at most %d of a-z, 0-9 and -, a letter or digit first and last", shown(a.Node), maxName)
			return
		}
		*to = a.Value
	}
}

func (r *reader) beat(a place) Beat {
	b := Beat{Line: a.Line}
	r.mapping(a,
		must("title", r.text(&b.Title, MaxTitle)),
		must("words", r.words(&b.Words, MaxWords)),
		maybe("highlight", func(a place) {
			r.list(a, 1, maxMarks, func(a place) {
				var mark string
				r.oneOf(&mark, append(Nodes(), Edges()...)...)(a)
				b.Highlight = append(b.Highlight, mark)
			})
		}),
		maybe("item", r.name(&b.Item)),
		maybe("continues", r.yes(&b.Continues)),
		maybe("question", func(a place) { b.Question = r.question(a) }),
		maybe("do", func(a place) {
			r.list(a, 1, MaxActions, func(a place) { b.Do = append(b.Do, r.action(a)) })
		}),
		maybe("wait", func(a place) { b.Wait = r.wait(a) }),
		maybe("then", r.words(&b.Then, MaxWords)),
	)
	return b
}
