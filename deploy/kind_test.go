package deploy

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/kind/pkg/apis/config/v1alpha4"
	"sigs.k8s.io/kind/pkg/cluster"
	"sigs.k8s.io/yaml"
)

// stopsAtNetwork is a docker that has every image and cannot make a network:
// kind gets as far as its loaded, defaulted and validated configuration leads it
// before the first thing that is real. It notes what it is asked.
const stopsAtNetwork = `#!/bin/sh
echo "$@" >> "$NOTED"
case $1 in
info) echo '{"CgroupVersion":"2","CgroupDriver":"systemd","MemoryLimit":true,"PidsLimit":true,"CPUShares":true}' ;;
network) echo no network here >&2; exit 1 ;;
esac
`

// create has kind itself load and validate a configuration, up to the network.
func create(t *testing.T, config string) (noted string, err error) {
	t.Helper()
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "docker"), []byte(stopsAtNetwork), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", folder)
	t.Setenv("NOTED", filepath.Join(folder, "noted"))
	t.Setenv("KUBECONFIG", filepath.Join(folder, "kubeconfig"))
	err = cluster.NewProvider(cluster.ProviderWithDocker()).Create("", cluster.CreateWithRawConfig([]byte(config)))
	data, _ := os.ReadFile(filepath.Join(folder, "noted")) // kind may not have come to asking
	return string(data), err
}

func kindConfig(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile("kind/cluster.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestKindTakesTheConfiguration(t *testing.T) {
	noted, err := create(t, kindConfig(t))
	if err == nil || !strings.Contains(err.Error(), "failed to ensure docker network") {
		t.Errorf("kind: %v, want it to come as far as the network", err)
	}
	for _, want := range []string{"label=io.x-k8s.kind.cluster=tracer", "inspect --type=image kindest/node:"} {
		if !strings.Contains(noted, want) {
			t.Errorf("kind did not ask docker for %q, but:\n%s", want, noted)
		}
	}
}

// TestKindRefusesMistakes shows that the test above can fail, before docker is
// asked for anything that is made.
func TestKindRefusesMistakes(t *testing.T) {
	good := kindConfig(t)
	for name, c := range map[string]struct{ old, new, problem string }{
		"unknown field":    {"networking:", "networks:", "networks"},
		"other version":    {"v1alpha4", "v1alpha9", "v1alpha9"},
		"unknown role":     {"role: worker", "role: walker", "walker"},
		"no control plane": {"role: control-plane", "role: worker", "must have at least one control-plane node"},
		"bad network":      {"127.0.0.1", "127.0.0.1\n  podSubnet: everywhere", "pod subnet"},
	} {
		t.Run(name, func(t *testing.T) {
			bad := strings.Replace(good, c.old, c.new, 1)
			noted, err := create(t, bad)
			if bad == good || err == nil || !strings.Contains(err.Error(), c.problem) || strings.Contains(noted, "network") {
				t.Errorf("kind: %v, want …%s…", err, c.problem)
			}
		})
	}
}

func TestKindClusterIsWhatTheGuideSays(t *testing.T) {
	config := &v1alpha4.Cluster{}
	if err := yaml.UnmarshalStrict([]byte(kindConfig(t)), config); err != nil {
		t.Fatal(err)
	}
	if config.Name != "tracer" || config.Networking.APIServerAddress != "127.0.0.1" {
		t.Errorf("the cluster is %q on %s, want tracer on this machine only", config.Name, config.Networking.APIServerAddress)
	}
}

// TestKindDemoSaysWhatIsMissing runs the check of `make kind-demo` where
// programs are missing or do not answer.
func TestKindDemoSaysWhatIsMissing(t *testing.T) {
	program, err := exec.LookPath("make")
	if err != nil {
		t.Skip("there is no make here")
	}
	const answers, silent = "#!/bin/sh\nexit 0\n", "#!/bin/sh\nexit 1\n"
	for name, c := range map[string]struct {
		programs map[string]string
		want     string
	}{
		"nothing":               {nil, "kind-demo needs Docker, which is not on PATH"},
		"docker without daemon": {map[string]string{"docker": silent}, "kind-demo needs Docker, which does not answer"},
		"no kind":               {map[string]string{"docker": answers}, "kind-demo needs kind, which is not on PATH"},
		"both":                  {map[string]string{"docker": answers, "kind": answers}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			for name, script := range c.programs {
				if err := os.WriteFile(filepath.Join(folder, name), []byte(script), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			cmd := exec.CommandContext(t.Context(), program, "-C", "..", "kind-ready")
			cmd.Env = []string{"PATH=" + folder}
			said, err := cmd.CombinedOutput()
			if (err == nil) != (c.want == "") || !strings.Contains(string(said), c.want) {
				t.Errorf("make kind-ready: %v, want …%s…; it said:\n%s", err, c.want, said)
			}
		})
	}
}
