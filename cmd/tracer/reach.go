package main

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
)

// reachTimeout is how long an API server may take to answer at the start.
const reachTimeout = 10 * time.Second

// reach asks the API server for its version, so that a cluster which is not
// there is said at once and not in a log of retries.
func (t target) reach() error { return t.reachWithin(reachTimeout) }

func (t target) reachWithin(timeout time.Duration) error {
	short := rest.CopyConfig(t.Config)
	short.Timeout = timeout
	client, err := discovery.NewDiscoveryClientForConfig(short)
	if err != nil {
		return fmt.Errorf("%s: %w (mend it, or choose another with --kubeconfig and --context)", t.name, err)
	}
	if _, err = client.ServerVersion(); err == nil {
		return nil
	}
	what, remedy := diagnose(err)
	return fmt.Errorf("%s: the API server %s %s: %w (%s)", t.name, t.Host, what, err, remedy)
}

// noCredentials is how client-go begins an error of a credential plugin. It has
// no type.
const noCredentials = "getting credentials: "

// diagnose says what is wrong with the API server, and what to do.
func diagnose(err error) (what, remedy string) {
	var (
		untrusted *tls.CertificateVerificationError
		failed    *url.Error
		answer    apierrors.APIStatus
	)
	switch {
	case apierrors.IsUnauthorized(err), apierrors.IsForbidden(err):
		return "does not accept its credentials", "get a new kubeconfig"
	case errors.As(err, &untrusted):
		return "has a certificate that this kubeconfig does not trust", "give its CA in certificate-authority-data, or get a new kubeconfig"
	case strings.Contains(err.Error(), noCredentials):
		return "was not asked, for lack of credentials", "install or mend the program that the kubeconfig names under exec, or get a new kubeconfig"
	case errors.Is(err, http.ErrSchemeMismatch):
		return "does not speak TLS", "correct the server's URL in the kubeconfig: is it http, or another port?"
	case errors.As(err, &answer) && answer.Status().Code >= http.StatusInternalServerError, apierrors.IsTooManyRequests(err):
		return "answers with an error", "wait until it is ready, or see its log"
	case errors.As(err, &failed):
		return "does not answer", "start the cluster, or choose another with --kubeconfig and --context"
	}
	return "answers, but not as an API server", "correct the server's URL in the kubeconfig"
}
