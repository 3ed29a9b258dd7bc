package lessons

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/reconcile-tracer/tracer/lessons/format"
)

//go:embed *.yaml
var files embed.FS

// Starter is a commented lesson to begin one's own with.
//
//go:embed starter.txt
var Starter string

// All returns the built-in lessons in their order. They are shared and not to
// be changed. It panics where one of them is faulty, which the tests rule out.
var All = sync.OnceValue(func() []*format.Lesson {
	all, err := parseAll()
	if err != nil {
		panic(err)
	}
	return all
})

func parseAll() ([]*format.Lesson, error) {
	entries, err := files.ReadDir(".")
	if err != nil {
		return nil, fmt.Errorf("reading the built-in lessons: %w", err)
	}
	var all []*format.Lesson
	var faults []error
	for _, entry := range entries {
		text, err := files.ReadFile(entry.Name())
		if err != nil {
			return nil, fmt.Errorf("reading the built-in lessons: %w", err)
		}
		l, err := format.Parse("lessons/"+entry.Name(), text)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		all = append(all, l)
	}
	slices.SortFunc(all, func(a, b *format.Lesson) int { return cmp.Compare(number(a), number(b)) })
	return all, errors.Join(faults...)
}

// number is that of lesson-<number>.
func number(l *format.Lesson) int {
	n, _ := strconv.Atoi(strings.TrimPrefix(l.ID, "lesson-"))
	return n
}

// Find returns the built-in lesson of that id, or of that number; nil where
// there is none.
func Find(name string) *format.Lesson {
	for _, l := range All() {
		if l.ID == name || l.ID == "lesson-"+name {
			return l
		}
	}
	return nil
}
