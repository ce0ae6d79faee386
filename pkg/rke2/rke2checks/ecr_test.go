package rke2checks

import (
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
)

func TestCredentialProvider(t *testing.T) {
	p := sound()
	p.Cluster.Spec.Global["kubelet-arg"] = []any{evidence.CredentialProviderConfig + "=/etc/ecr.yaml"}
	if got := CredentialProvider(p.Facts); got != nil {
		t.Errorf("kubelet-arg: %+v", got)
	}
	p.Cluster.Spec.Entries = []config.Entry{{}, {HasConfig: true, Config: map[string]any{evidence.CredentialProviderConfig: "/etc/ecr.yaml"}}}
	if got := CredentialProvider(p.Facts); got == nil || !strings.HasPrefix(got.Unseen, "machineSelectorConfig[1].") || got.Config != "" {
		t.Errorf("in an entry: %+v", got)
	}
	p.Cluster.Spec.Global[evidence.CredentialProviderConfig] = "/etc/ecr.yaml"
	if got := CredentialProvider(p.Facts); got == nil || !strings.HasPrefix(got.Unseen, "machineGlobalConfig.") {
		t.Errorf("at the top: %+v", got)
	}
}
