package rke

import (
	"errors"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkestate"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// The switch takes awsCloudProvider out of the file; from then on the chart's
// Secret is the only place that has its options. Fake: the API server, which
// neither validates nor authorises here.
func TestCloudConfigOutlivesTheBlock(t *testing.T) {
	const before = "cloud_provider: {name: aws, awsCloudProvider: {global: {vpc: vpc-1, kubernetes-cluster-id: demo}}}\n"
	const after = "cloud_provider: {name: external-aws, useInstanceMetadataHostname: true}\n"
	const text = "[Global]\nVPC = vpc-1\nKubernetesClusterID = demo\n"
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: wellknown.CCM + "-cloud-config"},
		Data: map[string][]byte{"cloud.conf": []byte(text)}}
	for name, tt := range map[string]struct {
		file, want string
		secret     bool
	}{
		"before the switch":                         {before, text, false},
		"before the switch, the file is the source": {"cloud_provider: {name: aws, awsCloudProvider: {global: {vpc: vpc-2}}}\n", "[Global]\nVPC = vpc-2\n", true},
		"after the switch":                          {after, text, true},
		"after the switch, never had one":           {after, "", false},
		"an empty block":                            {"cloud_provider: {name: aws, awsCloudProvider: {}}\n", "", false},
	} {
		kube := fake.NewSimpleClientset()
		if tt.secret {
			kube = fake.NewSimpleClientset(secret.DeepCopy())
		}
		p := &Common{Access: migration.Access{Kube: kube}}
		seen := migration.Snapshot{Config: observed{Facts: rkestate.Facts{Config: configOf(t, tt.file)}}}
		if got, err := p.CloudConfig(t.Context(), seen); err != nil || got != tt.want {
			t.Errorf("%s: %q, %v, wanted %q", name, got, err, tt.want)
		}
	}
}

// A Secret that cannot be read is not taken for none: the chart would lose it.
func TestCloudConfigThatCannotBeRead(t *testing.T) {
	kube := fake.NewSimpleClientset()
	kube.PrependReactor("get", "secrets", func(clienttesting.Action) (bool, apiruntime.Object, error) {
		return true, nil, errors.New("connection refused")
	})
	p := &Common{Access: migration.Access{Kube: kube}}
	seen := migration.Snapshot{Config: observed{Facts: rkestate.Facts{Config: configOf(t, "cloud_provider: {name: external-aws}\n")}}}
	got, err := p.CloudConfig(t.Context(), seen)
	if got != "" || fault.ClassOf(err) != fault.CouldNotLook {
		t.Errorf("got %q, %v", got, err)
	}
}
