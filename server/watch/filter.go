package watch

import (
	"fmt"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/reconcile-tracer/tracer/server/flow"
)

// Limits of a filter.
const (
	// DefaultLimit is how many reconciles a snapshot holds, MaxLimit how many
	// it may hold.
	DefaultLimit = 2_000
	MaxLimit     = 50_000
	// maxValues and maxValue bound a parameter's values: how many, and how long.
	maxValues = 32
	maxValue  = 512
)

// Filter chooses rows. The zero value chooses all. A row that has not got what
// a field speaks of (a sample has no item) is not chosen by it.
type Filter struct {
	// Kinds, Controllers and Results hold what is chosen; empty is all.
	Kinds       []flow.RowKind
	Controllers []string
	Results     []string
	// Items are patterns of path.Match: shop/* is all in the namespace shop. A
	// pattern without a slash is for the name in any namespace.
	Items []string
	// Since leaves out what ended before it, in microseconds since the epoch.
	// Rows of now have no end.
	Since int64
	// Limit is how many rows are given at once, the newest first to stay. 0 is
	// the default of whoever asks.
	Limit int
}

var (
	kinds      = kindNames()
	parameters = []string{"row", "controller", "item", "result", "since", "limit"}
)

func kindNames() []string {
	var names []string
	for _, k := range flow.Kinds() {
		names = append(names, string(k))
	}
	return names
}

// ParseQuery reads a query as it is in a URL. What url.URL.Query leaves out
// silently is an error: a filter that is not understood must not choose all.
func ParseQuery(raw string) (url.Values, error) {
	q, err := url.ParseQuery(raw)
	if err != nil {
		return nil, fmt.Errorf("the query %s cannot be read (%w): separate with &, and write other characters as %%xx", flow.Brief(raw), err)
	}
	return q, nil
}

// ParseFilter reads a filter from a query: row, controller, item and result
// (each may be repeated, or hold several values with commas between), since (a
// time in RFC 3339, microseconds since the epoch, or a duration before now) and
// limit. Also names parameters that somebody else reads. An error names the
// parameter, what it may be, and what to do.
func ParseFilter(q url.Values, now time.Time, also ...string) (Filter, error) {
	allowed := append(slices.Clone(parameters), also...)
	for name := range q {
		if !slices.Contains(allowed, name) {
			return Filter{}, fmt.Errorf("parameter %q is not known: use %s", flow.Brief(name), strings.Join(allowed, ", "))
		}
	}
	var f Filter
	var rows []string
	for _, p := range []struct {
		name string
		into *[]string
		of   []string
	}{{"row", &rows, kinds}, {"controller", &f.Controllers, nil}, {"item", &f.Items, nil}, {"result", &f.Results, flow.Results()}} {
		values, err := parseList(p.name, q[p.name], p.of)
		if err != nil {
			return Filter{}, err
		}
		*p.into = values
	}
	for _, r := range rows {
		f.Kinds = append(f.Kinds, flow.RowKind(r))
	}
	for _, item := range f.Items {
		if _, err := path.Match(item, ""); err != nil {
			return Filter{}, fmt.Errorf("item=%s is not a pattern: use namespace/name, with * for any part", flow.Brief(item))
		}
	}
	var err error
	if f.Since, err = ParseTime(q, "since", now); err != nil {
		return Filter{}, err
	}
	f.Limit, err = parseLimit(q)
	return f, err
}

func parseList(name string, raw []string, of []string) ([]string, error) {
	var values []string
	for v := range strings.SplitSeq(strings.Join(raw, ","), ",") {
		switch {
		case v == "" && len(raw) > 0:
			return nil, fmt.Errorf("%s= has an empty value: give one, or leave %s out", name, name)
		case v == "":
			continue
		case len(v) > maxValue:
			return nil, fmt.Errorf("%s= has a value of %d bytes, the limit is %d: shorten it", name, len(v), maxValue)
		case of != nil && !slices.Contains(of, v):
			return nil, fmt.Errorf("%s=%s is not known: use %s", name, flow.Brief(v), strings.Join(of, ", "))
		}
		values = append(values, v)
	}
	if len(values) > maxValues {
		return nil, fmt.Errorf("%s= has %d values, the limit is %d: use a pattern, or leave it out", name, len(values), maxValues)
	}
	slices.Sort(values)
	return slices.Compact(values), nil
}

// ParseTime reads the parameter of that name: a time in RFC 3339, microseconds
// since the epoch, or a duration before now. 0 is that it is not there.
func ParseTime(q url.Values, name string, now time.Time) (int64, error) {
	raw, err := single(q, name)
	if raw == "" || err != nil {
		return 0, err
	}
	if at, err := time.Parse(time.RFC3339Nano, raw); err == nil {
		return at.UnixMicro(), nil
	}
	if us, err := strconv.ParseInt(raw, 10, 64); err == nil && us >= 0 {
		return us, nil
	}
	if ago, err := time.ParseDuration(raw); err == nil && ago >= 0 {
		// Whole seconds, so that viewers who ask at once share their frames.
		return now.Add(-ago).Truncate(time.Second).UnixMicro(), nil
	}
	return 0, fmt.Errorf("%s=%s is no time: use 2006-01-02T15:04:05Z, microseconds since 1970, or a duration like 5m", name, flow.Brief(raw))
}

func parseLimit(q url.Values) (int, error) {
	raw, err := single(q, "limit")
	if raw == "" || err != nil {
		return 0, err
	}
	n, err := strconv.Atoi(raw)
	if err != nil || n < 1 || n > MaxLimit {
		return 0, fmt.Errorf("limit=%s is not a number from 1 to %d: use one, or leave it out", flow.Brief(raw), MaxLimit)
	}
	return n, nil
}

func single(q url.Values, name string) (string, error) {
	if len(q[name]) > 1 {
		return "", fmt.Errorf("%s= is there %d times: give it once", name, len(q[name]))
	}
	if q.Has(name) && q.Get(name) == "" {
		return "", fmt.Errorf("%s= is empty: give a value, or leave it out", name)
	}
	return q.Get(name), nil
}

// key is equal for filters that choose the same rows. Limit does not count: it
// bounds the snapshot, not the frames.
func (f Filter) key() string {
	return fmt.Sprintf("%q %q %q %q %d", f.Kinds, f.Controllers, f.Results, f.Items, f.Since)
}

// Match says whether the filter chooses a row.
func (f Filter) Match(row flow.Row) bool {
	if len(f.Kinds) > 0 && !slices.Contains(f.Kinds, row.Kind()) {
		return false
	}
	if len(f.Controllers) == 0 && len(f.Items) == 0 && len(f.Results) == 0 && f.Since == 0 {
		return true
	}
	facts := factsOf(row)
	return f.matchNames(facts) && (f.Since == 0 || facts.to == 0 || facts.to >= f.Since)
}

func (f Filter) matchNames(facts facts) bool {
	switch {
	case len(f.Controllers) > 0 && !slices.Contains(f.Controllers, facts.controller):
		return false
	case len(f.Results) > 0 && !slices.Contains(f.Results, facts.result):
		return false
	case len(f.Items) == 0:
		return true
	}
	return facts.all || facts.item != "" && slices.ContainsFunc(f.Items, func(p string) bool { return matchItem(p, facts.item) })
}

func matchItem(pattern, item string) bool {
	if !strings.Contains(pattern, "/") {
		item = path.Base(item)
	}
	ok, _ := path.Match(pattern, item)
	return ok
}

// facts are what a filter and a snapshot look at in a row. To is 0 for what
// goes on, and for rows of now.
type facts struct {
	controller, item, result string
	from, to                 int64
	// all says that it is about every item: a command that names none.
	all bool
}

func factsOf(row flow.Row) facts {
	switch r := row.(type) {
	case *flow.Reconcile:
		return facts{r.Controller, r.Item, r.Result, r.From, r.To, false}
	case *flow.Wait:
		return facts{r.Controller, r.Item, "", r.From, r.To, false}
	case *flow.Hold:
		return facts{r.Controller, r.Item, "", r.From, r.To, false}
	case *flow.Control:
		return facts{r.Controller, r.Item, "", r.From, r.To, r.Item == ""}
	case *flow.Sample:
		return facts{r.Controller, "", "", r.From, r.To, false}
	case *flow.Edge:
		return facts{r.Controller, r.Item, "", r.From, r.To, false}
	case *flow.Gap:
		return facts{r.Controller, "", "", r.From, r.To, false}
	case *flow.Finding:
		return facts{r.Controller, r.Item, "", r.From, r.To, false}
	case *flow.Beat:
		return facts{r.Controller, r.Item, "", r.From, r.To, false}
	case *flow.Controller:
		return facts{controller: r.Key}
	case *flow.Item:
		return facts{controller: r.Controller, item: r.Item}
	}
	return facts{}
}
