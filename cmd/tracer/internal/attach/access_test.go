package attach

import (
	"strings"
	"testing"
)

func answers(allowed func(Permission) bool) []Answer {
	var all []Answer
	for _, p := range Permissions() {
		all = append(all, Answer{p, allowed(p)})
	}
	return all
}

func TestWhatIsMissingDependsOnTheCRD(t *testing.T) {
	noCRD := answers(func(p Permission) bool { return p.Resource != crdResource })
	for _, c := range []struct {
		name           string
		access         Access
		missing, lacks int
		mayInstall     bool
	}{
		{"everything", Access{Answers: answers(func(Permission) bool { return true })}, 0, 0, true},
		{"nothing", Access{Answers: answers(func(Permission) bool { return false })}, 10, 8, false},
		{"not the CRD", Access{Answers: noCRD}, 3, 0, false},
		{"not the CRD, which is there", Access{Answers: noCRD, Installed: true}, 0, 3, false},
		{"no events", Access{Answers: answers(func(p Permission) bool { return p.Resource != "events" })}, 0, 2, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			missing, lacks, may := len(c.access.Missing()), len(c.access.Lacks()), c.access.MayInstall()
			if missing != c.missing || lacks != c.lacks || may != c.mayInstall {
				t.Errorf("missing %d, lacks %d, may install %t; want %d, %d, %t", missing, lacks, may, c.missing, c.lacks, c.mayInstall)
			}
		})
	}
}

func TestTable(t *testing.T) {
	a := Access{Namespace: "demo", Answers: []Answer{
		{Permissions()[0], false},
		{Permission{Verb: "list", Resource: "pods", Why: "the informer"}, true},
		{Permission{Verb: "update", Group: "g", Resource: "r", Subresource: "status", Why: "status"}, false},
		{Permission{Verb: "create", Resource: "events", Why: "events", Need: Useful}, false},
	}}
	var b strings.Builder
	if err := a.WriteTable(&b, a.Answers); err != nil {
		t.Fatal(err)
	}
	want := `VERB    RESOURCE                                        IN           WHY                 ALLOWED
create  customresourcedefinitions.apiextensions.k8s.io  the cluster  installing the CRD  no
list    pods                                            demo         the informer        yes
update  r.g/status                                      demo         status              no
create  events                                          demo         events              no (can do without)
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

func TestRemedyNamesWhom(t *testing.T) {
	for user, want := range map[string]string{
		"jane":                                "--user='jane'",
		"o'hara":                              `--user='o'\''hara'`,
		"system:serviceaccount:default:robot": "--serviceaccount=default:robot",
		"":                                    "--user='<this account>'",
	} {
		if got := (Access{User: user}).Remedy(); !strings.Contains(got, want+"\n") {
			t.Errorf("the remedy for %q lacks %s:\n%s", user, want, got)
		}
	}
	if got := (Access{User: "jane", Namespace: "demo"}).Remedy(); !strings.Contains(got, "create rolebinding tracer-attach -n demo") {
		t.Errorf("the remedy in one namespace:\n%s", got)
	}
}
