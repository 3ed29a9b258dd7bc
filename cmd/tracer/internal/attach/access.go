package attach

import (
	"context"
	"fmt"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/reconcile-tracer/tracer/reconciler/api/v1alpha1"
)

const (
	crdGroup    = "apiextensions.k8s.io"
	crdResource = "customresourcedefinitions"
)

// Need says what a missing permission costs.
type Need int

// The needs.
const (
	// Required: without it nothing works.
	Required Need = iota
	// Install: it is required to put the CRD there, or to bring it up to date.
	Install
	// Useful: without it something is missing, as Why says.
	Useful
)

// Permission is one thing that this account is to be allowed to do.
type Permission struct {
	Verb, Group, Resource, Subresource string
	// Name is the one object that it is asked for; "" is any.
	Name string
	// Cluster says that it is asked for the whole cluster, whatever the namespace.
	Cluster bool
	// Why says what it is needed for.
	Why  string
	Need Need
}

// String names the resource as kubectl does.
func (p Permission) String() string {
	name := p.Resource
	if p.Group != "" {
		name += "." + p.Group
	}
	if p.Subresource != "" {
		name += "/" + p.Subresource
	}
	return name
}

// rule is several verbs for one reason.
type rule struct {
	verbs []string
	of    Permission
}

// A rule for create cannot name an object, those for other verbs should.
var (
	crds    = Permission{Group: crdGroup, Resource: crdResource, Cluster: true}
	podSets = Permission{Group: v1alpha1.GroupName, Resource: v1alpha1.Resource}
	pods    = Permission{Group: corev1.GroupName, Resource: "pods"}
)

var rules = []rule{
	{[]string{"create"}, crds.because("installing the CRD", Install)},
	{[]string{"get", "update"}, crds.named(v1alpha1.CRDName).because("installing the CRD", Install)},
	{[]string{"list", "watch"}, podSets.because("the reconciler's informer", Required)},
	{[]string{"update"}, podSets.sub("status").because("the reconciler writes the status", Required)},
	{[]string{"update"}, podSets.sub("finalizers").because("owner references, where the cluster guards them", Useful)},
	{[]string{"list", "watch"}, pods.because("the reconciler's informer", Required)},
	{[]string{"create", "delete"}, pods.because("the reconciler keeps the number of Pods", Required)},
	{[]string{"create", "patch"}, Permission{Resource: "events", Why: "the reconciler's events", Need: Useful}},
	{[]string{"get", "create", "patch", "update", "delete"}, podSets.because("Try it on the page", Useful)},
}

func (p Permission) because(why string, need Need) Permission {
	p.Why, p.Need = why, need
	return p
}

func (p Permission) named(object string) Permission {
	p.Name = object
	return p
}

func (p Permission) sub(resource string) Permission {
	p.Subresource = resource
	return p
}

// Permissions returns all that attaching asks for.
func Permissions() []Permission { return spread(rules) }

func spread(rules []rule) []Permission {
	var all []Permission
	for _, r := range rules {
		for _, verb := range r.verbs {
			p := r.of
			p.Verb = verb
			all = append(all, p)
		}
	}
	return all
}

// Answer is a permission and what the API server says of it.
type Answer struct {
	Permission
	Allowed bool
}

// Access is what the API server says of this account.
type Access struct {
	// User is who the API server takes this account for; "" where it does not say.
	User string
	// Namespace is the one that was asked about, "" for all.
	Namespace string
	// Installed says that the CRD is there.
	Installed bool
	Answers   []Answer
}

// Ask asks the API server which of the permissions this account has, in one
// namespace, or in all when it is "". An error is of the asking.
func Ask(ctx context.Context, cfg *rest.Config, namespace string, permissions []Permission) (Access, error) {
	client, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		return Access{}, fmt.Errorf("making a client: %w", err)
	}
	a := Access{Namespace: namespace, User: whoAmI(ctx, client)}
	if a.Installed, err = installed(client); err != nil {
		return Access{}, err
	}
	for _, p := range permissions {
		allowed, err := ask(ctx, client, namespace, p)
		if err != nil {
			return Access{}, fmt.Errorf("asking the API server what this account may do: %w", err)
		}
		a.Answers = append(a.Answers, Answer{p, allowed})
	}
	return a, nil
}

func ask(ctx context.Context, client kubernetes.Interface, namespace string, p Permission) (bool, error) {
	if p.Cluster {
		namespace = ""
	}
	review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
		ResourceAttributes: &authorizationv1.ResourceAttributes{
			Namespace: namespace, Verb: p.Verb, Group: p.Group, Resource: p.Resource, Subresource: p.Subresource, Name: p.Name,
		},
	}}
	answer, err := client.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
	if err != nil {
		return false, err
	}
	return answer.Status.Allowed, nil
}

// whoAmI is for the remedy only: a server that does not say is no failure.
func whoAmI(ctx context.Context, client kubernetes.Interface) string {
	me, err := client.AuthenticationV1().SelfSubjectReviews().Create(ctx, &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	if err != nil {
		return ""
	}
	return me.Status.UserInfo.Username
}

// Missing are the permissions that are needed and not there. Those for the
// installation are not needed where the CRD is installed.
func (a Access) Missing() []Answer {
	return a.refused(func(need Need) bool { return need == Required || need == Install && !a.Installed })
}

// MayInstall says whether the CRD can be installed or brought up to date.
func (a Access) MayInstall() bool {
	return len(a.refused(func(need Need) bool { return need == Install })) == 0
}

// Lacks are the permissions that are not there and are not needed.
func (a Access) Lacks() []Answer {
	return a.refused(func(need Need) bool { return need == Useful || need == Install && a.Installed })
}

func (a Access) refused(of func(Need) bool) []Answer {
	var out []Answer
	for _, answer := range a.Answers {
		if !answer.Allowed && of(answer.Need) {
			out = append(out, answer)
		}
	}
	return out
}
