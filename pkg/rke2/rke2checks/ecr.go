package rke2checks

import (
	"fmt"

	"github.com/awsmigrate/awsmigrate/pkg/rke2/rancher"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
)

// CredentialProvider returns what Rancher's configuration shows about credential providers, or nil
// if it names none. Rancher drops keys that its release data do not list for the release
// (rancher/rancher:pkg/capr/planner/filter.go@v2.8.5). Up to RKE2 1.30.5 they do not list RKE2's
// own key (rancher/kontainer-driver-metadata:channels-rke2.yaml@7c2ba528). A key that arrives is
// in the arguments of the Node, which checks read first.
func CredentialProvider(f rancher.Facts) *evidence.CredentialProvider {
	const key = evidence.CredentialProviderConfig
	place := ""
	if _, found := f.Cluster.Spec.Global[key]; found {
		place = "machineGlobalConfig"
	}
	for i, entry := range f.Cluster.Spec.Entries {
		if _, found := entry.Config[key]; found && place == "" {
			place = fmt.Sprintf("machineSelectorConfig[%d]", i)
		}
	}
	if place == "" {
		return nil
	}
	return &evidence.CredentialProvider{Unseen: place + "." + key + " has not reached the machine: Rancher drops the key; write it as kubelet-arg"}
}
