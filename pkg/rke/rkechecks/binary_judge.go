package rkechecks

import (
	"fmt"

	"github.com/awsmigrate/awsmigrate/pkg/rke/rkecli"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
)

func judgeBinaryAge(p Prepared) []verify.Finding {
	return verify.FindingOf(rkecli.SupportsExternalAWS(p.Binary.Value.Version))
}

func judgeBinaryKnows(p Prepared) []verify.Finding {
	var found []verify.Finding
	for _, version := range []string{p.State.Current.Config.KubernetesVersion, p.Options.KubernetesVersion} {
		if version != "" && p.Binary.Value.Images[version] == nil {
			found = append(found, verify.Failure("rke binary "+p.Binary.Value.Path, fmt.Sprintf("%s does not know Kubernetes %s", p.Binary.Value.Version, version),
				"a binary that does", "see `rke config --system-images --version "+version+"`"))
		}
	}
	return found
}
