package controlplane

import (
	"context"
	"fmt"
	"net/url"

	"go.etcd.io/etcd/server/v3/embed"
)

// etcdQuota is the size at which etcd stops taking writes. It is etcd's own
// default, far above what lessons and tests write: the API server compacts the
// history every five minutes.
const etcdQuota = 2 << 30

// etcdConfig is a single member that listens on Unix sockets only: no port to
// clash, and nobody but the owner of the folder reaches it.
func etcdConfig(o Options) *embed.Config {
	client := url.URL{Scheme: "unix", Path: o.EtcdSocket}
	// etcd takes the path of a peer socket from the host of the URL.
	peer := url.URL{Scheme: "unix", Host: o.EtcdSocket + ".peer"}
	// No peer ever dials this name. It does not depend on the folder, which may move.
	self := url.URL{Scheme: "unix", Host: "localcluster"}
	cfg := embed.NewConfig()
	cfg.Name = "localcluster"
	cfg.Dir = o.EtcdData
	cfg.ListenClientUrls, cfg.AdvertiseClientUrls = []url.URL{client}, []url.URL{client}
	cfg.ListenPeerUrls, cfg.AdvertisePeerUrls = []url.URL{peer}, []url.URL{self}
	cfg.InitialCluster = cfg.InitialClusterFromName(cfg.Name)
	cfg.LogLevel = "warn"
	cfg.LogOutputs = []string{"stderr"}
	cfg.QuotaBackendBytes = etcdQuota
	cfg.UnsafeNoFsync = o.NoFsync
	// A member that is alone waits for nobody: the shortest election etcd allows
	// brings it up sooner.
	cfg.TickMs, cfg.ElectionMs = 10, 50
	if o.TracingEndpoint != "" {
		cfg.EnableDistributedTracing = true
		cfg.DistributedTracingAddress = o.TracingEndpoint
		cfg.DistributedTracingServiceName = "etcd"
	}
	return cfg
}

// startEtcd returns once etcd answers requests.
func startEtcd(ctx context.Context, o Options) (*embed.Etcd, error) {
	e, err := embed.StartEtcd(etcdConfig(o))
	if err != nil {
		return nil, fmt.Errorf("starting etcd in %s: %w", o.EtcdData, err)
	}
	select {
	case <-e.Server.ReadyNotify():
		return e, nil
	case err := <-e.Err():
		return nil, fmt.Errorf("running etcd: %w", err)
	case <-ctx.Done():
		e.Close()
		return nil, context.Cause(ctx)
	}
}
