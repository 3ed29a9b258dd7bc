package format

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/reconcile-tracer/tracer/tracer/control/wire"
)

// verbs are how each action is read, by its field's name.
func (r *reader) verbs(to *Action) []entry {
	return []entry{
		maybe(DoApply, func(a place) { r.manifest(a, to) }),
		maybe(DoCreate, func(a place) { r.manifest(a, to) }),
		maybe(DoEdit, func(a place) { r.edit(a, to) }),
		maybe(DoScale, func(a place) { r.scale(a, to) }),
		maybe(DoDelete, func(a place) { r.mapping(a, must("object", r.object(to))) }),
		maybe(DoDeleteChild, func(a place) {
			r.mapping(a, must("of", r.object(to)), must("kind", r.oneOf(&to.Child, Kinds()...)))
		}),
		maybe(DoWriteOld, func(a place) { r.edit(a, to) }),
		maybe(DoControl, func(a place) { r.control(a, to) }),
		maybe("refused", r.oneOf(&to.Refused, refusals...)),
	}
}

// refusals are the reasons of metav1.StatusReason that an action can ask for.
var refusals = []string{"AlreadyExists", "BadRequest", "Conflict", "Forbidden", "Invalid", "NotFound"}

// action reads a mapping with one verb.
func (r *reader) action(a place) Action {
	to := Action{Line: a.Line}
	entries := r.verbs(&to)
	before := len(r.faults)
	r.mapping(a, entries...)
	if a.Kind != yaml.MappingNode || len(r.faults) > before {
		return to
	}
	for i := 0; i < len(a.Content); i += 2 {
		if name := a.Content[i].Value; name != "refused" && to.Verb == "" {
			to.Verb = name
		} else if name != "refused" {
			r.fault(a, "it is %s and %s at once: write two actions", to.Verb, name)
		}
	}
	switch {
	case to.Verb == "":
		r.fault(a, "there is no action: use one of %s", entryNames(entries[:len(entries)-1]))
	case to.Verb == DoControl && to.Refused != "":
		r.fault(a, "refused goes with requests to the API server only: leave it out")
	case to.Verb == DoWriteOld && to.Refused == "":
		to.Refused = "Conflict"
	}
	return to
}

// object reads Kind/name.
func (r *reader) object(to *Action) func(place) {
	return func(a place) {
		kind, name, ok := strings.Cut(a.Value, "/")
		if _, known := KindOf(kind); !ok || !known || !label.MatchString(name) || len(name) > maxName {
			r.fault(a, "%s is not an object: write Kind/name, as in PodSet/web; the kinds are %s", shown(a.Node), strings.Join(Kinds(), ", "))
			return
		}
		to.Kind, to.Name = kind, name
	}
}

func (r *reader) edit(a place, to *Action) {
	one, several := false, false
	r.mapping(a,
		must("object", r.object(to)),
		must("set", func(a place) { to.Path = r.path(a) }),
		maybe("to", func(a place) { one, to.Values = true, append(to.Values, r.value(a)) }),
		maybe("each", func(a place) {
			several = true
			r.list(a, 2, MaxValues, func(a place) { to.Values = append(to.Values, r.value(a)) })
		}),
	)
	if one == several {
		r.fault(a, "give either to, one value, or each, a list of values that are set one after another")
	}
}

// path reads the dotted path of a field below metadata or spec.
func (r *reader) path(a place) []string {
	path := splitPath(a.Value)
	if a.Kind != yaml.ScalarNode || len(path) < 2 || !slices.Contains([]string{"spec", "metadata"}, path[0]) || slices.Contains(path, "") || len(path) > 8 {
		r.fault(a, "%s is not a field that can be set: write a path below spec or metadata, as in spec.replicas", shown(a.Node))
		return nil
	}
	if path[0] == "metadata" && !slices.Contains([]string{"annotations", "labels", "finalizers"}, path[1]) {
		r.fault(a, "%s is the API server's: of metadata only annotations, labels and finalizers can be set", shown(a.Node))
	}
	return path
}

// splitPath cuts a path at its dots, but for those in the key of an annotation or
// a label, in which there may be some.
func splitPath(text string) []string {
	if strings.HasPrefix(text, "metadata.annotations.") || strings.HasPrefix(text, "metadata.labels.") {
		return strings.SplitN(text, ".", 3)
	}
	return strings.Split(text, ".")
}

func (r *reader) scale(a place, to *Action) {
	var n int
	r.mapping(a, must("object", r.object(to)), must("to", r.integer(&n, 0, maxReplicas)))
	to.Values = []any{int64(n)}
}

// manifest reads an object in the lesson's own namespace.
func (r *reader) manifest(a place, to *Action) {
	if a.Kind != yaml.MappingNode {
		r.fault(a, "it is %s: write an object with apiVersion, kind, metadata and spec", kindOf(a.Node))
		return
	}
	var err error
	if to.Manifest, err = plainMapping(a.Node); err != nil {
		r.fault(a, "it cannot be read: %v: mend it", err)
		return
	}
	metadata, _ := to.Manifest["metadata"].(map[string]any)
	to.Kind, _ = to.Manifest["kind"].(string)
	to.Name, _ = metadata["name"].(string)
	kind, known := KindOf(to.Kind)
	switch {
	case !known:
		r.fault(a, "kind %q is not known: use one of %s", brief(to.Kind), strings.Join(Kinds(), ", "))
	case to.Manifest["apiVersion"] != kind.APIVersion():
		r.fault(a, "apiVersion is not that of a %s: write %s", to.Kind, kind.APIVersion())
	case !label.MatchString(to.Name) || len(to.Name) > maxName:
		r.fault(a, "metadata.name %q is not a name: use at most %d of a-z, 0-9 and -", brief(to.Name), maxName)
	case metadata["namespace"] != nil:
		r.fault(a, "metadata.namespace is the lesson's own, which is made for each run: leave it out")
	}
}

// control reads a command, and has it checked by what the hub and the controller
// check it by.
func (r *reader) control(a place, to *Action) {
	c := &wire.Command{}
	to.Control = c
	before := len(r.faults)
	r.mapping(a,
		must("command", r.text(&c.Command, wire.MaxName)),
		maybe("phase", r.text(&c.Phase, wire.MaxName)),
		maybe("by", r.text(&c.By, wire.MaxName)),
		maybe("factor", r.number(&c.Factor, 0, wire.MaxFactor)),
		maybe("when", r.text(&c.When, wire.MaxWhen)),
		maybe("fault", r.text(&c.Fault, wire.MaxName)),
		maybe("count", r.integer(&c.Count, 1, wire.MaxCount)),
		maybe("delay_ms", r.integer(&c.DelayMS, 1, wire.MaxDelayMS)),
		maybe("seconds", r.number(&c.Seconds, 0, wire.MaxSeconds)),
		maybe("verb", r.text(&c.Verb, wire.MaxName)),
		maybe("resource", r.text(&c.Resource, wire.MaxItem)),
		maybe("any", r.yes(&to.Any)),
	)
	if len(r.faults) > before {
		return
	}
	given := *c
	given.Controller = "any"
	if !to.Any {
		given.Item = "namespace/any"
	}
	if err := given.Check(); err != nil {
		r.fault(a, "%v", err)
	}
}
