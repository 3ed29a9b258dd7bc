package nodes

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

// apiServer starts the binary that LOCALCLUSTER_BIN names, without nodes and
// controllers, and returns how to reach it.
func apiServer(t *testing.T) *rest.Config {
	t.Helper()
	binary := os.Getenv("LOCALCLUSTER_BIN")
	if binary == "" {
		t.Skip("LOCALCLUSTER_BIN does not name a localcluster")
	}
	cmd := exec.Command(binary, "up", "--exit-with-parent", "--nodes", "0", "--controllers", "none")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if _, err := cmd.StdinPipe(); err != nil { // held open until this process ends
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatalf("no ready line: %v\n%s", err, &stderr)
	}
	path, _ := strings.CutPrefix(strings.TrimSpace(line), "ready: ")
	cfg, err := clientcmd.BuildConfigFromFlags("", path)
	if err != nil {
		t.Fatal(err)
	}
	cfg.QPS = -1
	return cfg
}

// runAgent runs an agent of three nodes; stop waits until Run has returned.
func runAgent(t *testing.T, cfg *rest.Config) (stop func()) {
	t.Helper()
	agent, err := New(cfg, 3, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- agent.Run(ctx) }()
	select {
	case <-agent.Ready():
	case err := <-ended:
		t.Fatalf("the agent ended: %v", err)
	}
	return func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the agent ended with %v", err)
		}
	}
}

// TestPodsUnderChange starts many Pods while others change and delete them and
// while the agent is replaced by a new one.
func TestPodsUnderChange(t *testing.T) {
	cfg := apiServer(t)
	client := kubernetes.NewForConfigOrDie(cfg)
	makeServiceAccount(t, client)
	stop := runAgent(t, cfg)

	const count = 60
	var busy sync.WaitGroup
	for i := range count {
		name := fmt.Sprintf("pod-%02d", i)
		busy.Go(func() { disturb(t, client, name, i%3 == 0) })
	}
	busy.Wait()
	stop()
	stop = runAgent(t, cfg)
	defer stop()

	await(t, func(pods []v1.Pod) string {
		ips := map[string]bool{}
		for _, p := range pods {
			if conditionOf(&p, v1.PodReady).Status != v1.ConditionTrue {
				return p.Name + " is not Ready"
			}
			ips[p.Status.PodIP] = true
		}
		if len(pods) != count*2/3 || len(ips) != len(pods) {
			return fmt.Sprintf("%d pods have %d addresses, want %d", len(pods), len(ips), count*2/3)
		}
		return ""
	}, client)

	if err := client.CoreV1().Pods("default").DeleteCollection(t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
		t.Fatal(err)
	}
	await(t, func(pods []v1.Pod) string {
		if len(pods) > 0 {
			return fmt.Sprintf("%d pods are left", len(pods))
		}
		return ""
	}, client)
}

// disturb makes a Pod, changes it several times, so that what the agent has in its
// cache is behind, and perhaps deletes it.
func disturb(t *testing.T, client kubernetes.Interface, name string, del bool) {
	pods := client.CoreV1().Pods("default")
	pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: v1.PodSpec{Containers: []v1.Container{{Name: "main", Image: "i"}}}}
	if _, err := pods.Create(t.Context(), pod, metav1.CreateOptions{}); err != nil {
		t.Error(err)
		return
	}
	for i := range 5 {
		patch := fmt.Appendf(nil, `{"metadata":{"labels":{"turn":"%d"}}}`, i)
		if _, err := pods.Patch(t.Context(), name, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
			t.Error(err)
		}
	}
	if del {
		if err := pods.Delete(t.Context(), name, metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
	}
}

// makeServiceAccount does what the controller manager, which does not run, would.
func makeServiceAccount(t *testing.T, client kubernetes.Interface) {
	t.Helper()
	account := &v1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "default"}}
	if _, err := client.CoreV1().ServiceAccounts("default").Create(t.Context(), account, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// await lists the Pods until check returns "", for at most 20 seconds.
func await(t *testing.T, check func([]v1.Pod) string, client kubernetes.Interface) {
	t.Helper()
	deadline := time.After(20 * time.Second)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		list, err := client.CoreV1().Pods("default").List(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		problem := check(list.Items)
		if problem == "" {
			return
		}
		select {
		case <-deadline:
			t.Fatal("after 20 s: " + problem)
		case <-tick.C:
		}
	}
}
