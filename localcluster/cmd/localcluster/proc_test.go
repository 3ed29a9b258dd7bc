package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// needsProc skips on systems without /proc: these tests look at processes.
func needsProc(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("reads /proc")
	}
}

// childrenOf returns the process ids of the direct children.
func childrenOf(t *testing.T, parent int) []int {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	var pids []int
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if _, ppid, ok := procState(pid); ok && ppid == parent {
			pids = append(pids, pid)
		}
	}
	return pids
}

// procState reads the state letter and the parent of a process.
func procState(pid int) (state string, ppid int, ok bool) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", 0, false
	}
	// The name in parentheses may contain spaces: what follows the last one counts.
	fields := strings.Fields(string(raw[strings.LastIndexByte(string(raw), ')')+1:]))
	ppid, err = strconv.Atoi(fields[1])
	return fields[0], ppid, err == nil
}

// runs reports whether a process runs; one that ended and was not collected yet
// does not.
func runs(pid int) bool {
	state, _, ok := procState(pid)
	return ok && state != "Z" && state != "X"
}

func awaitGone(t *testing.T, pids []int, limit time.Duration) {
	t.Helper()
	eventually(t, limit, func() string {
		if i := slices.IndexFunc(pids, runs); i >= 0 {
			return fmt.Sprintf("process %d still runs", pids[i])
		}
		return ""
	})
}

// eventually calls check every 20 ms until it returns "", and fails with what it
// returned last.
func eventually(t *testing.T, limit time.Duration, check func() string) {
	t.Helper()
	deadline := time.After(limit)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		problem := check()
		if problem == "" {
			return
		}
		select {
		case <-deadline:
			t.Fatalf("after %s: %s", limit, problem)
		case <-tick.C:
		}
	}
}

// listening returns the addresses on which a process listens for TCP, in the
// notation of /proc/net/tcp.
func listening(t *testing.T, pid int) []string {
	t.Helper()
	inodes := socketInodes(t, pid)
	var addresses []string
	for _, file := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		f, err := os.Open(file)
		if err != nil {
			continue // no IPv6 here
		}
		scanner := bufio.NewScanner(f)
		for scanner.Scan() {
			fields := strings.Fields(scanner.Text())
			if len(fields) > 9 && fields[3] == "0A" && slices.Contains(inodes, fields[9]) {
				addresses = append(addresses, fields[1])
			}
		}
		_ = f.Close()
	}
	return addresses
}

func socketInodes(t *testing.T, pid int) []string {
	t.Helper()
	links, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	if err != nil {
		t.Fatal(err)
	}
	var inodes []string
	for _, link := range links {
		target, err := os.Readlink(link)
		if err != nil {
			continue // closed meanwhile
		}
		if inode, ok := strings.CutPrefix(target, "socket:["); ok {
			inodes = append(inodes, strings.TrimSuffix(inode, "]"))
		}
	}
	return inodes
}
