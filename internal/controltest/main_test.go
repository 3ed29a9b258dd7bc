package controltest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/reconcile-tracer/tracer/internal/clustertest"
	"github.com/reconcile-tracer/tracer/reconciler"
	"github.com/reconcile-tracer/tracer/reconciler/api/v1alpha1"
	"github.com/reconcile-tracer/tracer/server"
	"github.com/reconcile-tracer/tracer/server/flow"
	"github.com/reconcile-tracer/tracer/tracer"
)

// hubFolder tells the test's own binary to be a hub on a folder.
const hubFolder = "TRACER_TEST_HUB_FOLDER"

const (
	pageToken    = "the-presenter-token"
	ingestToken  = "the-emitters-token"
	controlToken = "the-controllers-token"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(hubFolder); dir != "" {
		if err := beHub(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(clustertest.Main(m))
}

// beHub runs a hub until its standard input ends, and says where it is.
func beHub(dir string) error {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	ready := make(chan struct{})
	h, err := server.New(ctx, server.Config{
		Listen: "127.0.0.1:0", Data: dir, Token: pageToken, IngestToken: ingestToken, ControlToken: controlToken,
		OnReady: func() { close(ready) }, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return err
	}
	go func() {
		<-ready
		fmt.Println(h.URL())
	}()
	return h.Run(ctx)
}

// class is a hub, a controller that takes its commands, and a namespace to work
// in.
type class struct {
	*testing.T
	cluster   *clustertest.Cluster
	kube      kubernetes.Interface
	sets      *v1alpha1.Client
	namespace string
	hub       *exec.Cmd
	url       string
	// leave ends the controller and returns what Run did.
	leave func() error
}

// open starts all of it, with one PodSet of one Pod.
func open(t *testing.T, change ...func(*reconciler.Options)) *class {
	t.Helper()
	cluster := clustertest.Get(t)
	if err := reconciler.InstallCRD(t.Context(), cluster.Config()); err != nil {
		t.Fatal(err)
	}
	sets, err := v1alpha1.NewClientset(cluster.Config())
	if err != nil {
		t.Fatal(err)
	}
	c := &class{T: t, cluster: cluster, kube: cluster.Client(t), namespace: cluster.Namespace(t)}
	c.sets = sets.PodSets(c.namespace)
	c.startHub(t.TempDir())
	c.startController(change...)
	clustertest.Eventually(t, "the controller takes commands", func(context.Context) bool {
		rows := rowsOf[flow.Controller](c, "row=controller")
		return len(rows) == 1 && rows[0].Control
	})
	one := int32(1)
	set := &v1alpha1.PodSet{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Spec: v1alpha1.PodSetSpec{Replicas: &one}}
	set.Spec.Template.Spec.Containers = []corev1.Container{{Name: "c", Image: "none"}}
	if _, err := c.sets.Create(t.Context(), set, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	c.settled(1)
	return c
}

func (c *class) startHub(dir string) {
	c.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), hubFolder+"="+dir)
	in, err := cmd.StdinPipe()
	if err != nil {
		c.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		c.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		c.Fatal(err)
	}
	c.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		c.Fatalf("the hub did not become ready: %v", err)
	}
	c.hub, c.url = cmd, strings.TrimSpace(line)
}

func (c *class) startController(change ...func(*reconciler.Options)) {
	c.Helper()
	log := slog.New(slog.NewTextHandler(c.Output(), nil))
	t, err := tracer.Start(c.Context(), tracer.Config{
		Controller: reconciler.ControllerName, For: v1alpha1.PodSetKind, Endpoint: c.url,
		Headers: map[string]string{"Authorization": "Bearer " + ingestToken},
		Control: true, ControlToken: controlToken, Logger: log,
	})
	if err != nil {
		c.Fatal(err)
	}
	o := reconciler.Options{Config: c.cluster.Config(), Namespace: c.namespace, Tracer: t, Workers: 1, Logger: log}
	for _, f := range change {
		f(&o)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- reconciler.Run(ctx, o) }()
	c.leave = sync.OnceValue(func() error {
		cancel()
		return <-done
	})
	c.Cleanup(func() {
		if err := c.leave(); err != nil {
			c.Errorf("Run returned %v", err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = t.Shutdown(ctx) // a hub that was killed makes it an error, as it should
	})
}

// command is a command as the page sends it.
type command map[string]any

// answer is what the hub says to a command.
type answer struct{ ID, Text, Error string }

func (c *class) ask(body command) (int, answer) {
	c.Helper()
	data, err := json.Marshal(body)
	if err != nil {
		c.Fatal(err)
	}
	status, text := c.request(http.MethodPost, "/api/v1/control", data)
	var a answer
	if err := json.Unmarshal(text, &a); err != nil {
		c.Fatalf("the hub answered %d %q", status, text)
	}
	return status, a
}

// do gives a command that must be taken.
func (c *class) do(body command) answer {
	c.Helper()
	body["controller"] = reconciler.ControllerName
	status, a := c.ask(body)
	if status != http.StatusOK {
		c.Fatalf("%v: the hub answered %d %q", body, status, a.Error)
	}
	return a
}

func (c *class) request(method, path string, body []byte) (int, []byte) {
	c.Helper()
	req, err := http.NewRequestWithContext(context.Background(), method, c.url+path, bytes.NewReader(body))
	if err != nil {
		c.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+pageToken)
	res, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(req)
	if err != nil {
		c.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		c.Fatal(err)
	}
	return res.StatusCode, data
}

func rowsOf[R any](c *class, query string) []R {
	c.Helper()
	status, data := c.request(http.MethodGet, "/api/v1/rows?"+query, nil)
	if status != http.StatusOK {
		c.Fatalf("rows answered %d: %s", status, data)
	}
	var rows []R
	for line := range strings.Lines(string(data)) {
		var r R
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			c.Fatal(err)
		}
		rows = append(rows, r)
	}
	return rows
}

// held waits until the worker is held before a phase, and returns the row.
func (c *class) held(phase, why string) flow.Hold {
	c.Helper()
	var hold flow.Hold
	clustertest.Eventually(c, "the worker is held at "+phase+" by "+why, func(context.Context) bool {
		for _, h := range rowsOf[flow.Hold](c, "row=hold") {
			if h.To == 0 && h.Phase == phase && h.Why == why {
				hold = h
				return true
			}
		}
		return false
	})
	return hold
}

// passes waits until a reconcile that is done is as said.
func (c *class) passes(what string, ok func(flow.Reconcile) bool) flow.Reconcile {
	c.Helper()
	var found flow.Reconcile
	clustertest.Eventually(c, what, func(context.Context) bool {
		for _, r := range rowsOf[flow.Reconcile](c, "row=reconcile") {
			if r.To != 0 && ok(r) {
				found = r
				return true
			}
		}
		return false
	})
	return found
}

func (c *class) scale(replicas int) {
	c.Helper()
	patch := fmt.Appendf(nil, `{"spec":{"replicas":%d}}`, replicas)
	err := c.sets.GetClient().Patch("application/merge-patch+json").Namespace(c.namespace).Resource(v1alpha1.Resource).
		Name("web").Body(patch).Do(c.Context()).Error()
	if err != nil {
		c.Fatal(err)
	}
}

// settled waits until the PodSet has its Pods, and says so.
func (c *class) settled(replicas int) {
	c.Helper()
	clustertest.Eventually(c, fmt.Sprintf("the PodSet has settled at %d Pods", replicas), func(ctx context.Context) bool {
		set, err := c.sets.Get(ctx, "web", metav1.GetOptions{})
		return err == nil && set.Status.ObservedGeneration == set.Generation && int(set.Status.Replicas) == replicas && c.pods() == replicas
	})
}

func (c *class) pods() int {
	c.Helper()
	pods, err := c.kube.CoreV1().Pods(c.namespace).List(c.Context(), metav1.ListOptions{LabelSelector: v1alpha1.LabelPodSet + "=web"})
	if err != nil {
		return -1
	}
	n := 0
	for _, p := range pods.Items {
		if p.DeletionTimestamp == nil {
			n++
		}
	}
	return n
}
