package rkestate

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

const stateText = `{"desiredState":{"rkeConfig":{"cloudProvider":{"name":"aws"}}},
"currentState":{"rkeConfig":{"clusterName":"demo","kubernetesVersion":"v1.26.9-rancher1-1",
"cloudProvider":{"name":"external-aws","useInstanceMetadataHostname":true},
"services":{"kubeController":{"extraArgs":{"enable-leader-migration":"true"},"clusterCidr":"10.42.0.0/16"}},
"nodes":[{"address":"1.2.3.4","internalAddress":"10.0.0.1","hostnameOverride":"a","role":["controlplane"]}]},
"certificatesBundle":{"kube-ca":{"keyPEM":"SECRET KEY"}}}}`

func TestParse(t *testing.T) {
	s, err := Parse("test", []byte(stateText))
	if err != nil {
		t.Fatal(err)
	}
	c := s.Current.Config
	if !s.Current.Known || !s.Desired.Known || s.Desired.Config.CloudProvider.Name != "aws" || c.Provider() != "external" ||
		c.Services.KubeController.ExtraArgs["enable-leader-migration"] != "true" || c.Nodes[0].InternalAddress != "10.0.0.1" {
		t.Errorf("got %+v", s)
	}
	if _, there := s.Current.Tree["certificatesBundle"]; there {
		t.Error("keys were kept")
	}
	for _, bad := range []string{"", "{", `{"currentState":{"rkeConfig":7}}`, `{"currentState":{"rkeConfig":{"nodes":"SECRET KEY"}}}`} {
		_, err := Parse("test", []byte(bad))
		if fault.ClassOf(err) != fault.CouldNotLook || strings.Contains(err.Error(), "SECRET") {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if s, err := Parse("test", []byte(`{}`)); err != nil || s.Current.Known {
		t.Errorf("no state at all: %+v, %v", s, err)
	}
}

// Newer binaries delete the ConfigMap when they write the Secret. If both exist, the Secret is
// newer. The server is fake and has no quorum reads.
func TestRead(t *testing.T) {
	meta := metav1.ObjectMeta{Namespace: "kube-system", Name: ObjectName}
	secret := &corev1.Secret{ObjectMeta: meta, Data: map[string][]byte{ObjectName: []byte(stateText)}}
	old := &corev1.ConfigMap{ObjectMeta: meta, Data: map[string]string{ObjectName: `{"currentState":{"rkeConfig":{"clusterName":"old"}}}`}}
	for want, kube := range map[string]*fake.Clientset{
		"demo": fake.NewSimpleClientset(secret, old), "old": fake.NewSimpleClientset(old),
	} {
		s, err := Read(t.Context(), kube)
		if err != nil || s.Current.Config.ClusterName != want {
			t.Errorf("%s: %+v, %v", want, s.Current.Config, err)
		}
	}
	if _, err := Read(t.Context(), fake.NewSimpleClientset()); fault.ClassOf(err) != fault.Usage {
		t.Errorf("no state: %v", err)
	}
}
