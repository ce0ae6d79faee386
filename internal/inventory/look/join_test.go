package look

import (
	"errors"
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/inventory"
	"github.com/awsmigrate/awsmigrate/pkg/rke/managed"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rancher"
)

// Both kinds of Clusters form one list without duplicates.
func TestJoin(t *testing.T) {
	named := func(namespace, name, id string, rke bool) rancher.Listed {
		return rancher.Listed{Cluster: rancher.Cluster{Namespace: namespace, Name: name, ManagementID: id, HasRKEConfig: rke, Labels: map[string]string{"env": "test"},
			Spec: config.Spec{Name: name, KubernetesVersion: "v1.26.13+rke2r1", Global: map[string]any{"cloud-provider-name": "aws"}}}}
	}
	denied := errors.New("denied")
	for name, tt := range map[string]struct {
		newer     rancher.Listed
		older     []managed.Cluster
		err       error
		namespace string
		want      []inventory.Distribution
	}{
		"provisioned":                       {named("a", "demo", "c-m-1", true), []managed.Cluster{{ID: "c-m-1", Provisioned: true, Workspace: "a"}}, nil, "", []inventory.Distribution{inventory.RKE2}},
		"provisioned, and no more is known": {named("a", "demo", "c-m-1", true), nil, denied, "", []inventory.Distribution{inventory.RKE2}},
		"made this moment":                  {named("a", "demo", "", true), nil, nil, "", []inventory.Distribution{inventory.RKE2}},
		"the local one, by RKE2":            {named("fleet-local", "local", "local", true), []managed.Cluster{{ID: "local"}}, nil, "", []inventory.Distribution{inventory.Local}},
		"a mirror":                          {named("a", "c-1", "c-1", false), []managed.Cluster{{ID: "c-1", Driver: "AKS", Workspace: "a"}}, nil, "", []inventory.Distribution{"AKS"}},
		"a mirror of what may not be read":  {named("a", "c-1", "c-1", false), nil, denied, "", []inventory.Distribution{inventory.NotKnown}},
		"a mirror of a deleted cluster":     {named("a", "c-1", "c-1", false), nil, nil, "", []inventory.Distribution{inventory.NotKnown}},
		"one without a mirror":              {named("a", "demo", "c-m-1", true), []managed.Cluster{{ID: "c-1", Workspace: "b"}}, nil, "", []inventory.Distribution{inventory.RKE2, inventory.Imported}},
		"of another namespace, no mirror":   {named("a", "demo", "c-m-1", true), []managed.Cluster{{ID: "c-1", Workspace: "b"}}, nil, "a", []inventory.Distribution{inventory.RKE2}},
		"of this namespace, no mirror":      {named("a", "demo", "c-m-1", true), []managed.Cluster{{ID: "c-1", Workspace: "a"}}, nil, "a", []inventory.Distribution{inventory.RKE2, inventory.Imported}},
		"provisioned elsewhere, not listed": {named("a", "demo", "c-m-1", true), []managed.Cluster{{ID: "c-m-2", Provisioned: true, Workspace: "a"}}, nil, "a", []inventory.Distribution{inventory.RKE2}},
		"an unknown driver, or K3s":         {named("a", "c-1", "c-1", false), []managed.Cluster{{ID: "c-1", Driver: "k3s"}}, nil, "", []inventory.Distribution{inventory.Imported}},
	} {
		got := join([]rancher.Listed{tt.newer}, tt.older, tt.err, tt.namespace)
		if len(got) != len(tt.want) {
			t.Errorf("%s: %d clusters, wanted %d", name, len(got), len(tt.want))
			continue
		}
		if got[0].Labels["env"] != "test" {
			t.Errorf("%s: labels %v", name, got[0].Labels)
		}
		for i, one := range got {
			if one.Distribution != tt.want[i] || (len(one.Errs) > 0) != (tt.err != nil && one.Distribution == inventory.NotKnown) {
				t.Errorf("%s: %+v, wanted %s", name, one.Facts, tt.want[i])
			}
		}
	}
}
