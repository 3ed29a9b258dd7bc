package main

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"tracer": main})
}

// TestScripts runs the command line as a user does. Beside testscript's own
// commands there is
//
//	status 2 tracer serve --bogus
//
// which runs a program and checks its exit status, await, which waits until a
// URL answers with 200, $TAKEN, an address that is in use, $FREE and $OTHER, two
// that are not, $TRACER, the program's path, $MAKEFILE, that of the Makefile,
// $LINES, an origin with a line more, and $LONG, a token that is too long.
func TestScripts(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = taken.Close() }) // not by defer: the scripts run after this has returned
	tracer, err := exec.LookPath("tracer")
	if err != nil {
		t.Fatal(err)
	}
	makefile, err := filepath.Abs("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("TAKEN", taken.Addr().String())
			env.Setenv("TRACER", tracer)
			env.Setenv("MAKEFILE", makefile)
			env.Setenv("LINES", "https://a.example\nX: 1")
			env.Setenv("LONG", strings.Repeat("x", 257))
			free, err := settleAddress(context.Background(), "127.0.0.1:0")
			if err != nil {
				return err
			}
			env.Setenv("FREE", free)
			other, err := settleAddress(context.Background(), "127.0.0.1:0")
			if err != nil {
				return err
			}
			env.Setenv("OTHER", other)
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("KUBERNETES_SERVICE_HOST", "") // as outside a cluster
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"status": status, "await": await},
	})
}

func await(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: await <url>")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	ts.Check(poll(ctx, 10*time.Millisecond, func(context.Context) bool {
		res, err := client.Get(args[0])
		if err == nil {
			res.Body.Close()
		}
		return err == nil && res.StatusCode == http.StatusOK
	}))
}

func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status <exit status> <program> [arguments]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}
