package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/reconcile-tracer/tracer/lessons"
	"github.com/reconcile-tracer/tracer/server"
)

// withLessons adds the recorded sessions of the built-in lessons to recordings,
// which come first: one of a lesson's name stands for it.
func withLessons(all ...server.Recording) []server.Recording {
	for i, l := range lessons.All() {
		if slices.ContainsFunc(all, func(r server.Recording) bool { return r.Name == l.ID }) {
			continue
		}
		all = append(all, server.Recording{
			Name: l.ID, Title: fmt.Sprintf("Lesson %d: %s", i+1, l.Title),
			Open: func() (io.ReadCloser, error) { return lessons.Recording(l.ID) },
		})
	}
	return all
}
