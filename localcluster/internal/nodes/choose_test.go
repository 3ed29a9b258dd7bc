package nodes

import (
	"strconv"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// machine makes a healthy Node and applies changes to it.
func machine(name string, changes ...func(*v1.Node)) *v1.Node {
	n := newNode(name)
	n.Status = nodeStatus(name, 1, v1.NodeStatus{})
	for _, c := range changes {
		c(n)
	}
	return n
}

func notReady(n *v1.Node) { n.Status.Conditions[0].Status = v1.ConditionFalse }
func cordoned(n *v1.Node) { n.Spec.Unschedulable = true }
func tainted(n *v1.Node)  { n.Spec.Taints = []v1.Taint{{Key: "k", Effect: v1.TaintEffectNoSchedule}} }
func preferred(n *v1.Node) {
	n.Spec.Taints = []v1.Taint{{Key: "k", Effect: v1.TaintEffectPreferNoSchedule}}
}

func tolerant(p *v1.Pod) {
	p.Spec.Tolerations = []v1.Toleration{{Operator: v1.TolerationOpExists}}
}

func selecting(p *v1.Pod) { p.Spec.NodeSelector = map[string]string{v1.LabelHostname: "b"} }

func TestPick(t *testing.T) {
	for name, c := range map[string]struct {
		pod          *v1.Pod
		nodes        []*v1.Node
		count        map[string]int
		node, reason string
	}{
		"the emptiest":           {pod(), []*v1.Node{machine("a"), machine("b")}, map[string]int{"a": 2, "b": 1}, "b", ""},
		"the first among equals": {pod(), []*v1.Node{machine("b"), machine("a")}, nil, "a", ""},
		"the one it selects":     {pod(selecting), []*v1.Node{machine("a"), machine("b")}, map[string]int{"b": 9}, "b", ""},
		"the one that is ready":  {pod(), []*v1.Node{machine("a", notReady), machine("b")}, nil, "b", ""},
		"one that is cordoned":   {pod(), []*v1.Node{machine("a", cordoned)}, nil, "", "0/1 nodes are available: 1 node(s) were unschedulable."},
		"tolerated":              {pod(tolerant), []*v1.Node{machine("a", tainted, cordoned)}, nil, "a", ""},
		"only preferred not":     {pod(), []*v1.Node{machine("a", preferred)}, nil, "a", ""},
		"full":                   {pod(), []*v1.Node{machine("a")}, map[string]int{"a": podsPerNode}, "", "0/1 nodes are available: 1 Too many pods."},
		"none":                   {pod(), nil, nil, "", "no nodes available to schedule pods"},
		"several reasons": {pod(), []*v1.Node{machine("a", tainted), machine("b", notReady), machine("c", tainted)}, nil, "",
			"0/3 nodes are available: 2 node(s) had untolerated taint(s), 1 node(s) were not ready."},
	} {
		t.Run(name, func(t *testing.T) {
			node, reason := pick(c.pod, c.nodes, c.count)
			if node != c.node || reason != c.reason {
				t.Errorf("picked %q because %q, want %q because %q", node, reason, c.node, c.reason)
			}
		})
	}
}

func TestCountByNode(t *testing.T) {
	waiting := pod(func(p *v1.Pod) { p.Spec.NodeName, p.UID = "", "bound" })
	other := pod(func(p *v1.Pod) { p.Spec.NodeName, p.UID = "", "waits" })
	got := countByNode([]*v1.Pod{pod(started), pod(succeed), waiting, other}, map[types.UID]string{"bound": "node-1"})
	if len(got) != 1 || got["node-1"] != 2 {
		t.Errorf("counted %v, want 2 on node-1: the running and the one just bound", got)
	}
}

func TestAddresses(t *testing.T) {
	a := addresses{}
	used := func() (map[string]bool, error) { return map[string]bool{"10.244.3.1": true}, nil }
	take := func(uid types.UID, want string) {
		t.Helper()
		if got, err := a.take(uid, 3, used); err != nil || got != want {
			t.Errorf("address of %s is %q (%v), want %s", uid, got, err, want)
		}
	}
	take("one", "10.244.3.2")
	take("two", "10.244.3.3")
	take("one", "10.244.3.2")
	a.giveBack("one")
	take("three", "10.244.3.2")
	for len(a) < 253 {
		if _, err := a.take(types.UID(strconv.Itoa(len(a))), 3, used); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := a.take("one too many", 3, used); err == nil {
		t.Error("a 255th address was given")
	}
}
