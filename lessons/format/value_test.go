package format

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime"
)

// valuesOf parses a good lesson whose edit sets those two values, and whose
// manifest has the first of them as its spec.
func valuesOf(first, second string) (*Action, *Action, error) {
	text := strings.Replace(good, "each: [1, 2]", "each: ["+first+", "+second+"]", 1)
	text = strings.Replace(text, "metadata: {name: web}", "metadata: {name: web}\n          spec: "+first, 1)
	l, err := Parse("good.yaml", []byte(text))
	if err != nil {
		return nil, nil, err
	}
	return &l.Beats[0].Do[0], &l.Beats[0].Do[1], nil
}

// What an object is given has the types of decoded JSON, and no others: the
// libraries of Kubernetes panic at an int.
func TestValuesAreThoseOfJSON(t *testing.T) {
	for text, want := range map[string]any{
		"4": int64(4), "-1": int64(-1), "0x10": int64(16), "1.5": 1.5, "true": true, "null": nil, `"5"`: "5", "2026-01-02": "2026-01-02",
		"9223372036854775807": int64(9223372036854775807),
		"{a: 1, 2: {b: [1, x, 0.5]}}": map[string]any{
			"a": int64(1), "2": map[string]any{"b": []any{int64(1), "x", 0.5}},
		},
		"[]": []any{}, "{}": map[string]any{},
	} {
		made, edit, err := valuesOf(text, "7")
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if diff := cmp.Diff([]any{want, int64(7)}, edit.Values); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
		if diff := cmp.Diff(want, made.Manifest["spec"]); diff != "" {
			t.Errorf("%s in a manifest (-want +got):\n%s", text, diff)
		}
		runtime.DeepCopyJSON(made.Manifest)
	}
	for text, want := range map[string]string{
		".inf": ".inf is no number in JSON", "[.nan]": ".nan is no number in JSON", "{a: 1, a: 2}": "a is there twice",
		"18446744073709551615": "is larger than any number here", "{[a]: 1}": "a field's name is no text", "{<<: {a: 1}}": "a field's name is no text",
	} {
		if _, _, err := valuesOf(text, "7"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	l, err := Parse("good.yaml", []byte(strings.Replace(good, "- control: {command: pause, phase: compute}", "- scale: {object: PodSet/web, to: 3}", 1)))
	if err != nil || !cmp.Equal(l.Beats[0].Do[2].Values, []any{int64(3)}) {
		t.Errorf("a scale is %+v, %v", l, err)
	}
}
