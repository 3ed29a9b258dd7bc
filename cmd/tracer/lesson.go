package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/reconcile-tracer/tracer/lessons"
	"github.com/reconcile-tracer/tracer/lessons/format"
)

func newLesson(io streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "lesson",
		Short: "List, check, write and run lessons",
		Long: `Lessons are files that teach one thing about the loop: beats of words, real
actions on a cluster, conditions on what the hub sees, and questions. The page
plays them; these commands are for those who write and test them.

docs/lessons.md describes the format.`,
		Example: `  tracer lesson list
  tracer lesson new my-lesson.yaml
  tracer lesson check my-lesson.yaml
  tracer lesson run my-lesson.yaml`,
		Args: knownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newLessonList(io), newLessonCheck(io), newLessonNew(io), newLessonRun(io))
	return cmd
}

func newLessonList(io streams) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the lessons that are built in",
		Long: `List the lessons that are built in: id, beats, minutes of teaching, title; and how
to start one, on the page of the hub that runs.`,
		Example: `  tracer lesson list`,
		Args:    noArguments,
		RunE: func(*cobra.Command, []string) error {
			for _, l := range lessons.All() {
				fmt.Fprintf(io.out, "%-10s %2d beats %3d min  %s\n", l.ID, len(l.Beats), l.Minutes, l.Title)
			}
			fmt.Fprint(io.out, howToStart(lessons.All()[0].ID))
			return nil
		},
	}
}

// howToStart says the ways to start a lesson.
func howToStart(id string) string {
	page := defaultHub
	switch running, _ := usualHubs(); len(running) {
	case 0:
	case 1:
		page = running[0].url
	default:
		page = "<hub>"
	}
	return fmt.Sprintf(`
To start one, for example the first:
  for a class             tracer demo, then Lessons on its page
  in this shell           tracer lesson run %[1]s
  recorded, no cluster    %[2]s/?recording=%[1]s  (on the page of any hub, as tracer serve)
`, id, page)
}

func newLessonCheck(io streams) *cobra.Command {
	return &cobra.Command{
		Use:   "check FILE...",
		Short: "Check lessons without running them",
		Long: `Check lesson files without running them. Each fault is said with its file, line
and field, what the limit is and what to do. The exit status is 1 when there is
one.`,
		Example: `  tracer lesson check my-lesson.yaml`,
		Args:    someArguments("FILE", "a lesson's file, as in tracer lesson check my-lesson.yaml"),
		RunE: func(_ *cobra.Command, args []string) error {
			var faults []error
			for _, name := range args {
				l, err := readLesson(name)
				if err != nil {
					faults = append(faults, err)
					continue
				}
				fmt.Fprintf(io.out, "%s: %s, %d beats, is fine\n", name, l.ID, len(l.Beats))
			}
			return errors.Join(faults...)
		},
	}
}

func newLessonNew(io streams) *cobra.Command {
	return &cobra.Command{
		Use:   "new FILE",
		Short: "Write a commented lesson to begin with",
		Long: `Write a small lesson with comments on every field, which passes 'tracer lesson
check' and 'tracer lesson run' as it is. A file that exists is not overwritten.`,
		Example: `  tracer lesson new my-lesson.yaml`,
		Args:    oneArgument("FILE", "the file to write, as in tracer lesson new my-lesson.yaml"),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := writeStarter(args[0]); err != nil {
				return err
			}
			fmt.Fprintf(io.out, "wrote %s; next: tracer lesson run %s\n", args[0], args[0])
			return nil
		},
	}
}

var notInID = regexp.MustCompile(`[^a-z0-9]+`)

// writeStarter writes the starter under an id that fits the file's name.
func writeStarter(path string) error {
	id := strings.ToLower(strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)))
	id = strings.Trim(notInID.ReplaceAllString(id, "-"), "-")
	if id == "" || len(id) > 40 {
		return usagef("FILE %q: no id can be made of it (use a name of at most 40 letters, digits and -, as in my-lesson.yaml)", path)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return usagef("FILE %q: it exists, and is not overwritten (name another one)", path)
	}
	if err != nil {
		return fmt.Errorf("writing the lesson: %w (name a file in a folder that you may write to)", err)
	}
	_, err = f.WriteString(strings.Replace(lessons.Starter, "id: my-lesson", "id: "+id, 1))
	return errors.Join(err, f.Close())
}

// findLesson takes the id or number of a built-in lesson, or a file.
func findLesson(name string) (*format.Lesson, error) {
	if l := lessons.Find(name); l != nil {
		return l, nil
	}
	return readLesson(name)
}

func readLesson(path string) (*format.Lesson, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, usagef("lesson %q: there is no such file, and no lesson of that id ('tracer lesson list' lists them)", path)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the lesson: %w", err)
	}
	if info.IsDir() || info.Size() > format.MaxFile {
		return nil, usagef("lesson %q: it is a folder, or larger than the limit of %d bytes (name a lesson's file)", path, format.MaxFile)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading the lesson: %w", err)
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.LimitReader(f, format.MaxFile+1)) // what is no file has no size
	if err != nil {
		return nil, fmt.Errorf("reading the lesson: %w", err)
	}
	return format.Parse(path, text)
}

func oneArgument(name, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > 1 {
			return usagef("argument %q is not expected (%s takes one %s)", args[1], cmd.CommandPath(), name)
		}
		return someArguments(name, what)(cmd, args)
	}
}

func someArguments(name, what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usagef("%s is missing (give %s)", name, what)
		}
		return nil
	}
}
