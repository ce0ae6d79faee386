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

// The switch removes awsCloudProvider from the file. Afterwards only the chart's Secret holds
// its options. The API server is a fake, which neither validates nor authorizes.
func TestCloudConfig_switched_fromSecret(t *testing.T) {
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
		snap := migration.Snapshot{Config: observed{Facts: rkestate.Facts{Config: configOf(t, tt.file)}}}
		if got, err := p.CloudConfig(t.Context(), snap); err != nil || got != tt.want {
			t.Errorf("%s: %q, %v, wanted %q", name, got, err, tt.want)
		}
	}
}

// An unreadable Secret is an error: otherwise the chart would lose the cloud config.
func TestCloudConfig_unreadableSecret_error(t *testing.T) {
	kube := fake.NewSimpleClientset()
	kube.PrependReactor("get", "secrets", func(clienttesting.Action) (bool, apiruntime.Object, error) {
		return true, nil, errors.New("connection refused")
	})
	p := &Common{Access: migration.Access{Kube: kube}}
	snap := migration.Snapshot{Config: observed{Facts: rkestate.Facts{Config: configOf(t, "cloud_provider: {name: external-aws}\n")}}}
	got, err := p.CloudConfig(t.Context(), snap)
	if got != "" || fault.ClassOf(err) != fault.CouldNotLook {
		t.Errorf("got %q, %v", got, err)
	}
}
