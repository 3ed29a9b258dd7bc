package flow

import (
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"testing"
)

// ownership says of every slice, map and pointer in a row that is edited in
// place whether clone copies it, or shares it because the fold only ever
// replaces it. A new field fails the tests below until it is decided upon.
func ownership() map[string]string {
	return map[string]string{
		"Reconcile.Causes":        "copied",
		"Reconcile.CauseCounts":   "shared",
		"Reconcile.Phases":        "copied",
		"Reconcile.Reads":         "copied",
		"Reconcile.Plan":          "shared",
		"Reconcile.Writes":        "copied",
		"Reconcile.Object.Fields": "shared",
		"Sample.ByResult":         "copied",
		"Sample.ByCause":          "copied",
		"Sample.Latency":          "copied",
		"Controller.Synced":       "shared",
		"Controller.Unsynced":     "shared",
		"Controller.Latency":      "copied",
	}
}

func TestCloneCopiesWhatIsChangedInPlace(t *testing.T) {
	reconcile, sample, controller := filled[Reconcile](), filled[Sample](), filled[Controller]()
	decided := ownership()
	for _, c := range []struct{ row, clone any }{
		{*reconcile, *reconcile.clone()}, {*sample, *sample.clone()}, {*controller, *controller.clone()},
	} {
		if !reflect.DeepEqual(c.row, c.clone) {
			t.Errorf("the clone of a %T differs from it", c.row)
		}
		compareOwners(t, decided, reflect.TypeOf(c.row).Name(), reflect.ValueOf(c.row), reflect.ValueOf(c.clone))
	}
	for name := range decided {
		t.Errorf("%s is decided upon and does not exist", name)
	}
}

// compareOwners checks the fields of a struct and takes them off the list.
func compareOwners(t *testing.T, decided map[string]string, path string, a, b reflect.Value) {
	for i := range a.NumField() {
		name := path + "." + a.Type().Field(i).Name
		switch a.Field(i).Kind() {
		case reflect.Struct:
			compareOwners(t, decided, name, a.Field(i), b.Field(i))
		case reflect.Slice, reflect.Map, reflect.Pointer:
			got := "copied"
			if a.Field(i).Pointer() == b.Field(i).Pointer() {
				got = "shared"
			}
			if want := decided[name]; got != want {
				t.Errorf("%s is %s by clone; decided: %q", name, got, want)
			}
			delete(decided, name)
		}
	}
}

// filled is a row without an empty field.
func filled[R any]() *R {
	var row R
	fill(reflect.ValueOf(&row).Elem())
	return &row
}

func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString("x")
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf("x"), reflect.ValueOf(1))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	default:
		panic("a row has a field of kind " + v.Kind().String())
	}
}

func TestEveryRowSaysWhatItIs(t *testing.T) {
	rows := []Row{
		filled[Reconcile](), filled[Wait](), filled[Hold](), filled[Control](), filled[Sample](), filled[Edge](),
		filled[Gap](), filled[Finding](), filled[Controller](), filled[Item](),
	}
	var kinds []RowKind
	for _, r := range rows {
		if slices.Contains(kinds, r.Kind()) {
			t.Errorf("two rows are of kind %s", r.Kind())
		}
		kinds = append(kinds, r.Kind())
		if r.ID() != "x" {
			t.Errorf("the key of a %T is %q; want that of its field Key", r, r.ID())
		}
	}
}

func TestFieldsHaveNamesInJSON(t *testing.T) {
	name := regexp.MustCompile(`^[a-z][A-Za-z]*(,omitempty)?$`)
	for _, row := range []any{
		Reconcile{}, Wait{}, Hold{}, Control{}, Sample{}, Edge{}, Gap{}, Finding{}, Controller{}, Item{}, Object{}, Field{}, Queue{},
		Cause{}, WriteRef{}, Phase{}, Read{}, Action{}, Write{}, Next{}, RowRef{}, Input{}, Span{}, Log{}, Event{}, Link{},
		Emitter{}, Source{}, Output{},
	} {
		typ := reflect.TypeOf(row)
		for i := range typ.NumField() {
			if tag := typ.Field(i).Tag.Get("json"); !name.MatchString(tag) {
				t.Errorf("%s.%s is called %q in JSON", typ.Name(), typ.Field(i).Name, tag)
			}
		}
	}
}

// Lists that the page goes through are never null.
func TestReconcileListsAreNeverNull(t *testing.T) {
	s := New(Limits{})
	m := newSim("podset", "PodSet")
	m.emit("t", "r", "", "reconcile podset", ms(0), ms(1), m.ref("default/web"))
	for _, in := range m.inputs() {
		s.Step(in)
	}
	b, err := json.Marshal(s.passes["t"].view())
	if err != nil {
		t.Fatal(err)
	}
	if regexp.MustCompile(`:null`).Match(b) {
		t.Errorf("null in %s", b)
	}
}
