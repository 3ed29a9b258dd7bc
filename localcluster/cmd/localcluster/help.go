package main

const help = `localcluster runs a real Kubernetes control plane on this machine, for learning
and for tests. It needs no container runtime and downloads nothing.

Commands:
  up        start a cluster in the foreground (localcluster up --help)
  version   print the version of Kubernetes in this binary
  help      print this text
`

const upHelp = `Start a Kubernetes cluster in the foreground and keep it until Ctrl-C.

It is a real control plane: etcd, kube-apiserver and kube-controller-manager,
as released. Only the machines are pretended: fake nodes take Pods and make them
Running and Ready after a moment, and end them when they are deleted, but no
container runs, so logs, exec and port-forward have nothing to show. Pods of a
Job succeed after two seconds.

It is for learning and for tests, not for production: one etcd member, fake
nodes. It listens on 127.0.0.1 only; keys and certificates are made for it and
are readable by you only.

Once kubectl works, it prints one line on standard output:

  ready: <path of the kubeconfig>

The kubeconfig has two contexts: localcluster-admin (group system:masters, which
no rule can limit; the current one) and localcluster-user (the same rights, but
given through RBAC).

Usage:
  localcluster up [flags]

Examples:
  # A cluster that is forgotten at the end
  localcluster up

  # One that is still there tomorrow, with its kubeconfig where you want it
  localcluster up --data ~/my-cluster --kubeconfig ~/my-cluster.yaml
  kubectl --kubeconfig ~/my-cluster.yaml get nodes

  # Only the API server: watch what does not happen without controllers
  localcluster up --controllers none --nodes 0

  # Spans of the API server and of etcd to an OTLP receiver
  localcluster up --tracing-endpoint 127.0.0.1:4317

  # … of all requests, not only of traced ones by members of system:masters
  localcluster up --tracing-endpoint 127.0.0.1:4317 --tracing-sampling 1000000

Flags:
`

const upHelpEnd = `
Environment:
  OTEL_EXPORTER_OTLP_HEADERS  headers for --tracing-endpoint, for example
                              authorization=Bearer%20token
  TMPDIR                      where a cluster without --data lives meanwhile

Exit status: 0 after Ctrl-C or SIGTERM, 1 when it could not start or a part of
it failed, 2 for a mistake on the command line.
`
