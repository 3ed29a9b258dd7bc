package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/reconcile-tracer/tracer/server"
)

// checkLoopback refuses an address that others could reach.
func checkLoopback(command, address string) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return err
	}
	if server.IsLoopback(host) {
		return nil
	}
	return usagef("--listen %q: %s is for this machine only (give 127.0.0.1:port; to serve others run 'tracer serve')", address, command)
}

// anyPort is where the page is when nothing else is wanted.
const anyPort = "127.0.0.1:0"

// settleAddress finds the page's address and keeps it for the next start. Where
// none is wanted it is that of the last start if it is free, so that a tab left
// open finds the page again; when it is not, that is said.
func (f *runFolder) settleAddress(ctx context.Context, wanted string, say sayer) (string, error) {
	address, err := f.chooseAddress(ctx, wanted, say)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(f.hub(), 0o700); err != nil {
		return "", explainFolder(f.path, err)
	}
	if err := writeHubAddress(f.hub(), "http://"+address); err != nil {
		return "", explainFolder(f.path, err)
	}
	return address, nil
}

func (f *runFolder) chooseAddress(ctx context.Context, wanted string, say sayer) (string, error) {
	if wanted != "" {
		return settleAddress(ctx, wanted)
	}
	last := strings.TrimPrefix(lastAddress(f.hub()), "http://")
	if checkLoopback("it", last) != nil {
		return settleAddress(ctx, anyPort)
	}
	address, err := settleAddress(ctx, last)
	if err == nil {
		return address, nil
	}
	if address, err = settleAddress(ctx, anyPort); err != nil {
		return "", err
	}
	say("the page is at %s: its address of the last start, %s, is in use", address, last)
	return address, nil
}

// settleAddress replaces port 0 by a free one, so that the hub has the same one
// after a restart, and finds out early that a port is taken.
func settleAddress(ctx context.Context, address string) (string, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if errors.Is(err, syscall.EADDRINUSE) {
		return "", fmt.Errorf("--listen %q: the port is in use (stop what uses it, choose another, or take a free one with port 0)", address)
	}
	if err != nil {
		return "", fmt.Errorf("--listen %q: %w (give an address of this machine, for example 127.0.0.1:0)", address, err)
	}
	return l.Addr().String(), l.Close()
}

// findLocalcluster returns the program: the one that is named, else the one
// beside this program, else the one on PATH.
func findLocalcluster(named string) (string, error) {
	if named != "" {
		path, err := exec.LookPath(named)
		if err != nil {
			return "", fmt.Errorf("--localcluster %q: no program there (name the program that 'make build' puts at bin/localcluster)", named)
		}
		return filepath.Abs(path)
	}
	self, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("finding this program: %w", err)
	}
	folder := filepath.Dir(self)
	if path, err := exec.LookPath(filepath.Join(folder, "localcluster")); err == nil {
		return path, nil
	}
	path, err := exec.LookPath("localcluster")
	if err != nil {
		return "", fmt.Errorf("localcluster is neither in %s nor on PATH (build it with 'make build', or name it with --localcluster)", folder)
	}
	return filepath.Abs(path)
}
