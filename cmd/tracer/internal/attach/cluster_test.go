package attach

import (
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/yaml"

	"github.com/reconcile-tracer/tracer/cmd/tracer/internal/demotest"
	"github.com/reconcile-tracer/tracer/deploy"
	"github.com/reconcile-tracer/tracer/internal/clustertest"
	"github.com/reconcile-tracer/tracer/reconciler"
	"github.com/reconcile-tracer/tracer/reconciler/api/v1alpha1"
	"github.com/reconcile-tracer/tracer/server/flow"
)

func TestMain(m *testing.M) { os.Exit(clustertest.Main(m)) }

// unprivileged is the user of localcluster who is not of system:masters, as
// kind's is not.
const unprivileged = "localcluster-user"

// account makes a service account that may do nothing yet, and a kubeconfig
// with it as its only user.
func account(t *testing.T, c *clustertest.Cluster) (user, kubeconfig string) {
	t.Helper()
	namespace, client := c.Namespace(t), c.Client(t)
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "robot"}}
	if _, err := client.CoreV1().ServiceAccounts(namespace).Create(t.Context(), account, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	token, err := client.CoreV1().ServiceAccounts(namespace).CreateToken(t.Context(), "robot", &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	from, file := c.Config(), api.NewConfig()
	file.Clusters["c"] = &api.Cluster{Server: from.Host, CertificateAuthorityData: from.CAData}
	file.AuthInfos["robot"] = &api.AuthInfo{Token: token.Status.Token}
	file.Contexts["robot"] = &api.Context{Cluster: "c", AuthInfo: "robot"}
	file.CurrentContext = "robot"
	kubeconfig = filepath.Join(t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(*file, kubeconfig); err != nil {
		t.Fatal(err)
	}
	return "system:serviceaccount:" + namespace + ":robot", kubeconfig
}

// role makes the ClusterRole of deploy/attach-rbac.yaml and returns its name.
func role(t *testing.T, client kubernetes.Interface) string {
	t.Helper()
	role := &rbacv1.ClusterRole{}
	if err := yaml.UnmarshalStrict(deploy.AttachRBAC, role); err != nil {
		t.Fatal(err)
	}
	if _, err := client.RbacV1().ClusterRoles().Create(t.Context(), role, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
		t.Fatal(err)
	}
	return role.Name
}

// admit binds the ClusterRole of deploy/attach-rbac.yaml to a service account,
// as the remedy says.
func admit(t *testing.T, client kubernetes.Interface, user string) {
	t.Helper()
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "attach-"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role(t, client)},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user}},
	}
	if _, err := client.RbacV1().ClusterRoleBindings().Create(t.Context(), binding, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

func load(t *testing.T, kubeconfig, context string) *rest.Config {
	t.Helper()
	rules := &clientcmd.ClientConfigLoadingRules{ExplicitPath: kubeconfig}
	cfg, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{CurrentContext: context}).ClientConfig()
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

func TestAsk(t *testing.T) {
	c := clustertest.Get(t)
	user, kubeconfig := account(t, c)
	cfg := load(t, kubeconfig, "")

	a, err := Ask(t.Context(), cfg, "", Permissions())
	if err != nil || a.User != user || len(a.Missing()) != 10 {
		t.Errorf("an account without rights: %d missing, user %q (%v); want 10, %q", len(a.Missing()), a.User, err, user)
	}
	admit(t, c.Client(t), user)
	clustertest.Eventually(t, "the role is enough for everything that is asked", func(ctx context.Context) bool {
		for _, permissions := range [][]Permission{Permissions(), RemovalPermissions()} {
			a, err := Ask(ctx, cfg, "", permissions)
			if err != nil || len(a.Missing()) != 0 || len(a.Lacks()) != 0 || !a.MayInstall() {
				return false
			}
		}
		return true
	})
	full, err := Ask(t.Context(), load(t, c.Kubeconfig, unprivileged), "", Permissions())
	if err != nil || full.User != unprivileged || len(full.Missing())+len(full.Lacks()) != 0 {
		t.Errorf("%s: %+v (%v), want everything allowed", unprivileged, full, err)
	}
}

// Where the CRD is there, rights in one namespace are enough for that one.
func TestAskInOneNamespace(t *testing.T) {
	c := clustertest.Get(t)
	user, kubeconfig := account(t, c)
	if err := reconciler.InstallCRD(t.Context(), c.Config()); err != nil {
		t.Fatal(err)
	}
	namespace, client := c.Namespace(t), c.Client(t)
	binding := &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "attach"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role(t, client)},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user}},
	}
	if _, err := client.RbacV1().RoleBindings(namespace).Create(t.Context(), binding, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	cfg := load(t, kubeconfig, "")
	clustertest.Eventually(t, "the binding holds", func(ctx context.Context) bool {
		a, err := Ask(ctx, cfg, namespace, Permissions())
		return err == nil && len(a.Missing()) == 0 && len(a.Lacks()) == 3 && !a.MayInstall()
	})
	if a, err := Ask(t.Context(), cfg, "", Permissions()); err != nil || len(a.Missing()) != 7 {
		t.Errorf("in all namespaces %d permissions are missing (%v), want 7", len(a.Missing()), err)
	}
}

// Only what a PodSet owns goes; a label of the same name is not enough. The
// account has no more rights than the role that the remedy names.
func TestRemoval(t *testing.T) {
	c := clustertest.Get(t)
	user, kubeconfig := account(t, c)
	admit(t, c.Client(t), user)
	cfg := load(t, kubeconfig, "")
	clustertest.Eventually(t, "the CRD is installed", func(ctx context.Context) bool {
		return reconciler.InstallCRD(ctx, cfg) == nil
	})
	namespace := c.Namespace(t)
	set := makeSet(t, cfg, namespace)
	owned := makePod(t, c.Client(t), namespace, "owned", *metav1.NewControllerRef(set, v1alpha1.PodSetKind))
	stranger := makePod(t, c.Client(t), namespace, "stranger")

	what, err := Survey(t.Context(), cfg)
	if err != nil || !what.Installed || !slices.Equal(what.PodSets, []string{namespace + "/" + set.Name}) || !slices.Equal(what.Pods, []string{namespace + "/" + owned}) {
		t.Fatalf("the survey finds %+v (%v)", what, err)
	}
	if err := what.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left, err := installed(c.Client(t)); err != nil || left {
		t.Errorf("PodSets are served still: %t (%v)", left, err)
	}
	pods := c.Client(t).CoreV1().Pods(namespace)
	if _, err := pods.Get(t.Context(), owned, metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("the PodSet's Pod is there still (%v)", err)
	}
	if _, err := pods.Get(t.Context(), stranger, metav1.GetOptions{}); err != nil {
		t.Errorf("a Pod that no PodSet owns: %v, want it untouched", err)
	}
	again, err := Survey(t.Context(), cfg)
	if err != nil || again.Installed || again.Run(t.Context()) != nil {
		t.Errorf("a second time: %+v (%v), want nothing to do", again, err)
	}
}

func makeSet(t *testing.T, cfg *rest.Config, namespace string) *v1alpha1.PodSet {
	t.Helper()
	sets, err := v1alpha1.NewClientset(cfg)
	if err != nil {
		t.Fatal(err)
	}
	set := &v1alpha1.PodSet{}
	if err := yaml.UnmarshalStrict(deploy.Sample, set); err != nil {
		t.Fatal(err)
	}
	set.Namespace = namespace
	made, err := sets.PodSets(namespace).Create(t.Context(), set, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func makePod(t *testing.T, client kubernetes.Interface, namespace, name string, owners ...metav1.OwnerReference) string {
	t.Helper()
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{v1alpha1.LabelPodSet: "web"}, OwnerReferences: owners},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "none"}}},
	}
	if _, err := client.CoreV1().Pods(namespace).Create(t.Context(), pod, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestAttach runs the built program as a user does, as one who is not of
// system:masters, and takes everything away again.
func TestAttach(t *testing.T) {
	c, bin := clustertest.Get(t), binaries(t)
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	run, err := demotest.StartAttach(ctx, bin, t.TempDir(), "--kubeconfig", c.Kubeconfig, "--context", unprivileged)
	if err != nil {
		t.Fatal(err)
	}
	defer run.End()
	login, err := run.Ready(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if want := "http://" + run.Address + "/login?token=" + run.Token; login != want {
		t.Errorf("ready: %q, want %q", login, want)
	}
	cfg, namespace := load(t, c.Kubeconfig, unprivileged), c.Namespace(t)
	set := makeSet(t, cfg, namespace)
	clustertest.Eventually(t, "the page has a reconcile that made the Pods", func(ctx context.Context) bool {
		rows, err := demotest.Rows[flow.Reconcile](ctx, run, map[string][]string{"row": {"reconcile"}, "item": {namespace + "/" + set.Name}})
		return err == nil && slices.ContainsFunc(rows, func(r flow.Reconcile) bool { return r.To > 0 && r.WriteCount >= 3 && r.FailedWrites == 0 })
	})
	if err := run.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := run.Wait(ctx); err != nil {
		t.Errorf("after Ctrl-C: %v, want an end with status 0", err)
	}
	testUninstall(t, bin, c, namespace)
}

func binaries(t *testing.T) demotest.Binaries {
	t.Helper()
	bin, err := demotest.Find()
	if err != nil {
		t.Fatal(err)
	}
	return bin
}

// tracer runs the built program and returns what it says and its exit status.
func tracer(t *testing.T, bin demotest.Binaries, args ...string) (out, progress string, status int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), bin.Tracer, args...)
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	_ = cmd.Run() // the status says it
	return stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()
}

func testUninstall(t *testing.T, bin demotest.Binaries, c *clustertest.Cluster, namespace string) {
	t.Helper()
	args := []string{"attach", "--kubeconfig", c.Kubeconfig, "--context", unprivileged, "--uninstall"}
	_, said, status := tracer(t, bin, args...)
	if status != 1 || !strings.Contains(said, "1 PodSet: "+namespace+"/web\n  3 Pods: ") || !strings.Contains(said, "standard input is no terminal") {
		t.Errorf("without a terminal: status %d, said:\n%s", status, said)
	}
	if there, err := installed(c.Client(t)); err != nil || !there {
		t.Fatalf("it was removed without an answer (%v)", err)
	}
	_, said, status = tracer(t, bin, append(args, "--yes")...)
	if status != 0 || !strings.Contains(said, "tracer attach: removed\n") {
		t.Errorf("with --yes: status %d, said:\n%s", status, said)
	}
	if there, err := installed(c.Client(t)); err != nil || there {
		t.Errorf("PodSets are served still (%v)", err)
	}
	if pods, err := c.Client(t).CoreV1().Pods(namespace).List(t.Context(), metav1.ListOptions{}); err != nil || len(pods.Items) != 0 {
		t.Errorf("Pods are left: %v (%v)", pods, err)
	}
}

// TestAttachWithoutRights says what is missing, and changes nothing.
func TestAttachWithoutRights(t *testing.T) {
	c, bin := clustertest.Get(t), binaries(t)
	user, kubeconfig := account(t, c)
	_, said, status := tracer(t, bin, "attach", "--open=false", "--listen", "127.0.0.1:0", "--data", t.TempDir(), "--kubeconfig", kubeconfig)
	subject := strings.TrimPrefix(user, "system:serviceaccount:")
	for _, want := range []string{
		"watch   podsets.demo.reconcile-tracer.io", "all namespaces  the reconciler's informer",
		"kubectl create clusterrolebinding tracer-attach --clusterrole=tracer-attach --serviceaccount=" + subject,
		"tracer attach: forbidden: " + user + " lacks 10 permissions that it needs",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("it does not say %q", want)
		}
	}
	if status != 1 || t.Failed() {
		t.Errorf("status %d, want 1; it said:\n%s", status, said)
	}
	table, _, status := tracer(t, bin, "attach", "--check", "--kubeconfig", c.Kubeconfig, "--context", unprivileged)
	if status != 0 || strings.Count(table, " yes\n") != len(Permissions()) {
		t.Errorf("--check as %s: status %d:\n%s", unprivileged, status, table)
	}
	rules, _, status := tracer(t, bin, "attach", "--print-rbac")
	if status != 0 || rules != string(deploy.AttachRBAC) {
		t.Errorf("--print-rbac: status %d, and not the rules", status)
	}
}
