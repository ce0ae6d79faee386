package rke

import (
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
)

func TestCredentialProvider(t *testing.T) {
	const config, folder = evidence.CredentialProviderConfig, evidence.CredentialProviderBin
	for _, c := range []struct {
		name                    string
		kubelet                 clusterfile.Service
		config, missing, unseen bool
	}{
		{"none", clusterfile.Service{}, false, false, false},
		{"both, in a folder of rke", clusterfile.Service{ExtraArgs: map[string]string{config: "/etc/kubernetes/ecr.yaml", folder: "/etc/kubernetes/bin"}}, true, false, false},
		{"both, in extra_args_array with dashes", clusterfile.Service{ExtraArgsArray: map[string][]string{"--" + config: {"/var/lib/rancher/ecr.yaml"}, folder: {"/opt/cni/bin"}}}, true, false, false},
		{"both, bound", clusterfile.Service{ExtraArgs: map[string]string{config: "/ecr/ecr.yaml", folder: "/ecr/bin/"}, ExtraBinds: []string{"/srv/ecr:/ecr/:ro"}}, true, false, false},
		{"both, not bound", clusterfile.Service{ExtraArgs: map[string]string{config: "/srv/ecr.yaml", folder: "/etc/kubernetes/bin"}, ExtraBinds: []string{"/srv/ecr:/ecr"}}, true, false, true},
		{"a folder with a similar name", clusterfile.Service{ExtraArgs: map[string]string{config: "/etc/kubernetes2/ecr.yaml", folder: "/etc/kubernetes/bin"}}, true, false, true},
		{"no folder", clusterfile.Service{ExtraArgs: map[string]string{config: "/etc/kubernetes/ecr.yaml"}}, true, true, false},
		{"no config", clusterfile.Service{ExtraArgs: map[string]string{folder: "/etc/kubernetes/bin"}}, false, true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := credentialProvider(c.kubelet)
			if (got.Config != "") != c.config || (got.Missing != "") != c.missing || (got.Unseen != "") != c.unseen {
				t.Errorf("%+v", got)
			}
		})
	}
}
