package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"k8s.io/client-go/rest"

	"github.com/reconcile-tracer/tracer/localcluster/internal/child"
	"github.com/reconcile-tracer/tracer/localcluster/internal/datadir"
	"github.com/reconcile-tracer/tracer/localcluster/internal/kubeconfig"
	"github.com/reconcile-tracer/tracer/localcluster/internal/pki"
)

const (
	host      = "127.0.0.1"
	adminName = "localcluster-admin"
	userName  = "localcluster-user"
	// mastersGroup may do everything, without any RBAC rule.
	mastersGroup = "system:masters"
)

// cluster is everything that a running cluster needs and consists of.
type cluster struct {
	opts       Options
	out        Output
	dir        *datadir.Dir
	logs       string
	kubeconfig string
	socketDir  string // of etcd's socket when it is not in dir
	listener   *os.File
	server     string
	creds      credentials
	admin      *rest.Config

	controlPlane *child.Process
	controllers  *child.Process // nil when there is none
	stopAgent    context.CancelFunc
	agentEnded   chan error
}

// prepare checks everything that can be checked before something is started, and
// opens the port. The caller must stop the cluster.
func prepare(ctx context.Context, o Options, dir *datadir.Dir) (*cluster, error) {
	c := &cluster{opts: o, dir: dir, stopAgent: func() {}, agentEnded: make(chan error, 1)}
	c.logs = cmp.Or(o.LogDir, dir.Logs())
	var err error
	if c.kubeconfig, err = filepath.Abs(cmp.Or(o.Kubeconfig, dir.Kubeconfig())); err != nil {
		return nil, fmt.Errorf("kubeconfig %s: %w", o.Kubeconfig, err)
	}
	if err := kubeconfig.Check(c.kubeconfig); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(c.logs, 0o700); err != nil {
		return nil, fmt.Errorf("making the log folder: %w: name another one with --log-dir", err)
	}
	if c.creds, err = makeCredentials(dir.PKI()); err != nil {
		return nil, err
	}
	return c, c.listen(ctx)
}

// listen opens the API server's port: the wanted one, else the one of the last
// start, else a free one.
func (c *cluster) listen(ctx context.Context) error {
	l, err := listenOn(ctx, cmp.Or(c.opts.Port, c.dir.Port()))
	if err != nil && c.opts.Port == 0 {
		l, err = listenOn(ctx, 0)
	}
	if err != nil {
		return explainPort(c.opts.Port, err)
	}
	defer func() { _ = l.Close() }() // File made a copy, which goes to the child
	if c.listener, err = l.File(); err != nil {
		return fmt.Errorf("preparing the port for the API server: %w", err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	c.server = "https://" + net.JoinHostPort(host, strconv.Itoa(port))
	c.admin = kubeconfig.Client(c.server, c.creds.authority.CertPEM(), c.creds.admin)
	return c.dir.SetPort(port)
}

func listenOn(ctx context.Context, port int) (*net.TCPListener, error) {
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp4", net.JoinHostPort(host, strconv.Itoa(port)))
	if err != nil {
		return nil, err
	}
	tcp, ok := l.(*net.TCPListener)
	if !ok {
		return nil, errors.Join(fmt.Errorf("unexpected kind of listener %T", l), l.Close())
	}
	return tcp, nil
}

func explainPort(port int, err error) error {
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Errorf("port %d of %s is taken by another program: name another one with --port, or 0 for a free one", port, host)
	case errors.Is(err, syscall.EACCES):
		return fmt.Errorf("port %d may not be opened without more rights: name one above 1023 with --port, or 0 for a free one", port)
	}
	return fmt.Errorf("opening port %d: %w", port, err)
}

// credentials are the keys of a start.
type credentials struct {
	authority                      *pki.Authority
	admin, user, controller, nodes pki.Pair
	serverCert, serverKey          string // files
	serviceAccountKey              string // file
}

func makeCredentials(dir string) (credentials, error) {
	var c credentials
	var err error
	if c.authority, err = pki.Load(dir); err != nil {
		return c, err
	}
	if c.serviceAccountKey, err = pki.ServiceAccountKey(dir); err != nil {
		return c, err
	}
	hosts := []string{"localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local"}
	ips := []net.IP{net.ParseIP(host), net.ParseIP(firstServiceIP)}
	if c.serverCert, c.serverKey, err = c.authority.Server(hosts, ips); err != nil {
		return c, err
	}
	for _, client := range []struct {
		pair  *pki.Pair
		name  string
		group []string
	}{
		{&c.admin, adminName, []string{mastersGroup}},
		{&c.user, userName, nil},
		{&c.controller, "system:kube-controller-manager", nil},
		{&c.nodes, "localcluster-nodes", []string{mastersGroup}},
	} {
		if *client.pair, err = c.authority.Client(client.name, client.group...); err != nil {
			return c, err
		}
	}
	return c, nil
}
