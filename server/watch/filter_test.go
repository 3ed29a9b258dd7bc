package watch

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/reconcile-tracer/tracer/server/flow"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

func TestParseFilter(t *testing.T) {
	for query, want := range map[string]Filter{
		"":                           {},
		"row=reconcile":              {Kinds: []flow.RowKind{flow.RowReconcile}},
		"row=wait,gap&row=gap":       {Kinds: []flow.RowKind{flow.RowGap, flow.RowWait}},
		"controller=b&controller=a":  {Controllers: []string{"a", "b"}},
		"item=shop/*":                {Items: []string{"shop/*"}},
		"result=error,panic":         {Results: []string{"error", "panic"}},
		"since=2026-01-02T11:00:00Z": {Since: noon.Add(-time.Hour).UnixMicro()},
		"since=1767351600000000":     {Since: 1767351600000000},
		"since=5m":                   {Since: noon.Add(-5 * time.Minute).UnixMicro()},
		"limit=17":                   {Limit: 17},
	} {
		q, _ := url.ParseQuery(query)
		got, err := ParseFilter(q, noon)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%q (%v) (-want +got):\n%s", query, err, diff)
		}
	}
}

func TestBadFiltersSayWhatToDo(t *testing.T) {
	for query, says := range map[string]string{
		"rows=reconcile":                         `parameter "rows" is not known: use row, controller, item, result, since, limit`,
		"from=k:1":                               `parameter "from"`,
		"row=pod":                                "use reconcile, wait",
		"row=":                                   "row= has an empty value",
		"row=gap,":                               "row= has an empty value",
		"result=ok":                              "use success",
		"item=[":                                 "item=[ is not a pattern",
		"since=yesterday":                        "a duration like 5m",
		"since=-5m":                              "a duration like 5m",
		"since=":                                 "since= is empty",
		"since=1m&since=2m":                      "give it once",
		"limit=0":                                "from 1 to 50000",
		"limit=50001":                            "from 1 to 50000",
		"limit=ten":                              "from 1 to 50000",
		"controller=" + strings.Repeat("x", 513): "the limit is 512",
		"item=" + strings.Repeat("a,", 32) + "b&item=c&item=d&item=e": "",
		"controller=" + manyNames(33):                                 "33 values, the limit is 32",
	} {
		q, _ := url.ParseQuery(query)
		_, err := ParseFilter(q, noon)
		if says != "" && (err == nil || !strings.Contains(err.Error(), says)) {
			t.Errorf("%.40q gives %v, want %q", query, err, says)
		}
	}
}

func manyNames(n int) string {
	var names []string
	for i := range n {
		names = append(names, strings.Repeat("n", i+1))
	}
	return strings.Join(names, ",")
}

func TestMatch(t *testing.T) {
	r := &flow.Reconcile{Controller: "podset", Item: "shop/web", Result: "error", From: 10, To: 20}
	running := &flow.Reconcile{Controller: "podset", Item: "shop/web", From: 10}
	item := &flow.Item{Controller: "podset", Item: "shop/web"}
	sample := &flow.Sample{Controller: "podset", From: 10, To: 20}
	controller := &flow.Controller{Key: "podset"}
	for _, c := range []struct {
		query string
		row   flow.Row
		want  bool
	}{
		{"", r, true},
		{"row=wait", r, false},
		{"row=wait,reconcile", r, true},
		{"controller=podset", r, true},
		{"controller=other", r, false},
		{"controller=podset", controller, true},
		{"item=shop/*", r, true},
		{"item=shop/web", item, true},
		{"item=other/*", r, false},
		{"item=*", r, true},
		{"item=we*", r, true},
		{"item=shop", r, false},
		{"item=*/web", r, true},
		{"item=shop/*", sample, false},
		{"item=shop/*", controller, false},
		{"item=shop/*", &flow.Control{Controller: "podset", Item: "shop/web"}, true},
		{"item=shop/*", &flow.Control{Controller: "podset", Item: "other/web"}, false},
		{"item=shop/*", &flow.Control{Controller: "podset"}, true},
		{"result=error", r, true},
		{"result=error", running, false},
		{"result=success", r, false},
		{"result=error", item, false},
		{"since=20", r, true},
		{"since=21", r, false},
		{"since=21", running, true},
		{"since=21", sample, false},
		{"since=21", item, true},
	} {
		q, _ := url.ParseQuery(c.query)
		f, err := ParseFilter(q, noon)
		if err != nil {
			t.Fatal(err)
		}
		if got := f.Match(c.row); got != c.want {
			t.Errorf("%q on %T %+v: %v, want %v", c.query, c.row, c.row, got, c.want)
		}
	}
}

func TestEveryKindHasFacts(t *testing.T) {
	for _, row := range []flow.Row{
		&flow.Reconcile{Controller: "c"}, &flow.Wait{Controller: "c"}, &flow.Hold{Controller: "c"}, &flow.Control{Controller: "c"}, &flow.Sample{Controller: "c"},
		&flow.Edge{Controller: "c"}, &flow.Gap{Controller: "c"}, &flow.Finding{Controller: "c"}, &flow.Controller{Key: "c"},
		&flow.Item{Controller: "c"},
	} {
		if factsOf(row).controller != "c" {
			t.Errorf("%T has no controller to filter by", row)
		}
	}
}

func TestPosition(t *testing.T) {
	p, err := ParsePosition("kabc1:42")
	if err != nil || p != (Position{"kabc1", 42}) || p.String() != "kabc1:42" {
		t.Errorf("got %v (%v)", p, err)
	}
	for _, bad := range []string{"", ":", "kabc", "kabc:", ":4", "kabc:-1", "kabc:x", "k abc:1", "kabc:1:2", "KABC:1", strings.Repeat("k", 80) + ":1"} {
		if _, err := ParsePosition(bad); err == nil || !strings.Contains(err.Error(), "<epoch>:<offset>") {
			t.Errorf("%q gives %v, want an error that says what a position is", bad, err)
		}
	}
}

func FuzzParsePosition(f *testing.F) {
	f.Add("kabc:42")
	f.Add("k:18446744073709551616")
	f.Fuzz(func(t *testing.T, s string) {
		p, err := ParsePosition(s)
		if err != nil {
			return
		}
		if again, err := ParsePosition(p.String()); err != nil || again != p {
			t.Errorf("%q parses to %v, which parses to %v (%v)", s, p, again, err)
		}
	})
}

func FuzzParseFilter(f *testing.F) {
	f.Add("row=reconcile&item=shop/*&since=5m&limit=3")
	f.Add("item=[a-")
	f.Fuzz(func(t *testing.T, query string) {
		q, err := url.ParseQuery(query)
		if err != nil {
			return
		}
		filter, err := ParseFilter(q, noon)
		if err != nil {
			if len(err.Error()) > 2000 {
				t.Errorf("the error is %d bytes long", len(err.Error()))
			}
			return
		}
		filter.Match(reconcile(1, "success"))
		if filter.key() == "" {
			t.Error("the filter has no key")
		}
	})
}
