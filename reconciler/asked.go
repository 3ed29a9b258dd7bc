package reconciler

import (
	"fmt"
	"strings"
	"time"

	"github.com/reconcile-tracer/tracer/reconciler/api/v1alpha1"
)

// AnnotationMistake is the annotation by which a PodSet asks for a mistake that
// the controller makes for it alone, where Options.AskedMistakes lets it. The
// value hot-loop is the only one that is heeded.
const AnnotationMistake = v1alpha1.GroupName + "/mistake"

// MostLooks is after how many writes a loop that was asked for ends by itself,
// so that one that was forgotten does not run for ever.
const MostLooks = 1000

// askedWays are ways that heed AnnotationMistake.
func (w ways) askedWays() ways {
	status := w.status
	w.status = func(o observation) (*v1alpha1.PodSetStatus, []string) {
		if o.set.Annotations[AnnotationMistake] == "hot-loop" {
			return countedStatus(o)
		}
		return status(o)
	}
	return w
}

// looked is what the status says of the looks, before the place of the last.
const looked = ", look %d of %d at %s"

// countedStatus is hot-loop with an end. The count is kept in the status, so
// that it outlasts the controller; after the last look the status stays as it
// is, and so there is no write that could wake the controller.
func countedStatus(o observation) (*v1alpha1.PodSetStatus, []string) {
	now, _ := nextStatus(o)
	n, last := looks(o.set)
	if n < MostLooks {
		n, last = n+1, o.at.UTC().Format(time.RFC3339Nano)
	}
	now.Conditions[0].Message += fmt.Sprintf(looked, n, MostLooks, last)
	return now, changedPaths(&o.set.Status, now)
}

// looks reads how many there were and when the last was, 0 and "" for none.
func looks(set *v1alpha1.PodSet) (n uint, last string) {
	for _, c := range set.Status.Conditions {
		if i := strings.LastIndex(c.Message, ", look "); i >= 0 {
			var most uint
			if _, err := fmt.Sscanf(c.Message[i:], looked, &n, &most, &last); err != nil {
				return 0, ""
			}
		}
	}
	return n, last
}
