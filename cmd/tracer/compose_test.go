package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
)

var composeEnv = []string{
	"TRACER_TOKEN=page-token", "TRACER_INGEST_TOKEN=ingest-token", "TRACER_KUBECONFIG=/home/me/.kube/config",
}

func loadCompose(t *testing.T, env []string) (*types.Project, error) {
	t.Helper()
	options, err := cli.NewProjectOptions([]string{filepath.Join("..", "..", "compose.yaml")}, cli.WithEnv(env))
	if err != nil {
		t.Fatal(err)
	}
	return options.LoadProject(context.Background())
}

func mustLoadCompose(t *testing.T) *types.Project {
	t.Helper()
	project, err := loadCompose(t, composeEnv)
	if err != nil {
		t.Fatalf("compose.yaml: %v", err)
	}
	if got, want := project.ServiceNames(), []string{"hub", "reconciler"}; !slices.Equal(got, want) {
		t.Fatalf("services %v, want %v", got, want)
	}
	return project
}

func TestComposeServicesAreConfined(t *testing.T) {
	for name, s := range mustLoadCompose(t).Services {
		if user := strings.SplitN(s.User, ":", 2)[0]; user == "" || user == "0" || user == "root" {
			t.Errorf("%s runs as user %q, want one that is not root", name, s.User)
		}
		if !s.ReadOnly {
			t.Errorf("%s has a writable root file system", name)
		}
		if !slices.Equal(s.CapDrop, []string{"ALL"}) || len(s.CapAdd) > 0 || s.Privileged {
			t.Errorf("%s keeps capabilities: drops %v, adds %v, privileged %t", name, s.CapDrop, s.CapAdd, s.Privileged)
		}
		if !slices.Contains(s.SecurityOpt, "no-new-privileges:true") {
			t.Errorf("%s may gain privileges: %v", name, s.SecurityOpt)
		}
		for _, p := range s.Ports {
			if p.HostIP != "127.0.0.1" {
				t.Errorf("%s publishes port %s on %q, want loopback only", name, p.Published, p.HostIP)
			}
		}
		if !slices.ContainsFunc(s.Volumes, readOnlyKubeconfig) {
			t.Errorf("%s has no read-only /kube/config among %v", name, s.Volumes)
		}
	}
}

func readOnlyKubeconfig(v types.ServiceVolumeConfig) bool {
	return v.Target == "/kube/config" && v.Source == "/home/me/.kube/config" && v.ReadOnly
}

// TestComposeCommandsAreOurs parses each command line with the program's own
// flags, so that a flag which is renamed is missed here.
func TestComposeCommandsAreOurs(t *testing.T) {
	for name, s := range mustLoadCompose(t).Services {
		cmd, args, err := newRoot(streams{in: strings.NewReader(""), out: io.Discard, err: io.Discard}).Find(s.Command)
		if err != nil || cmd.Name() != s.Command[0] {
			t.Errorf("%s: command %v: found %q, %v", name, s.Command, cmd.Name(), err)
			continue
		}
		if err := cmd.ParseFlags(args); err != nil {
			t.Errorf("%s: command %v: %v", name, s.Command, err)
		}
		if rest := cmd.Flags().Args(); len(rest) > 0 {
			t.Errorf("%s: command %v: not understood: %v", name, s.Command, rest)
		}
	}
}

func TestComposeTokensComeFromTheEnvironment(t *testing.T) {
	project := mustLoadCompose(t)
	if got := project.Services["hub"].Environment["TRACER_TOKEN"]; got == nil || *got != "page-token" {
		t.Errorf("the hub's TRACER_TOKEN is %v, want what the environment has", got)
	}
	headers := project.Services["reconciler"].Environment["OTEL_EXPORTER_OTLP_HEADERS"]
	if headers == nil || *headers != "Authorization=Bearer ingest-token" {
		t.Errorf("the reconciler's headers are %v, want the ingest token", headers)
	}
	for name, s := range project.Services {
		if line := strings.Join(s.Command, " "); strings.Contains(line, "token") {
			t.Errorf("%s has a token in its command line: %s", name, line)
		}
	}
}

func TestComposeSaysWhichVariableIsMissing(t *testing.T) {
	for i, missing := range composeEnv {
		name, _, _ := strings.Cut(missing, "=")
		env := slices.Delete(slices.Clone(composeEnv), i, i+1)
		if _, err := loadCompose(t, env); err == nil || !strings.Contains(err.Error(), name+" is missing a value: set it to") {
			t.Errorf("without %s: %v, want an error that names it and says what to do", name, err)
		}
	}
}

// TestDockerfileMatchesTheModule checks what a build would only find in Docker.
func TestDockerfileMatchesTheModule(t *testing.T) {
	root := filepath.Join("..", "..")
	docker := read(t, filepath.Join(root, "Dockerfile"))
	module := read(t, filepath.Join(root, "go.mod"))
	image := regexp.MustCompile(`(?m)^FROM golang:(\d+\.\d+) `).FindStringSubmatch(docker)
	version := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(module)
	if image == nil || version == nil || image[1] != version[1] {
		t.Errorf("the image builds with %v, go.mod asks for %v", image, version)
	}
	for _, copied := range regexp.MustCompile(`(?m)^COPY (\w\S* \S+) \S+$`).FindAllStringSubmatch(docker, -1) {
		for _, file := range strings.Fields(copied[1]) {
			if _, err := os.Stat(filepath.Join(root, file)); err != nil {
				t.Errorf("COPY of a file that is not there: %v", err)
			}
		}
	}
	if !regexp.MustCompile(`(?m)^USER [1-9]`).MatchString(docker) {
		t.Error("the image runs as root")
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
