package actions

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// Names of arguments.
const (
	argNamespace = "namespace"
	argName      = "name"
	argReplicas  = "replicas"
)

const (
	// MaxReplicas is how many Pods the page may ask for.
	MaxReplicas = 20
	// maxName is the longest name of a PodSet: it becomes a label of its Pods.
	maxName = 63
	// reserved is how the namespaces of Kubernetes itself begin.
	reserved = "kube-"
)

// request holds an action's arguments, checked.
type request struct {
	namespace, name string
	replicas        int32
}

func (r request) String() string { return r.namespace + "/" + r.name }

// parse checks args against those that the action takes.
func parse(action string, takes []string, args map[string]string) (request, error) {
	for given := range args {
		if !slices.Contains(takes, given) {
			return request{}, bad("%s: not an argument of %s: leave it out, it takes %s", given, action, strings.Join(takes, ", "))
		}
	}
	r := request{namespace: args[argNamespace], name: args[argName]}
	if err := checkNamespace(r.namespace); err != nil {
		return r, err
	}
	if err := checkName(r.name); err != nil {
		return r, err
	}
	if !slices.Contains(takes, argReplicas) {
		return r, nil
	}
	var err error
	r.replicas, err = parseReplicas(args[argReplicas])
	return r, err
}

func checkNamespace(namespace string) error {
	if namespace == "" {
		return bad("namespace: it is missing: give one, for example default")
	}
	if problems := validation.IsDNS1123Label(namespace); len(problems) > 0 {
		return bad("namespace: %s is no namespace: use at most 63 of a-z, 0-9 and -, with a letter or digit first and last, for example team-a", quote(namespace))
	}
	if strings.HasPrefix(namespace, reserved) {
		return &Error{http.StatusForbidden, fmt.Sprintf("namespace: %s belongs to Kubernetes itself: choose one that does not begin with %s", quote(namespace), reserved)}
	}
	return nil
}

func checkName(name string) error {
	if name == "" {
		return bad("name: it is missing: give the name of a PodSet")
	}
	if problems := validation.IsDNS1123Subdomain(name); len(problems) > 0 || len(name) > maxName {
		return bad("name: %s is no name of a PodSet: use at most %d of a-z, 0-9, - and ., with a letter or digit first and last, for example web-1", quote(name), maxName)
	}
	return nil
}

func parseReplicas(text string) (int32, error) {
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || n < 0 || n > MaxReplicas {
		return 0, bad("replicas: %s is no whole number from 0 to %d: choose one", quote(text), MaxReplicas)
	}
	return int32(n), nil
}

// quote keeps a hostile argument from flooding the answer.
func quote(text string) string {
	const most = 80
	if len(text) > most {
		text = text[:most] + "…"
	}
	return strconv.Quote(text)
}
