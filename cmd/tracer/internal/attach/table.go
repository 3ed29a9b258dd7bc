package attach

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// WriteTable writes answers as a table: verb, resource, why, yes or no.
func (a Access) WriteTable(w io.Writer, answers []Answer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "VERB\tRESOURCE\tIN\tWHY\tALLOWED")
	for _, answer := range answers {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", answer.Verb, answer.Permission, a.where(answer.Permission), answer.Why, a.word(answer))
	}
	return table.Flush()
}

func (a Access) where(p Permission) string {
	switch {
	case p.Cluster:
		return "the cluster"
	case a.Namespace == "":
		return "all namespaces"
	}
	return a.Namespace
}

func (a Access) word(answer Answer) string {
	switch {
	case answer.Allowed:
		return "yes"
	case answer.Need == Install && a.Installed:
		return "no (the CRD is there)"
	case answer.Need == Useful:
		return "no (can do without)"
	}
	return "no"
}

// Remedy says what an administrator can do so that this account may.
func (a Access) Remedy() string {
	user := a.User
	if user == "" {
		user = "<this account>"
	}
	var b strings.Builder
	fmt.Fprintln(&b, "An administrator can allow it (the rules are the ClusterRole in deploy/attach-rbac.yaml):")
	fmt.Fprintln(&b, "  tracer attach --print-rbac | kubectl apply -f -")
	fmt.Fprintf(&b, "  kubectl create clusterrolebinding tracer-attach --clusterrole=tracer-attach %s\n", subjectFlag(user))
	if a.Namespace != "" && !a.Installed {
		fmt.Fprintln(&b, "or install the CRD, and bind that role in the one namespace:")
	} else if a.Namespace != "" {
		fmt.Fprintln(&b, "or in the one namespace only:")
	}
	if a.Namespace != "" {
		fmt.Fprintf(&b, "  kubectl create rolebinding tracer-attach -n %s --clusterrole=tracer-attach %s\n", a.Namespace, subjectFlag(user))
	}
	return b.String()
}

// subjectFlag is how kubectl is told whom to bind.
func subjectFlag(user string) string {
	if account, ok := strings.CutPrefix(user, "system:serviceaccount:"); ok {
		return "--serviceaccount=" + account
	}
	return "--user='" + strings.ReplaceAll(user, "'", `'\''`) + "'"
}
