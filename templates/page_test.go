package templates

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/a-h/templ"
)

func render(t *testing.T, c templ.Component) string {
	t.Helper()
	var b strings.Builder
	if err := c.Render(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func samplePage() Page {
	return Page{
		Made:    time.Date(2026, 3, 2, 10, 41, 7, 0, time.UTC),
		Cluster: "kind-demo", CanAct: true, Attach: AttachSteps("http://127.0.0.1:7780", ""),
		Lanes: []Lane{
			{Name: "podset", Kind: "PodSet", Workers: 2, Reconciles: 1204, Errors: 3, P50: "6.9 ms"},
			{Name: "jobset", Start: []string{"cache of Job not synced"}},
		},
		Findings: []Finding{{Rule: "hot loop", Controller: "podset", Item: "default/web", Summary: "9 of 10 changed nothing"}},
		Recent: []Pass{{
			ID: "1", Controller: "podset", Item: "default/<b>web</b>", Nth: 12, At: time.Date(2026, 3, 2, 10, 41, 5, 0, time.UTC), Took: 9900 * time.Microsecond,
			Result: "error", Error: "Conflict", Causes: "update ×2",
		}, {
			ID: "2", Controller: "podset", Item: "lesson-1/web", Took: 3 * time.Millisecond,
			Result: "success", Refused: "1 write refused", Causes: "delete",
		}},
	}
}

func TestPageObeysTheContentSecurityPolicy(t *testing.T) {
	pages := map[string]string{
		"page": render(t, Index(samplePage())), "empty page": render(t, Index(Page{})), "notice": render(t, Say(LoginNeeded())),
	}
	inline := regexp.MustCompile(`<style|\sstyle=|\son[a-z]+=|<script(?:[^>]*)>[^<]|javascript:|(?:src|href)="(?:https?:)?//`)
	for name, html := range pages {
		if found := inline.FindString(html); found != "" {
			t.Errorf("%s holds %q: style by class, script by file, nothing from elsewhere", name, found)
		}
	}
}

func TestPageIsUsefulBeforeTheScript(t *testing.T) {
	html := render(t, Index(samplePage()))
	for _, want := range []string{
		"1,204", "6.9 ms", `class="figure has-errors"`, "as of 10:41:07 UTC", "Conflict", "update ×2", "9.9 ms", ">10:41:05</time>", "PodSet · 2 workers",
		`data-node="queue"`, `data-edge="cache-queue"`, `aria-label="The loop of podset"`,
		"default/&lt;b&gt;web&lt;/b&gt;", `<span class="run-n">#12</span>`,
		`<td class="tone-warn">done, 1 write refused</td>`, "▲ cache of Job not synced", "ready", "▲ hot loop", "9 of 10 changed nothing",
	} {
		if !strings.Contains(html, want) {
			t.Errorf("the page does not hold %q", want)
		}
	}
}

func TestAttachStepsAreAboutOnesOwnController(t *testing.T) {
	kept, chosen := AttachSteps("http://h:1", "/data/ingest-token"), AttachSteps("http://h:1", "")
	if want := `Bearer%20$(cat '/data/ingest-token')"`; !strings.HasSuffix(kept[1].Command, want) {
		t.Errorf("step 2 is %s, want the token from its file: %s", kept[1].Command, want)
	}
	if want := `Bearer%20$TRACER_INGEST_TOKEN"`; !strings.HasSuffix(chosen[1].Command, want) {
		t.Errorf("step 2 with a chosen token is %s, want %s", chosen[1].Command, want)
	}
	if last := kept[2]; !strings.Contains(last.Title, "your controller") || strings.Contains(last.Command, "tracer") {
		t.Errorf("step 3 starts %q: %s", last.Title, last.Command)
	}
	html := render(t, command(kept[1].Command))
	if !strings.Contains(html, "OTEL_EXPORTER_OTLP_HEADERS=<wbr>") || !strings.Contains(html, "<wbr>/data<wbr>/ingest-token") {
		t.Errorf("a command does not break between its parts: %s", html)
	}
}

func TestPageShowsHowToAttach(t *testing.T) {
	steps := regexp.MustCompile(`<section class="empty" id="empty"( hidden)?>`)
	if got := steps.FindString(render(t, Index(Page{Attach: AttachSteps("http://h:1", "")}))); strings.Contains(got, "hidden") || got == "" {
		t.Errorf("nothing is attached, and the steps are %q", got)
	}
	if got := steps.FindString(render(t, Index(samplePage()))); !strings.Contains(got, "hidden") {
		t.Errorf("a controller is attached, and the steps are %q", got)
	}
}

func TestActionsAreOffWithoutACluster(t *testing.T) {
	html := render(t, Index(Page{NoAct: "Start it with --kubeconfig"}))
	if !strings.Contains(html, "<fieldset disabled>") || !strings.Contains(html, "Start it with --kubeconfig") {
		t.Error("without a cluster the actions must be disabled and say why")
	}
	if strings.Contains(render(t, Index(samplePage())), "<fieldset disabled>") {
		t.Error("with a cluster the actions must work")
	}
}

// TestPageHasWhatTheScriptLooksFor reads the ids and parts that the view asks
// for from its sources: a part that is renamed on one side only breaks here and
// not in the browser.
func TestPageHasWhatTheScriptLooksFor(t *testing.T) {
	html := render(t, Index(samplePage()))
	asked := regexp.MustCompile(`the\("([a-z-]+)",`)
	source, err := os.ReadFile("../web/src/view/page.ts")
	if err != nil {
		t.Fatal(err)
	}
	found := asked.FindAllStringSubmatch(string(source), -1)
	if len(found) < 10 {
		t.Fatalf("only %d ids found in page.ts", len(found))
	}
	for _, m := range found {
		if !strings.Contains(html, `id="`+m[1]+`"`) {
			t.Errorf("the script looks for #%s, and the page has none", m[1])
		}
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 12: "12", 999: "999", 1000: "1,000", 1234567: "1,234,567"} {
		if got := count(n); got != want {
			t.Errorf("count(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestTook(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "", 20 * time.Microsecond: "0.02 ms", 9900 * time.Microsecond: "9.9 ms", 140 * time.Millisecond: "140 ms", 2 * time.Second: "2.0 s",
	} {
		if got := Took(d); got != want {
			t.Errorf("Took(%v) = %q, want %q", d, got, want)
		}
	}
}

func TestReplicasAskedForAreThoseThatTheActionsTake(t *testing.T) {
	source, err := os.ReadFile("../actions/args.go")
	if err != nil {
		t.Fatal(err)
	}
	want := "MaxReplicas = " + strconv.Itoa(MaxReplicas) + "\n"
	if !strings.Contains(string(source), want) {
		t.Errorf("package actions does not say %q: both must have the same limit", want)
	}
	if html := render(t, Index(samplePage())); !strings.Contains(html, `data-most="20"`) {
		t.Error("the page does not tell the script how many replicas may be asked for")
	}
}

func TestControlHasItsPlaceFromTheBeginningWhereAControllerTakesCommands(t *testing.T) {
	p := samplePage()
	if html := render(t, Index(p)); strings.Contains(html, "data-able") {
		t.Error("no controller takes commands, and the button has its place all the same")
	}
	p.Lanes[1].Control = true
	if html := render(t, Index(p)); !strings.Contains(html, `id="control-toggle" data-able`) {
		t.Error("a controller takes commands, and the button has no place")
	}
}
