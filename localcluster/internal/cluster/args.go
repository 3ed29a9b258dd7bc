package cluster

import (
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"

	"github.com/reconcile-tracer/tracer/localcluster/internal/controllers"
	"github.com/reconcile-tracer/tracer/localcluster/internal/controlplane"
)

const (
	serviceRange   = "10.96.0.0/16"
	firstServiceIP = "10.96.0.1"
	issuer         = "https://kubernetes.default.svc.cluster.local"
	// maxSocketPath is what the shortest system (macOS, 104 bytes with the final
	// zero) allows, without etcd's second socket's suffix.
	maxSocketPath = 98
)

// MaxNodes is the number of nodes for which there are addresses.
const MaxNodes = 100

func (c *cluster) controlPlaneArgs() ([]string, error) {
	socket, err := c.etcdSocket()
	if err != nil {
		return nil, err
	}
	o := controlplane.Options{
		EtcdData:        c.dir.Etcd(),
		EtcdSocket:      socket,
		NoFsync:         c.dir.Temporary(), // nothing is to survive anyhow
		TracingEndpoint: c.opts.TracingEndpoint,
	}
	if c.dir.Temporary() {
		o.Remove = append(o.Remove, c.dir.Path())
	}
	if c.socketDir != "" {
		o.Remove = append(o.Remove, c.socketDir)
	}
	args, err := c.apiServerArgs(socket)
	if err != nil {
		return nil, err
	}
	return controlplane.Args(o, args), nil
}

// etcdSocket is in the data folder, or, when that path is too long for a socket,
// in a temporary folder of its own.
func (c *cluster) etcdSocket() (string, error) {
	if path := c.dir.File("etcd.sock"); len(path) <= maxSocketPath {
		return path, nil
	}
	dir, err := os.MkdirTemp("", "localcluster-")
	if err != nil {
		return "", fmt.Errorf("making a folder for etcd's socket (set TMPDIR to a short, writable folder): %w", err)
	}
	c.socketDir = dir
	return filepath.Join(dir, "etcd.sock"), nil
}

func (c *cluster) apiServerArgs(socket string) ([]string, error) {
	server, err := url.Parse(c.server)
	if err != nil {
		return nil, err
	}
	_, port, err := net.SplitHostPort(server.Host)
	if err != nil {
		return nil, err
	}
	args := []string{
		"--etcd-servers=unix://" + socket,
		"--bind-address=" + host,
		"--advertise-address=" + host,
		"--secure-port=" + port,
		"--endpoint-reconciler-type=none", // an endpoint on loopback is not valid
		"--authorization-mode=RBAC",
		"--client-ca-file=" + c.creds.authority.CertFile(),
		"--tls-cert-file=" + c.creds.serverCert,
		"--tls-private-key-file=" + c.creds.serverKey,
		"--service-account-issuer=" + issuer,
		"--service-account-key-file=" + c.creds.serviceAccountKey,
		"--service-account-signing-key-file=" + c.creds.serviceAccountKey,
		"--service-cluster-ip-range=" + serviceRange,
		"--allow-privileged=true",
		// Nobody balances load here, so nobody needs time to notice; but watches are
		// ended properly instead of being cut off.
		"--shutdown-delay-duration=0s",
		"--shutdown-watch-termination-grace-period=500ms",
		"--v=1",
	}
	if c.opts.TracingEndpoint != "" {
		file, err := c.writeTracingConfig()
		if err != nil {
			return nil, err
		}
		args = append(args, "--tracing-config-file="+file)
	}
	return append(args, c.opts.APIServerArgs...), nil
}

// writeTracingConfig samples nothing by itself unless told to: only requests of a
// traced privileged client are recorded, and so the rest of the cluster does not
// flood the receiver. Of everybody else the API server takes no trace context.
func (c *cluster) writeTracingConfig() (string, error) {
	path := c.dir.File("tracing.yaml")
	text := fmt.Sprintf("apiVersion: apiserver.config.k8s.io/v1beta1\nkind: TracingConfiguration\nendpoint: %q\nsamplingRatePerMillion: %d\n",
		c.opts.TracingEndpoint, c.opts.TracingSampling)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		return "", fmt.Errorf("writing the tracing configuration: %w", err)
	}
	return path, nil
}

func (c *cluster) controllerArgs(kubeconfig string) []string {
	args := []string{
		controllers.Command,
		"--kubeconfig=" + kubeconfig,
		"--controllers=" + c.opts.Controllers,
		"--leader-elect=false",
		"--secure-port=0",
		// Each controller acts under its own name and with its own rights only.
		"--use-service-account-credentials=true",
		"--service-account-private-key-file=" + c.creds.serviceAccountKey,
		"--root-ca-file=" + c.creds.authority.CertFile(),
		"--kube-api-qps=200",
		"--kube-api-burst=400",
		"--v=1",
	}
	return append(args, c.opts.ControllerManagerArgs...)
}
