package templates

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"
)

// MaxReplicas is how many replicas "Try it" asks for at most: as many as the
// actions take.
const MaxReplicas = 20

// Page is the view model of the page. Its zero value is a page to which
// nothing is attached.
type Page struct {
	// Made is when the page was made, for a browser without script.
	Made time.Time
	// Cluster names what the actions work on, "" where there is none.
	Cluster string
	// Version is the program's version, shown under the keys.
	Version string
	// Role is who looks: "presenter" or "viewer". A viewer's page has nothing
	// that changes something.
	Role string
	// Share is for the presenter.
	Share Share
	// CanAct opens the "Try it" panel; otherwise NoAct says why not and what to do.
	CanAct bool
	NoAct  string
	// CanTeach offers lessons on a cluster; otherwise there are the recorded ones.
	CanTeach bool
	// CanEmbed offers a frame for other sites.
	CanEmbed bool
	// Lanes are the controllers, in the order in which they are shown.
	Lanes []Lane
	// Recent are the latest reconciles, the newest first, for the table that
	// stands there before any script runs.
	Recent []Pass
	// Findings are what the hub has found wrong, the newest first.
	Findings []Finding
	// Attach are the steps shown while nothing is attached.
	Attach []Attach
	// Sample is the address of the sample session, "" where there is none.
	Sample string
	// Save is the address from which the session is downloaded, "" for none.
	Save string
	// Recorded says that the page shows a recorded session; nil is what is live.
	Recorded *Recorded
}

// Recorded is a recorded session.
type Recorded struct {
	// Name is its name in addresses, Title the one that is shown.
	Name, Title string
	// From and To are when it begins and ends.
	From, To time.Time
	// Live says that there is something live to go back to.
	Live bool
}

func (r Recorded) long() string { return long(r.To.Sub(r.From)) }

// on is the day of it, in UTC: the server does not know the viewer's zone.
func (r Recorded) on() string { return r.From.UTC().Format("2 Jan 2006") }

// long writes how long something is, in two units at most: 42 s, 2 min 10 s,
// 3 h 5 min.
func long(d time.Duration) string {
	s := int(d.Round(time.Second).Seconds())
	switch {
	case s < 60:
		return fmt.Sprintf("%d s", s)
	case s < 3600:
		return fmt.Sprintf("%d min %d s", s/60, s%60)
	}
	return fmt.Sprintf("%d h %d min", s/3600, s%3600/60)
}

// Share is how viewers get to the hub.
type Share struct {
	// Links are the likeliest first; none where nothing is shared.
	Links []ShareLink
	// Plain says that the viewers' pages cross the network without TLS.
	Plain bool
	// Warns says that viewers' browsers warn of the certificate.
	Warns bool
}

// ShareLink is one link for viewers.
type ShareLink struct {
	// URL is the link, Interface the network that it is of, "" where it is not
	// known, Code the address of its QR code.
	URL, Interface, Code string
}

// Lane is one controller of the map.
type Lane struct {
	Name    string
	Kind    string
	Workers int
	// Reconciles and Errors are exact counts. P50 is "" when nothing has run.
	Reconciles, Errors int64
	P50                string
	// Control: it takes commands.
	Control bool
	// Start says what its start-up waits for, in words: "cache of Pod not
	// synced". Nil when nothing stands before its loop.
	Start []string
}

// Finding is one thing that the hub has found wrong.
type Finding struct {
	// Rule is in words, and Item "" where it is about a whole controller.
	Rule, Controller, Item, Summary string
}

// Pass is one reconcile in the table.
type Pass struct {
	ID, Controller, Item string
	// Nth is its number among the passes of its item, 0 where it has none.
	Nth           int64
	At            time.Time
	Took          time.Duration
	Result, Error string
	// Refused says how many writes were refused though it counts as no error:
	// "1 write refused", "" where none was.
	Refused string
	// Causes and Plan are in words, already joined.
	Causes, Plan string
}

// number is its number as the page writes it.
func (r Pass) number() string { return "#" + strconv.FormatInt(r.Nth, 10) }

// Attach is one step to attach a controller, with a command that can be copied.
// Other is another command that does, and About says for whom; both "" for none.
type Attach struct {
	Title, Command string
	About, Other   string
}

// Notice is the view model of a page that says one thing: a login that is
// needed, an error.
type Notice struct {
	Status int
	Title  string
	Text   string
	// Command is shown as something to copy; "" leaves it out.
	Command string
	// Links are where one can go instead.
	Links []Link
}

// Link leads to another page of this hub.
type Link struct {
	Text, Address string
}

// watches says that a viewer looks. A page without a role is the presenter's.
func (p Page) watches() bool { return p.Role == "viewer" }

// takesCommands says whether a controller can be paused from the page.
func (p Page) takesCommands() bool {
	return slices.ContainsFunc(p.Lanes, func(l Lane) bool { return l.Control })
}

// presents says that this page may change things: the presenter's, of what is live.
func (p Page) presents() bool { return !p.watches() && p.Recorded == nil }

// shares says that this page has the dialog for sharing: a recording's only where
// there is a link.
func (p Page) shares() bool { return p.presents() || len(p.Share.Links) > 0 }

// bodyRole tells the script whose page it is.
func bodyRole(role string) templ.Attributes {
	if role == "" {
		return nil
	}
	return templ.Attributes{"data-role": role}
}

// AttachSteps are the three steps to attach a controller to the hub at
// endpoint (as "http://127.0.0.1:7780"). tokenFile is where the hub keeps the
// ingest token, empty when the user chose one.
func AttachSteps(endpoint, tokenFile string) []Attach {
	return []Attach{
		{Title: "Tell the controller where the hub is", Command: "export OTEL_EXPORTER_OTLP_ENDPOINT=" + endpoint},
		{Title: "Give it the ingest token", Command: `export OTEL_EXPORTER_OTLP_HEADERS="Authorization=Bearer%20` + ShellToken("TRACER_INGEST_TOKEN", tokenFile) + `"`},
		{
			Title: "Start your controller in that shell", Command: "go run .",
			About: "One that uses the library, as “Attach your own controller” in the README shows. Or try the reference controller:",
			Other: "tracer reconcile --kubeconfig ~/.kube/config --install-crd",
		},
	}
}

// ShellToken is a token in a shell's words: what is in a file, or, where that is
// "", in a variable.
func ShellToken(variable, file string) string {
	if file == "" {
		return "$" + variable
	}
	return "$(cat '" + file + "')"
}

// pieces cuts a command where a line may break: behind = and %20, and before /.
func pieces(command string) []string {
	return strings.Split(strings.NewReplacer("=", "=\x00", "%20", "%20\x00", "/", "\x00/").Replace(command), "\x00")
}

// LoginNeeded is the notice for a visitor without a session.
func LoginNeeded() Notice {
	return Notice{
		Status:  401,
		Title:   "Log in to see this hub",
		Text:    "Open the login link that the hub printed when it started. It looks like this:",
		Command: "http://127.0.0.1:7780/login?token=…",
	}
}

// count writes a number with a comma at every thousand.
func count(n int64) string {
	s := strconv.FormatInt(n, 10)
	start := len(s) % 3
	if start == 0 {
		start = 3
	}
	var b strings.Builder
	b.WriteString(s[:min(start, len(s))])
	for i := start; i+3 <= len(s); i += 3 {
		b.WriteString("," + s[i:i+3])
	}
	return b.String()
}

func plural(n int64, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

func (l Lane) about() string {
	parts := []string{}
	if l.Kind != "" {
		parts = append(parts, l.Kind)
	}
	if l.Workers > 0 {
		parts = append(parts, fmt.Sprintf("%d %s", l.Workers, plural(int64(l.Workers), "worker", "workers")))
	}
	return strings.Join(parts, " · ")
}

// Took writes a duration with three digits at most, in ms or s.
func Took(d time.Duration) string {
	ms := float64(d.Microseconds()) / 1000
	switch {
	case d <= 0:
		return ""
	case ms < 0.1:
		return fmt.Sprintf("%.2f ms", ms)
	case ms < 100:
		return fmt.Sprintf("%.1f ms", ms)
	case ms < 1000:
		return fmt.Sprintf("%.0f ms", ms)
	default:
		return fmt.Sprintf("%.1f s", ms/1000)
	}
}

func px(v float64) string { return num(v) }

func slotY(q Node, i int) float64 { return q.Y + QueueSlotTop + float64(i*QueueSlotPitch) }

func ringX(w Node, i int) float64 { return w.X + 12 + WaitRing + float64(i*WaitSlotPitch) }

// track is the line on which tokens rest inside a box, between its title and
// its note, so that they never cover a word.
func track(n Node) string {
	return fmt.Sprintf("M%s %sH%s", num(n.X+10), num(n.MidY()), num(n.X+n.W-10))
}

func tone(p Pass) string {
	switch {
	case p.Result == "":
		return "accent"
	case p.Refused != "", p.Result == "requeue", p.Result == "requeue_after":
		return "warn"
	case p.Result == "success":
		return "ok"
	default:
		return "error"
	}
}

// pauseBars are the two bars of a hold round the point x, y.
func pauseBars(x, y float64) string {
	return fmt.Sprintf("M%s %sv11M%s %sv11", num(x-3.5), num(y-5.5), num(x+3.5), num(y-5.5))
}

// tick is the tick mark of Done round the point x, y.
func tick(x, y float64) string {
	return fmt.Sprintf("M%s %sl6 6.5l12 -13", num(x-9), num(y+0.5))
}

func outcome(p Pass) string {
	switch {
	case p.Result == "":
		return "running"
	case p.Refused != "" && p.Result == "success":
		return "done, " + p.Refused
	case p.Refused != "":
		return strings.ReplaceAll(p.Result, "_", " ") + ", " + p.Refused
	case p.Error != "":
		return p.Error
	default:
		return strings.ReplaceAll(p.Result, "_", " ")
	}
}

func clusterName(p Page) string {
	if p.Cluster != "" {
		return p.Cluster
	}
	return "the API server"
}
