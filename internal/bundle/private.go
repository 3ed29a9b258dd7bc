package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// The forms in which the sources name a class's own members. A name that has no
// other form anywhere is known to nobody outside, so that it may travel short.
var (
	commentText   = regexp.MustCompile(`(?s:/\*.*?\*/)|(?m:(^|\s)//.*$)`)
	privateMember = regexp.MustCompile(`\bprivate (?:(?:static|readonly|async|get|set) )*([a-zA-Z]+)`)
	ownMember     = regexp.MustCompile(`\bthis\.([a-zA-Z]+)`)
	takenFromThis = regexp.MustCompile(`const \{[^{}]*\} = this;`)
	otherProperty = regexp.MustCompile("\\.([a-zA-Z]+)|([a-zA-Z]+)\\??\\s*:|[{,]\\s*([a-zA-Z]+)\\s*(?:[,}])|[\"'`]([a-zA-Z]+)[\"'`]")
)

// privateNames are the names of the sources' private members that esbuild may
// shorten, in order. One is left out as soon as any source also has it as a
// property of something else, as a key, or in quotes: it may then come from the
// browser or travel to the hub, where its name counts.
func privateNames(dir string) ([]string, error) {
	private, other := map[string]bool{}, map[string]bool{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".ts" || strings.HasSuffix(path, ".test.ts") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		sortNames(string(text), private, other)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("reading the sources' private names: %w", err)
	}
	var names []string
	for name := range private {
		if !other[name] {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

// sortNames adds what one source says of names.
func sortNames(text string, private, other map[string]bool) {
	text = commentText.ReplaceAllString(text, "")
	here := map[string]bool{}
	for _, m := range privateMember.FindAllStringSubmatch(text, -1) {
		private[m[1]], here[m[1]] = true, true
	}
	for _, m := range ownMember.FindAllStringSubmatch(text, -1) {
		// Of a class that does not declare it private it may be the browser's, as this.hidden.
		if !here[m[1]] {
			other[m[1]] = true
		}
	}
	for _, form := range []*regexp.Regexp{privateMember, ownMember, takenFromThis} {
		text = form.ReplaceAllString(text, " ")
	}
	// Twice, since matches do not overlap and a comma belongs to two names.
	for range 2 {
		text = otherProperty.ReplaceAllStringFunc(text, func(found string) string {
			for _, name := range otherProperty.FindStringSubmatch(found)[1:] {
				other[name] = true
			}
			return found[len(found)-1:]
		})
	}
}

// mangled is the pattern of esbuild's MangleProps for names, "" for none.
func mangled(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return "^(" + strings.Join(names, "|") + ")$"
}
