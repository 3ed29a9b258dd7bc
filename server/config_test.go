package server

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestBadConfigurationsSayWhatToDo(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = taken.Close() }()
	file := filepath.Join(t.TempDir(), "file")
	writeFile(t, file, "not a folder")
	running := start(t)
	for name, c := range map[string]struct {
		change func(*Config)
		says   []string
	}{
		"no folder":        {func(c *Config) { c.Data = "" }, []string{"--data", "name a folder"}},
		"folder is a file": {func(c *Config) { c.Data = file }, []string{"--data", file, "choose a folder"}},
		"folder in use":    {func(c *Config) { c.Data = running.cfg.Data }, []string{"--data", "in use", fmt.Sprint(os.Getpid())}},
		"port taken": {func(c *Config) { c.Listen = taken.Addr().String() },
			[]string{"--listen", taken.Addr().String(), "taken", "another port"}},
		"gRPC port taken":            {func(c *Config) { c.OTLPGRPC = taken.Addr().String() }, []string{"--otlp-grpc", "taken"}},
		"no port":                    {func(c *Config) { c.Listen = "localhost" }, []string{"--listen", "host:port"}},
		"open to all":                {func(c *Config) { c.Listen = "0.0.0.0:0" }, []string{"--listen", "127.0.0.1", "--tls-cert", "--insecure-behind-proxy"}},
		"open to all, no host":       {func(c *Config) { c.Listen = ":0" }, []string{"--listen", "--insecure-behind-proxy"}},
		"gRPC open to all":           {func(c *Config) { c.OTLPGRPC = "0.0.0.0:0" }, []string{"--otlp-grpc", "--insecure-behind-proxy"}},
		"other's address":            {func(c *Config) { c.Listen = "192.0.2.1:80"; c.InsecureBehindProxy = true }, []string{"--listen", "192.0.2.1"}},
		"certificate alone":          {func(c *Config) { c.TLSCert = file }, []string{"--tls-cert", "--tls-key", "both or none"}},
		"no certificate":             {func(c *Config) { c.TLSCert, c.TLSKey = file, file }, []string{"--tls-cert", "PEM"}},
		"viewers' certificate alone": {func(c *Config) { c.Share, c.ShareTLSKey = ":0", file }, []string{"--share-tls-cert", "--share-tls-key", "both or none"}},
		"certificate for nobody":     {func(c *Config) { c.ShareTLSCert, c.ShareTLSKey = file, file }, []string{"--share-tls-cert", "give --share too"}},
		"no viewers' certificate": {func(c *Config) { c.Share, c.ShareTLSCert, c.ShareTLSKey = "127.0.0.1:0", file, file },
			[]string{"--share-tls-cert and --share-tls-key cannot be used", "PEM"}},
		"one token":          {func(c *Config) { c.Token, c.IngestToken = "the-same-for-both", "the-same-for-both" }, []string{"--token", "--ingest-token", "give two"}},
		"token with a space": {func(c *Config) { c.Token = "a b" }, []string{"--token", "without spaces"}},
		"long token":         {func(c *Config) { c.IngestToken = strings.Repeat("x", 257) }, []string{"--ingest-token", "256"}},
		"short token": {func(c *Config) { c.Token = "fifteen-letters" },
			[]string{"--token, or TRACER_TOKEN,", "shorter than 16 characters", "openssl rand -hex 16"}},
		"short viewers' token": {func(c *Config) { c.ViewerToken = "a" }, []string{"--viewer-token", "16 characters"}},
		"tiny journal":         {func(c *Config) { c.JournalBytes = 5 }, []string{"at least 1 MiB"}},
		"host with a path":     {func(c *Config) { c.AllowedHosts = []string{"http://foo/bar baz"} }, []string{"--allow-host", "without a scheme"}},
		"host of blanks":       {func(c *Config) { c.AllowedHosts = []string{" "} }, []string{"--allow-host"}},
		"no host":              {func(c *Config) { c.AllowedHosts = []string{":80"} }, []string{"--allow-host"}},
		"bad port":             {func(c *Config) { c.AllowedHosts = []string{"a:b"} }, []string{"--allow-host"}},
		"viewers below none":   {func(c *Config) { c.ShareViewers = -1 }, []string{"--share-viewers is -1", "0 for 200"}},
		"connections below none": {func(c *Config) { c.ShareConnections = -2 },
			[]string{"the limit of a viewers' address is -2", "0 for 100"}},
		"controllers' as another": {func(c *Config) { c.Token, c.ControlToken = "the-same-for-both", "the-same-for-both" }, []string{"--control-token", "give three"}},
		"token that is kept": {func(c *Config) {
			c.Token = "one-that-is-kept"
			writeFile(t, filepath.Join(c.Data, viewerFile), "one-that-is-kept\n")
		},
			[]string{"--viewer-token", "--data"}},
		"kept one that is given": {func(c *Config) {
			c.ControlToken = "one-that-is-kept"
			writeFile(t, filepath.Join(c.Data, ingestFile), "one-that-is-kept\n")
		},
			[]string{"--control-token", "--data"}},
		"negative age": {func(c *Config) { c.JournalAge = -time.Second }, []string{"age", "-1s"}},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := Config{Listen: "127.0.0.1:0", Data: t.TempDir()}
			c.change(&cfg)
			_, err := New(t.Context(), cfg)
			if err == nil {
				t.Fatal("it was taken")
			}
			// What the machine is like, another start may find changed.
			usage := !slices.Contains([]string{"folder is a file", "folder in use", "port taken", "gRPC port taken",
				"other's address", "no certificate", "no viewers' certificate"}, name)
			if _, got := errors.AsType[*ConfigError](err); got != usage {
				t.Errorf("that the setting itself is wrong is said to be %v, want %v: %v", got, usage, err)
			}
			for _, want := range c.says {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("the error %q does not say %q", err, want)
				}
			}
		})
	}
}

func TestFolderThatCannotBeWritten(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may write anywhere")
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	if _, err := New(t.Context(), Config{Listen: "127.0.0.1:0", Data: dir}); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("error is %v, want one about permission", err)
	}
}

func TestTokensOutliveARestart(t *testing.T) {
	dir := t.TempDir()
	forget := func(c *Config) { c.Data, c.Token, c.IngestToken = dir, "", "" }
	h := start(t, forget)
	token, ingest, cookie := h.token.value, h.ingest.value, h.token.cookie()
	h.stop()
	h = start(t, forget)
	if h.token.value != token || h.ingest.value != ingest || h.token.cookie() != cookie {
		t.Error("the tokens changed: links and cookies would not work any more")
	}
	if token == ingest || len(token) < 20 {
		t.Errorf("the tokens are %q and %q, want two long ones", token, ingest)
	}
	for _, name := range []string{"token", "ingest-token"} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v (%v), want 0600", name, info.Mode().Perm(), err)
		}
	}
}

// A token is shown by its file only where that holds it, by a name that is right
// in any folder.
func TestKeptTokensAreInTheirFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	h := start(t, func(c *Config) { c.Data, c.IngestToken, c.ControlToken = "hub", "one-that-is-chosen", "" })
	kept := h.Kept()
	if kept.Ingest != "" || !filepath.IsAbs(kept.Control) {
		t.Errorf("the files are %+v, want that of the control token alone, absolute", kept)
	}
	if text, err := os.ReadFile(kept.Control); err != nil || strings.TrimSpace(string(text)) != h.ControlToken() {
		t.Errorf("it holds another token: %v", err)
	}
	if again := KeptIn("hub", "one-that-is-chosen", h.ControlToken()); again != kept {
		t.Errorf("from without the files are %+v", again)
	}
}
