package v1alpha1

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/gentype"
	"k8s.io/client-go/rest"
)

// Client reads and writes the PodSets of one namespace.
type Client = gentype.ClientWithList[*PodSet, *PodSetList]

// Clientset makes clients for PodSets. It is safe for concurrent use.
//
// +kubebuilder:object:generate=false
type Clientset struct {
	rest *rest.RESTClient
}

// NewClientset makes a Clientset from a copy of cfg, which it does not change.
// It makes no request; an error says what is wrong with cfg.
func NewClientset(cfg *rest.Config) (*Clientset, error) {
	scheme := runtime.NewScheme()
	if err := AddToScheme(scheme); err != nil {
		return nil, fmt.Errorf("registering PodSets: %w", err)
	}
	own := rest.CopyConfig(cfg)
	own.GroupVersion = &SchemeGroupVersion
	own.APIPath = "/apis"
	own.ContentType = runtime.ContentTypeJSON
	own.AcceptContentTypes = runtime.ContentTypeJSON
	own.NegotiatedSerializer = serializer.NewCodecFactory(scheme).WithoutConversion()
	client, err := rest.RESTClientFor(own)
	if err != nil {
		return nil, fmt.Errorf("making a client for PodSets: %w", err)
	}
	return &Clientset{rest: client}, nil
}

// PodSets returns the client for the PodSets of namespace, or of all
// namespaces (to list and watch only) when it is "".
func (c *Clientset) PodSets(namespace string) *Client {
	return gentype.NewClientWithList(Resource, rest.Interface(c.rest), metav1.ParameterCodec, namespace,
		func() *PodSet { return &PodSet{} },
		func() *PodSetList { return &PodSetList{} })
}
