package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	authv1 "k8s.io/api/authentication/v1"
	batchv1 "k8s.io/api/batch/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"
)

func TestAPIServerSaysItsVersion(t *testing.T) {
	client, _ := sharedCluster(t).client(t, "")
	got, err := client.Discovery().ServerVersion()
	if err != nil {
		t.Fatal(err)
	}
	if got.Major != "1" || got.Minor != "37" || got.GitVersion != kubernetesOfModule() {
		t.Errorf("version is %s.%s (%s), want 1.37 (%s)", got.Major, got.Minor, got.GitVersion, kubernetesOfModule())
	}
}

func TestKubeconfigIsPrivate(t *testing.T) {
	info, err := os.Stat(sharedCluster(t).kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("mode is %v, want 0600", info.Mode().Perm())
	}
}

func TestContexts(t *testing.T) {
	for _, c := range []struct {
		name    string
		masters bool
	}{{"", true}, {"localcluster-admin", true}, {"localcluster-user", false}} {
		client, _ := sharedCluster(t).client(t, c.name)
		me, err := client.AuthenticationV1().SelfSubjectReviews().Create(t.Context(), &authv1.SelfSubjectReview{}, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.Contains(me.Status.UserInfo.Groups, "system:masters"); got != c.masters {
			t.Errorf("context %q: member of system:masters is %v, want %v", c.name, got, c.masters)
		}
		if _, err := client.CoreV1().Secrets("").List(t.Context(), metav1.ListOptions{}); err != nil {
			t.Errorf("context %q: %v", c.name, err)
		}
	}
}

func TestNodesAreReady(t *testing.T) {
	client, _ := sharedCluster(t).client(t, "")
	nodes, err := client.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(nodes.Items) != 2 {
		t.Fatalf("there are %d nodes, want 2", len(nodes.Items))
	}
	for _, n := range nodes.Items {
		if !slices.ContainsFunc(n.Status.Conditions, func(c v1.NodeCondition) bool {
			return c.Type == v1.NodeReady && c.Status == v1.ConditionTrue
		}) {
			t.Errorf("%s is not Ready", n.Name)
		}
		if _, err := client.CoordinationV1().Leases(v1.NamespaceNodeLease).Get(t.Context(), n.Name, metav1.GetOptions{}); err != nil {
			t.Errorf("lease: %v", err)
		}
	}
}

func TestDeploymentLivesAndIsCollected(t *testing.T) {
	client, _ := sharedCluster(t).client(t, "")
	ns := namespace(t, client)
	d := deployment("web", 3, v1.PodSpec{})
	if _, err := client.AppsV1().Deployments(ns).Create(t.Context(), d, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	awaitReadyPods(t, client, ns, 3)
	pods := listPods(t, client, ns)
	checkPlacement(t, pods)

	// In the foreground, the Deployment itself goes last: everything it owns must be
	// collected, and each Pod end gracefully, before.
	err := client.AppsV1().Deployments(ns).Delete(t.Context(), "web", metav1.DeleteOptions{PropagationPolicy: ptr.To(metav1.DeletePropagationForeground)})
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, 15*time.Second, func() string {
		left := listPods(t, client, ns)
		deployments, err := client.AppsV1().Deployments(ns).List(t.Context(), metav1.ListOptions{})
		if err != nil {
			return err.Error()
		}
		if len(left)+len(deployments.Items) > 0 {
			return fmt.Sprintf("%d pods and %d deployments are left", len(left), len(deployments.Items))
		}
		return ""
	})
}

// checkPlacement expects the Pods on both nodes, each with an address of its own.
func checkPlacement(t *testing.T, pods []v1.Pod) {
	t.Helper()
	nodes, ips := map[string]bool{}, map[string]bool{}
	for _, p := range pods {
		nodes[p.Spec.NodeName], ips[p.Status.PodIP] = true, true
		if p.Status.ObservedGeneration != p.Generation || len(p.Status.ContainerStatuses) != 1 {
			t.Errorf("status of %s is incomplete: %+v", p.Name, p.Status)
		}
	}
	if len(nodes) != 2 || len(ips) != len(pods) {
		t.Errorf("%d pods have the nodes %v and the addresses %v, want both nodes and an address each", len(pods), nodes, ips)
	}
}

func TestManyPodsBecomeReadyOnce(t *testing.T) {
	client, _ := sharedCluster(t).client(t, "")
	ns := namespace(t, client)
	if _, err := client.AppsV1().Deployments(ns).Create(t.Context(), deployment("many", 40, v1.PodSpec{}), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	awaitReadyPods(t, client, ns, 40)
	ips := map[string]bool{}
	for _, p := range listPods(t, client, ns) {
		ips[p.Status.PodIP] = true
	}
	if len(ips) != 40 {
		t.Errorf("40 pods have %d different addresses", len(ips))
	}
}

func TestJobSucceeds(t *testing.T) {
	client, _ := sharedCluster(t).client(t, "")
	ns := namespace(t, client)
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "once"}}
	job.Spec.Template.Spec = podSpec(v1.PodSpec{RestartPolicy: v1.RestartPolicyNever})
	if _, err := client.BatchV1().Jobs(ns).Create(t.Context(), job, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, 20*time.Second, func() string {
		got, err := client.BatchV1().Jobs(ns).Get(t.Context(), "once", metav1.GetOptions{})
		if err != nil {
			return err.Error()
		}
		if got.Status.Succeeded != 1 || got.Status.CompletionTime == nil {
			return fmt.Sprintf("the job's status is %+v", got.Status)
		}
		return ""
	})
}

func TestPodThatFitsNowhereSaysWhyAndIsTriedAgain(t *testing.T) {
	client, _ := sharedCluster(t).client(t, "")
	ns := namespace(t, client)
	label := "wanted-" + ns
	pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "picky"}, Spec: podSpec(v1.PodSpec{NodeSelector: map[string]string{label: "yes"}})}
	if _, err := client.CoreV1().Pods(ns).Create(t.Context(), pod, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, 5*time.Second, func() string {
		p := listPods(t, client, ns)[0]
		if c := p.Status.Conditions; len(c) != 1 || !strings.Contains(c[0].Message, "0/2 nodes are available: 2 node(s) didn't match") {
			return fmt.Sprintf("its conditions are %+v", c)
		}
		return ""
	})
	node, err := client.CoreV1().Nodes().Get(t.Context(), "node-2", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	node.Labels[label] = "yes"
	if _, err := client.CoreV1().Nodes().Update(t.Context(), node, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	awaitReadyPods(t, client, ns, 1)
}

// namespace makes a namespace for one test and waits until Pods may be made in it.
func namespace(t *testing.T, client kubernetes.Interface) string {
	t.Helper()
	made, err := client.CoreV1().Namespaces().Create(t.Context(), &v1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "test-"}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		// t.Context has ended by now.
		_ = client.CoreV1().Namespaces().Delete(context.Background(), made.Name, metav1.DeleteOptions{})
	})
	eventually(t, 10*time.Second, func() string {
		_, err := client.CoreV1().ServiceAccounts(made.Name).Get(t.Context(), "default", metav1.GetOptions{})
		return errText(err)
	})
	return made.Name
}

func podSpec(s v1.PodSpec) v1.PodSpec {
	s.Containers = []v1.Container{{Name: "main", Image: "example.test/main:1"}}
	return s
}

func deployment(name string, replicas int32, spec v1.PodSpec) *appsv1.Deployment {
	labels := map[string]string{"app": name}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: v1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: podSpec(spec)},
		},
	}
}

func listPods(t *testing.T, client kubernetes.Interface, ns string) []v1.Pod {
	t.Helper()
	pods, err := client.CoreV1().Pods(ns).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return pods.Items
}

func awaitReadyPods(t *testing.T, client kubernetes.Interface, ns string, want int) {
	t.Helper()
	eventually(t, 20*time.Second, func() string {
		pods := listPods(t, client, ns)
		ready := 0
		for _, p := range pods {
			if p.Status.Phase == v1.PodRunning && slices.ContainsFunc(p.Status.Conditions, func(c v1.PodCondition) bool {
				return c.Type == v1.PodReady && c.Status == v1.ConditionTrue
			}) {
				ready++
			}
		}
		if ready != want || len(pods) != want {
			return fmt.Sprintf("%d of %d pods are Running and Ready, want %d", ready, len(pods), want)
		}
		return ""
	})
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
