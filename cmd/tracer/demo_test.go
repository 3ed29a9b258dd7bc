package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestFolderIsLocked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "folder")
	first, err := openFolder(t.Context(), path, false)
	if err != nil {
		t.Fatal(err)
	}
	_, err = openFolder(t.Context(), path, false)
	if err == nil || !strings.Contains(err.Error(), "another run of tracer uses it (process ") || !strings.Contains(err.Error(), "name another folder") {
		t.Errorf("the second time: %v, want who uses it and what to do", err)
	}
	if err := first.close(); err != nil {
		t.Fatal(err)
	}
	again, err := openFolder(t.Context(), path, false)
	if err != nil {
		t.Fatalf("after it was closed: %v", err)
	}
	if err := again.close(); err != nil {
		t.Fatal(err)
	}
}

// A demo that was killed leaves children which hold the lock a little longer.
func TestFolderWaitsForChildrenOfADeadDemo(t *testing.T) {
	path := t.TempDir()
	children, err := openFolder(t.Context(), path, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(path, "demo.lock"), []byte("2147483646\n"), 0o600); err != nil { // no such process
		t.Fatal(err)
	}
	opened := make(chan error, 1)
	go func() {
		f, err := openFolder(context.Background(), path, false)
		if err == nil {
			err = f.close()
		}
		opened <- err
	}()
	select {
	case err := <-opened:
		t.Fatalf("it did not wait: %v", err)
	case <-time.After(200 * time.Millisecond):
	}
	if err := children.close(); err != nil {
		t.Fatal(err)
	}
	if err := <-opened; err != nil {
		t.Errorf("once the children are gone: %v", err)
	}
}

func TestEphemeralFolderIsRemoved(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	f, err := openFolder(t.Context(), "", true)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(f.kubeconfig(), []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := f.close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(f.path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder is still there: %v", err)
	}
}

func TestEphemeralFolderThatCannotBeOpenedIsRemoved(t *testing.T) {
	f := &runFolder{path: filepath.Join(t.TempDir(), "demo"), remove: true}
	if err := os.MkdirAll(filepath.Join(f.path, "demo.lock"), 0o700); err != nil { // no file, so that it cannot be locked
		t.Fatal(err)
	}
	if err := f.open(t.Context()); err == nil {
		t.Fatal("a folder was locked where no lock can be")
	}
	if _, err := os.Stat(f.path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder is still there: %v", err)
	}
}

func TestKubeconfigOfTheRunBeforeIsNotTaken(t *testing.T) {
	f := &runFolder{path: t.TempDir()}
	write := func() {
		tmp := filepath.Join(f.path, "tmp")
		if err := errors.Join(os.WriteFile(tmp, nil, 0o600), os.Rename(tmp, f.kubeconfig())); err != nil {
			t.Fatal(err)
		}
	}
	write()
	watch := f.watchKubeconfig()
	soon, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if err := watch.wait(soon); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("with the old file: %v, want to wait", err)
	}
	write()
	if err := watch.wait(t.Context()); err != nil {
		t.Errorf("with a new file: %v", err)
	}
}

func TestOnceLinkWorksOnce(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	link, used, err := onceLink(ctx, "http://127.0.0.1:1/login?token=secret")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(link, "secret") {
		t.Errorf("the link %s has the token", link)
	}
	if used() {
		t.Error("the link is used before anybody has followed it")
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	defer client.CloseIdleConnections()
	res, err := client.Get(link)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if got := res.Header.Get("Location"); got != "http://127.0.0.1:1/login?token=secret" {
		t.Errorf("it leads to %q", got)
	}
	if !used() {
		t.Error("the link is not used after it was followed")
	}
	if res, err := client.Get(link); err == nil {
		res.Body.Close()
		if res.StatusCode != http.StatusNotFound {
			t.Errorf("the second time it answers %s", res.Status)
		}
	}
}

// TestTokensGoToWhomTheyAreFor: who sends spans must not be able to present, and
// nobody is steered by what the user's shell has set.
func TestTokensGoToWhomTheyAreFor(t *testing.T) {
	for _, name := range []string{"TRACER_TOKEN", "OTEL_EXPORTER_OTLP_HEADERS", "OTEL_SERVICE_NAME", "KUBECONFIG"} {
		t.Setenv(name, "from-the-shell")
	}
	d := &demoRun{crew: crew{folder: &runFolder{path: "/data"}, address: "127.0.0.1:7780", token: "page-token", ingest: "ingest-token", control: "control-word"}}
	for _, c := range []struct {
		name   string
		env    []string
		tokens []string
	}{
		{"localcluster", d.clusterChild().Env, []string{"ingest-token"}},
		{"hub", d.hubChild().Env, []string{"page-token", "ingest-token", "control-word"}},
		{"reconciler", d.reconcilerChild().Env, []string{"ingest-token", "control-word"}},
	} {
		all := strings.Join(c.env, "\n")
		if strings.Contains(all, "from-the-shell") {
			t.Errorf("%s gets settings of the shell", c.name)
		}
		for _, token := range []string{"page-token", "ingest-token", "control-word"} {
			if got, want := strings.Contains(all, token), slices.Contains(c.tokens, token); got != want {
				t.Errorf("%s has %s: %t, want %t", c.name, token, got, want)
			}
		}
	}
}

func TestDemoPassesTheMistakeOn(t *testing.T) {
	d := &demoRun{crew: crew{folder: &runFolder{path: "/data"}}}
	if args := d.reconcilerChild().Args; slices.Contains(args, "--bug") {
		t.Errorf("without a mistake the reconciler gets %v", args)
	}
	d.bug = "hot-loop"
	args := d.reconcilerChild().Args
	if i := slices.Index(args, "--bug"); i < 0 || args[i+1] != "hot-loop" {
		t.Errorf("with hot-loop the reconciler gets %v", args)
	}
}

func TestDemoPassesSitesOn(t *testing.T) {
	d := &demoRun{crew: crew{folder: &runFolder{path: "/data"}, embed: []string{"https://a.example", "https://b.example"}}}
	args := d.hubChild().Args
	for _, want := range []string{"--embed-ancestor=https://a.example", "--embed-ancestor=https://b.example"} {
		if !slices.Contains(args, want) {
			t.Errorf("the hub gets %v, want %s in it", args, want)
		}
	}
}

func TestOnlyLoopbackIsListenedOn(t *testing.T) {
	for address, ok := range map[string]bool{
		"127.0.0.1:0": true, "localhost:7780": true, "[::1]:0": true,
		"0.0.0.0:0": false, ":7780": false, "[::]:0": false, "192.168.1.2:0": false, "example.test:0": false,
	} {
		if err := checkLoopback("demo", address); (err == nil) != ok {
			t.Errorf("%s: %v, want accepted %t", address, err, ok)
		}
	}
}

// TestPageIsOpenedWithoutTheToken puts a browser in the way that notes its
// arguments, which every user of the machine could see.
func TestPageIsOpenedWithoutTheToken(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the browser is opened another way here")
	}
	folder := t.TempDir()
	noted := filepath.Join(folder, "noted")
	script := "#!/bin/sh\nprintf %s \"$1\" > " + noted + ".tmp && /bin/mv " + noted + ".tmp " + noted + "\n"
	if err := os.WriteFile(filepath.Join(folder, "xdg-open"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", folder)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	d := &crew{io: streams{err: os.Stderr}}
	d.openPage(ctx, "http://127.0.0.1:1/login?token=secret")
	var link []byte
	if err := poll(ctx, 10*time.Millisecond, func(context.Context) bool {
		var err error
		link, err = os.ReadFile(noted)
		return err == nil
	}); err != nil {
		t.Fatalf("the browser was not opened: %v", err)
	}
	if !strings.HasPrefix(string(link), "http://127.0.0.1:") || strings.Contains(string(link), "secret") {
		t.Errorf("the browser was given %q, want a link on this machine without the token", link)
	}
}

// TestBrowserThatFailsIsSaid: xdg-open is there, and finds no browser.
func TestBrowserThatFailsIsSaid(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the browser is opened another way here")
	}
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "xdg-open"), []byte("#!/bin/sh\nexit 3\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", folder)
	out, in := io.Pipe()
	d := &crew{command: "demo", io: streams{err: in}}
	d.openPage(t.Context(), "http://127.0.0.1:1/login?token=secret")
	said, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || !strings.HasPrefix(said, "tracer demo: the browser was not opened: xdg-open: exit status 3 (open the link that follows ready: yourself") {
		t.Errorf("it said %q (%v)", said, err)
	}
}

func TestPageThatCannotBeOpenedIsSaid(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	var said strings.Builder
	d := &crew{command: "demo", io: streams{err: &said}}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	d.openPage(ctx, "http://127.0.0.1:1/login?token=secret")
	if got := said.String(); !strings.Contains(got, "the browser was not opened") || strings.Contains(got, "secret") {
		t.Errorf("it said %q, want that the browser was not opened, without the token", got)
	}
}

// TestIngestTokenIsMadeOnce: the control plane is told it before the hub is
// there, and controllers that know it find the hub again after a restart.
func TestIngestTokenIsMadeOnce(t *testing.T) {
	folder := &runFolder{path: t.TempDir()}
	settle := func(given string) string {
		t.Helper()
		d := &crew{folder: folder, ingest: given}
		if err := d.settleTokens(); err != nil {
			t.Fatal(err)
		}
		return d.ingest
	}
	made := settle("")
	if len(made) < 20 || settle("") != made {
		t.Errorf("the token is %q and then %q, want one that is kept", made, settle(""))
	}
	if got := settle("given-token"); got != "given-token" {
		t.Errorf("the token that was given became %q", got)
	}
	info, err := os.Stat(folder.ingestToken())
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the token's file: %v, %v; want mode 0600", info, err)
	}
}

// TestControlTokenIsMadeOnce: the reconciler needs it, and the hub finds it in
// its folder.
func TestControlTokenIsMadeOnce(t *testing.T) {
	folder := &runFolder{path: t.TempDir()}
	first, second := &crew{folder: folder}, &crew{folder: folder}
	if err := errors.Join(first.settleTokens(), second.settleTokens()); err != nil {
		t.Fatal(err)
	}
	kept, err := os.ReadFile(folder.controlToken())
	if err != nil || first.control == "" || second.control != first.control || strings.TrimSpace(string(kept)) != first.control || first.control == first.ingest {
		t.Errorf("the token is %q, then %q, and %q, %v is kept", first.control, second.control, kept, err)
	}
}

// TestPageTokenIsTaken: where none is given the hub makes it, and who asks the
// hub for rows needs it.
func TestPageTokenIsTaken(t *testing.T) {
	folder := &runFolder{path: t.TempDir()}
	if err := os.MkdirAll(folder.hub(), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(folder.pageToken(), []byte("a-token-that-was-made\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for given, want := range map[string]string{"": "a-token-that-was-made", "given-token": "given-token"} {
		c := &crew{folder: folder, token: given}
		if err := c.takePageToken(); err != nil || c.token != want {
			t.Errorf("given %q: %q (%v), want %q", given, c.token, err, want)
		}
	}
}

// TestPageKeepsItsAddress: it is that of the last start, chosen by hand or not, and
// another one is said.
func TestPageKeepsItsAddress(t *testing.T) {
	folder := &runFolder{path: t.TempDir()}
	var said strings.Builder
	settle := func(wanted string) string {
		t.Helper()
		address, err := folder.settleAddress(t.Context(), wanted, streams{err: &said}.sayer("demo"))
		if err != nil {
			t.Fatal(err)
		}
		return address
	}
	settle("")
	chosen := settle(anyPort)
	if got := settle(""); got != chosen || said.Len() > 0 {
		t.Errorf("the next start is at %s and says %q, want %s and nothing", got, said.String(), chosen)
	}
	l, err := net.Listen("tcp", chosen)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	moved := settle("")
	if want := "tracer demo: the page is at " + moved + ": its address of the last start, " + chosen + ", is in use\n"; moved == chosen || said.String() != want {
		t.Errorf("it said %q, want %q", said.String(), want)
	}
}

// TestViewersLinkThatMovesIsSaid: it may be on a slide.
func TestViewersLinkThatMovesIsSaid(t *testing.T) {
	folder := &runFolder{path: t.TempDir()}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	if err := os.WriteFile(folder.lastShare(), []byte(l.Addr().String()), 0o600); err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	for range 2 {
		o := shareOptions{address: shareAuto}
		if err := o.settle(t.Context(), folder, streams{err: &said}.sayer("demo")); err != nil {
			t.Fatal(err)
		}
		want := "tracer demo: viewers are served at " + o.address + ": " + l.Addr().String() + " is in use; a link that was given out before does not lead there\n"
		if said.String() != want {
			t.Errorf("it said %q, want %q, once", said.String(), want)
		}
	}
}
