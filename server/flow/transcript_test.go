package flow

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/reconcile-tracer/tracer/tracer/semconv"
)

// The transcripts in testdata/*.txt are read top to bottom, one State a file.
// A block is a command, its lines, "----" and what it answers; blocks stand
// apart by an empty line. Times are in milliseconds from the beginning.
//
//	step NOW [offset=N]    takes in what the lines say, answers the outputs
//	rows [KIND …]          answers the rows there are (of these kinds)
//	pending                answers whether something waits for time
//
// Lines of a step; A..B is a time from A to B:
//
//	root TRACE A..B CONTROLLER ITEM RESULT [key=value …]
//	PHASE TRACE A..B [key=value …] [cause WHAT@TIME:UID/VERSION[#ITEM] …] [plan WORDS]
//	read|write TRACE/SPAN A..B [key=value …]
//	NAME TRACE/SPAN A..B [parent=SPAN] [link=TRACE/SPAN] [audit=ID] [service=NAME] [failed]
//	start TRACE/SPAN TIME NAME [told=TIME] [key=value …]
//	queue.item|controller.state|hold|drop TIME CONTROLLER [ITEM] [key=value …]
//	emitter FIRST-LAST [dropped=N]
//
// with the attributes' names as keys, cut to their last word where shorthand
// knows them, and instance=, epoch= and seq= for all.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("finding transcripts: %v, %d found", err, len(files))
	}
	for _, path := range files {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			got := replay(t, string(data))
			if *update {
				writeFile(t, path, []byte(got))
			}
			if diff := gocmp.Diff(string(data), got); diff != "" && !*update {
				t.Errorf("-%s +now (-update rewrites it):\n%s", path, diff)
			}
		})
	}
}

// replay runs a transcript and returns it with the answers of now.
func replay(t *testing.T, text string) string {
	p := &player{t: t, state: New(Limits{})}
	var out []string
	for block := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		question, _, asked := strings.Cut(block, "\n----")
		if !asked {
			out = append(out, block)
			continue
		}
		answer := p.answer(strings.Split(question, "\n"))
		out = append(out, strings.TrimRight(question+"\n----\n"+strings.Join(answer, "\n"), "\n"))
	}
	return strings.Join(out, "\n\n") + "\n"
}

// player runs the blocks of one transcript.
type player struct {
	t     *testing.T
	state *State
	spans int
}

func (p *player) answer(lines []string) []string {
	for strings.HasPrefix(lines[0], "#") {
		lines = lines[1:]
	}
	words := strings.Fields(lines[0])
	switch words[0] {
	case "step":
		return p.step(words[1:], lines[1:])
	case "rows":
		return p.rows(words[1:])
	case "pending":
		return []string{strconv.FormatBool(p.state.Pending())}
	}
	p.t.Fatalf("unknown command %q", lines[0])
	return nil
}

func (p *player) step(words, lines []string) []string {
	in := Input{Now: p.time(words[0])}
	if len(words) > 1 {
		in.Offset = uint64(p.int(strings.TrimPrefix(words[1], "offset=")))
	}
	for _, l := range lines {
		p.line(&in, strings.Fields(l))
	}
	var out []string
	for _, o := range p.state.Step(in) {
		if o.Gone != nil {
			out = append(out, "gone "+string(o.Gone.Kind)+" "+o.Gone.ID)
			continue
		}
		out = append(out, show(o.Row))
	}
	return out
}

func (p *player) rows(kinds []string) []string {
	var out []string
	for _, r := range p.state.Rows() {
		if len(kinds) == 0 || strings.Contains(" "+strings.Join(kinds, " ")+" ", " "+string(r.Kind())+" ") {
			out = append(out, show(r))
		}
	}
	return out
}

// line adds what one line says to an input.
func (p *player) line(in *Input, w []string) {
	switch w[0] {
	case "root":
		sp := p.span(semconv.SpanReconcilePrefix+w[3], w[1], w[2], w[6:])
		sp.Attrs[semconv.AttrController], sp.Attrs[semconv.AttrResult] = w[3], w[5]
		setItem(sp.Attrs, w[4])
		in.Spans = append(in.Spans, sp)
	case "start":
		told := slices.IndexFunc(w, func(s string) bool { return strings.HasPrefix(s, "told=") })
		at := w[2]
		if told > 0 {
			at = strings.TrimPrefix(w[told], "told=")
			w = slices.Delete(w, told, told+1)
		}
		l := p.log(semconv.LogSpanStart, at, w[4:])
		l.TraceID, l.SpanID, _ = strings.Cut(w[1], "/")
		l.Attrs[semconv.AttrSpanName] = strings.ReplaceAll(w[3], "_", " ")
		l.Attrs[semconv.AttrSpanStart] = p.time(w[2])
		in.Logs = append(in.Logs, l)
	case semconv.LogQueueItem, semconv.LogControllerState, semconv.LogHold, semconv.LogDrop:
		l := p.log(w[0], w[1], w[3:])
		l.Attrs[semconv.AttrController] = w[2]
		in.Logs = append(in.Logs, l)
	case "emitter":
		in.Emitters = append(in.Emitters, p.emitter(w[1:]))
	default:
		in.Spans = append(in.Spans, p.span(w[0], w[1], w[2], w[3:]))
	}
}

func (p *player) emitter(w []string) Emitter {
	first, last, _ := strings.Cut(w[0], "-")
	e := Emitter{Source: Source{Instance: "i1"}, Epoch: "e1", First: p.int(first), Last: p.int(last)}
	for _, kv := range w[1:] {
		k, v, _ := strings.Cut(kv, "=")
		switch k {
		case "dropped":
			e.Dropped = p.int(v)
		case "epoch":
			e.Epoch = v
		case "instance":
			e.Source.Instance = v
		}
	}
	return e
}

func (p *player) span(name, id, interval string, options []string) Span {
	p.spans++
	trace, span, _ := strings.Cut(id, "/")
	from, to, _ := strings.Cut(interval, "..")
	sp := Span{
		Source: Source{Instance: "i1"}, Epoch: "e1", TraceID: trace, SpanID: cmp.Or(span, fmt.Sprintf("%s-%s@%s", trace, name, interval)),
		Name: name, From: p.time(from), To: p.time(to), Attrs: Attrs{},
	}
	for i := 0; i < len(options); i++ {
		if options[i] == "cause" {
			i++
			sp.Events = append(sp.Events, p.cause(options[i]))
			continue
		}
		if options[i] == "plan" {
			i++
			sp.Events = append(sp.Events, Event{Name: semconv.EventPlanAction, Attrs: Attrs{
				semconv.AttrActionSummary: strings.ReplaceAll(options[i], "_", " "),
			}})
			continue
		}
		if !serverOption(&sp, options[i]) {
			p.option(sp.Attrs, &sp.Source, &sp.Epoch, options[i])
		}
	}
	return sp
}

// serverOption sets what only spans of servers say.
func serverOption(sp *Span, option string) bool {
	k, v, _ := strings.Cut(option, "=")
	switch k {
	case "parent":
		sp.Parent = v
	case "link":
		trace, span, _ := strings.Cut(v, "/")
		sp.Links = append(sp.Links, Link{TraceID: trace, SpanID: span})
	case "service":
		sp.Source, sp.Epoch = Source{Instance: v + "-1", Service: v}, ""
	case "failed":
		sp.Failed = true
	default:
		return false
	}
	return true
}

// cause reads WHAT@TIME:UID/VERSION[#ITEM].
func (p *player) cause(text string) Event {
	what, rest, _ := strings.Cut(text, "@")
	at, object, _ := strings.Cut(rest, ":")
	object, item, named := strings.Cut(object, "#")
	uid, version, _ := strings.Cut(object, "/")
	a := Attrs{semconv.AttrCause: what}
	if named {
		namespace, name, _ := strings.Cut(item, "/")
		a[semconv.AttrCauseObjectNamespace], a[semconv.AttrCauseObjectName] = namespace, name
	}
	setText(a, semconv.AttrCauseObjectUID, uid)
	setText(a, semconv.AttrCauseObjectRV, version)
	return Event{Name: semconv.EventCause, At: p.time(at), Attrs: a}
}

func (p *player) log(event, at string, options []string) Log {
	l := Log{Source: Source{Instance: "i1"}, Event: event, At: p.time(at), Attrs: Attrs{}}
	for _, o := range options {
		if !strings.Contains(o, "=") {
			setItem(l.Attrs, o)
			continue
		}
		p.option(l.Attrs, &l.Source, &l.Epoch, o)
	}
	return l
}

func setItem(a Attrs, item string) {
	namespace, name, _ := strings.Cut(item, "/")
	a[semconv.AttrNamespace], a[semconv.AttrObjectName] = namespace, name
}

// shorthand are the keys that transcripts use.
func shorthand() map[string]string {
	return map[string]string{
		"planned": semconv.AttrPlan,
		"seq":     semconv.AttrSeq, "delay_ms": semconv.AttrRequeueDelayMS, "requeues": semconv.AttrRequeueCount,
		"error": semconv.AttrErrorType, "version": semconv.AttrObjectResourceVersion,
		"controller": semconv.AttrController, "depth": semconv.AttrQueueDepth, "counts": semconv.AttrCauseCounts,
		"method": semconv.AttrHTTPMethod, "status": semconv.AttrHTTPStatus, "uid": semconv.AttrWriteUID,
		"after": semconv.AttrWriteResourceVersionNew, "resource": semconv.AttrWriteResource, "audit": semconv.AttrAuditID,
		"kind": semconv.AttrReadKind, "count": semconv.AttrReadCount,
		"ready": semconv.AttrItemReadySince, "order": semconv.AttrItemReadyOrder, "delayed": semconv.AttrItemDelayedSince, "until": semconv.AttrItemDelayedUntil,
		"why": semconv.AttrItemDelayedWhy, "active": semconv.AttrItemActive, "dirty": semconv.AttrItemDirty,
		"lease": semconv.AttrStateLease, "workers": semconv.AttrStateWorkers, "unsynced": semconv.AttrStateUnsynced,
		"worker": semconv.AttrWorker, "since": semconv.AttrHoldSince, "phase": semconv.AttrHoldPhase,
		"predicate": semconv.AttrDropPredicate, "dropped": semconv.AttrDropCount,
		"event": semconv.AttrDropEvent, "of": semconv.AttrObjectKind, "namespace": semconv.AttrNamespace, "name": semconv.AttrObjectName,
	}
}

// option sets one key=value.
func (p *player) option(a Attrs, src *Source, epoch *string, option string) {
	k, v, _ := strings.Cut(option, "=")
	switch k {
	case "instance":
		src.Instance = v
		return
	case "epoch":
		*epoch = v
		return
	}
	name := shorthand()[k]
	if name == "" {
		p.t.Fatalf("unknown key %q in %q", k, option)
	}
	switch k {
	case "ready", "delayed", "until", "since":
		a[name] = p.time(v)
	case "active", "dirty":
		a[name] = true
	case "seq", "delay_ms", "requeues", "depth", "order", "status", "count", "workers", "worker", "dropped":
		a[name] = p.int(v)
	case "counts", "unsynced", "planned":
		a[name] = strings.Split(strings.ReplaceAll(v, ":", "="), ",")
	default:
		a[name] = v
	}
}

func (p *player) int(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		p.t.Fatal(err)
	}
	return n
}

// time reads milliseconds from the beginning.
func (p *player) time(s string) int64 {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		p.t.Fatal(err)
	}
	return t0 + int64(f*1000)
}
