package server

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/reconcile-tracer/tracer/server/flow"
)

// hubFolder tells the test's own binary to be a hub on a folder.
const hubFolder = "TRACER_TEST_HUB_FOLDER"

func TestMain(m *testing.M) {
	if dir := os.Getenv(hubFolder); dir != "" {
		if err := beHub(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

// beHub runs a hub until its standard input ends, and says where it is.
func beHub(dir string) error {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	ready := make(chan struct{})
	h, err := New(ctx, Config{
		Listen: "127.0.0.1:0", Data: dir, Token: testToken, IngestToken: testIngest, OnReady: func() { close(ready) },
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

// child is a hub in a process of its own.
type child struct {
	*client
	cmd *exec.Cmd
}

func spawn(t *testing.T, dir string) *child {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), hubFolder+"="+dir)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("the hub did not become ready: %v", err)
	}
	return &child{client: &client{t: t, url: strings.TrimSpace(line)}, cmd: cmd}
}

// TestKillLosesNothingAcknowledged kills the hub's process with SIGKILL while
// many send, again and again: what it has acknowledged is there after each
// start, and what was there is there again, equal.
func TestKillLosesNothingAcknowledged(t *testing.T) {
	dir := t.TempDir()
	acknowledged := map[string]bool{}
	before := map[string]string{}
	n := byte(0)
	for round := range 4 {
		c := spawn(t, dir)
		rows := map[string]string{}
		for _, line := range c.rowLines("?row=reconcile") {
			var r flow.Reconcile
			if err := json.Unmarshal([]byte(line), &r); err != nil {
				t.Fatal(err)
			}
			rows[r.Key] = line
		}
		for key := range acknowledged {
			if rows[key] == "" {
				t.Errorf("round %d: %s was acknowledged and is lost", round, key)
			}
		}
		for key, row := range before {
			if diff := cmp.Diff(row, rows[key]); diff != "" {
				t.Errorf("round %d: a row has changed (-before +after):\n%s", round, diff)
			}
		}
		before = rows
		n = c.sendAndKill(n, acknowledged)
	}
	if len(acknowledged) < 20 {
		t.Errorf("only %d reconciles were acknowledged: the test shows little", len(acknowledged))
	}
}

// sendAndKill sends passes from number n on, some at once, and kills the hub
// in the midst of it. It returns the next number.
func (c *child) sendAndKill(n byte, acknowledged map[string]bool) byte {
	const passes = 30
	var mu sync.Mutex
	var wg sync.WaitGroup
	for i := range byte(passes) {
		number := n + i + 1
		wg.Go(func() {
			status, err := c.try(onePass(c.t, number))
			mu.Lock()
			defer mu.Unlock()
			if err == nil && status == 200 {
				acknowledged[fmt.Sprintf("%x", traceID(number))] = true
			}
			if i == passes/2 {
				_ = c.cmd.Process.Kill()
			}
		})
	}
	wg.Wait()
	_ = c.cmd.Wait()
	return n + passes
}
