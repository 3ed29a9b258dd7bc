package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
)

// cluster says how to reach a cluster. The zero value means: the files that
// KUBECONFIG names, else ~/.kube/config, else the cluster that this process
// runs in; and there the current context.
type cluster struct {
	kubeconfig string
	context    string
}

// target is a cluster that was found: how to reach it, how messages call it, and
// how the page does, which has less room.
type target struct {
	*rest.Config
	name, short string
	// inCluster says that no kubeconfig leads there.
	inCluster bool
}

// config finds the cluster. Its errors name the file, what it has and what to do.
func (c cluster) config() (target, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = c.kubeconfig
	where := or(c.kubeconfig, strings.Join(rules.Precedence, string(os.PathListSeparator)))
	raw, err := c.load(rules, where)
	if err != nil {
		return target{}, err
	}
	if c.kubeconfig == "" && len(raw.Contexts) == 0 && len(raw.Clusters) == 0 {
		return c.inCluster(where)
	}
	if err := c.checkContext(raw, where); err != nil {
		return target{}, err
	}
	chosen := or(c.context, raw.CurrentContext)
	if err := checkParts(raw, chosen, where); err != nil {
		return target{}, err
	}
	cfg, err := clientcmd.NewNonInteractiveClientConfig(*raw, c.context, nil, rules).ClientConfig()
	if err != nil {
		return target{}, fmt.Errorf("kubeconfig %s: %w (mend that context, or choose another with --context: %s)", where, err, contexts(raw))
	}
	return target{Config: cfg, name: fmt.Sprintf("kubeconfig %s, context %s", where, chosen), short: chosen}, nil
}

func (c cluster) load(rules *clientcmd.ClientConfigLoadingRules, where string) (*api.Config, error) {
	raw, err := rules.Load()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("--kubeconfig %q: there is no such file (name the kubeconfig of your cluster; 'tracer demo' makes a cluster of its own)", c.kubeconfig)
	case err != nil && forbidden(rules) != "":
		return nil, fmt.Errorf("kubeconfig %s: it may not be read by this user (chmod it, or name another with --kubeconfig)", forbidden(rules))
	case err != nil:
		return nil, fmt.Errorf("kubeconfig %s: not a kubeconfig: %w (name another with --kubeconfig)", where, err)
	}
	return raw, nil
}

// forbidden returns the first file that this user may not read, or "". The
// loader's error does not tell.
func forbidden(rules *clientcmd.ClientConfigLoadingRules) string {
	files := rules.Precedence
	if rules.ExplicitPath != "" {
		files = []string{rules.ExplicitPath}
	}
	for _, file := range files {
		f, err := os.Open(file)
		if errors.Is(err, fs.ErrPermission) {
			return file
		}
		if err == nil {
			_ = f.Close()
		}
	}
	return ""
}

// checkParts makes sure that the file has what the context names.
func checkParts(raw *api.Config, name, where string) error {
	chosen := raw.Contexts[name]
	remedy := fmt.Sprintf("(mend that context, or choose another with --context: %s)", contexts(raw))
	if raw.Clusters[chosen.Cluster] == nil {
		return fmt.Errorf("kubeconfig %s: context %q names cluster %q, which is not in the file %s", where, name, chosen.Cluster, remedy)
	}
	if chosen.AuthInfo != "" && raw.AuthInfos[chosen.AuthInfo] == nil {
		return fmt.Errorf("kubeconfig %s: context %q names user %q, which is not in the file %s", where, name, chosen.AuthInfo, remedy)
	}
	return nil
}

func (c cluster) inCluster(where string) (target, error) {
	cfg, err := rest.InClusterConfig()
	if err != nil {
		return target{}, fmt.Errorf("no cluster: neither %s has one, nor does this run in one (name a kubeconfig with --kubeconfig; 'tracer demo' makes a cluster of its own)", where)
	}
	if c.context != "" {
		return target{}, fmt.Errorf("--context %q: there is no kubeconfig, and the cluster that this runs in has no contexts (leave --context out)", c.context)
	}
	return target{Config: cfg, name: "the cluster that this runs in", short: "in-cluster", inCluster: true}, nil
}

func (c cluster) checkContext(raw *api.Config, where string) error {
	if len(raw.Contexts) == 0 {
		return fmt.Errorf("kubeconfig %s: it has no contexts (name another with --kubeconfig)", where)
	}
	if c.context == "" && raw.CurrentContext == "" {
		return fmt.Errorf("kubeconfig %s: it has no current context (choose one with --context: %s)", where, contexts(raw))
	}
	if c.context == "" && raw.Contexts[raw.CurrentContext] == nil {
		return fmt.Errorf("kubeconfig %s: it does not have its own current context %q (choose one with --context: %s)", where, raw.CurrentContext, contexts(raw))
	}
	if c.context != "" && raw.Contexts[c.context] == nil {
		return fmt.Errorf("--context %q: kubeconfig %s has no such context (choose one of: %s)", c.context, where, contexts(raw))
	}
	return nil
}

func contexts(raw *api.Config) string {
	var names []string
	for name := range raw.Contexts {
		names = append(names, name)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

func or(value, otherwise string) string {
	if value == "" {
		return otherwise
	}
	return value
}
