package scenario

import (
	"context"
	_ "embed"
	"encoding/json"
	"strings"
)

//go:embed manifests/upstream-ccm.yaml
var upstreamCCM string

//go:embed manifests/second-ccm.yaml
var secondCCM string

// SecondCCM runs a cloud controller manager in a Deployment, without leader election.
func (l *Lab) SecondCCM(ctx context.Context, image string) error {
	manifest := strings.NewReplacer("IMAGE", image, "KUBECONFIG", l.Kubeconfig("downstream")).Replace(secondCCM)
	_, err := l.Kubectl(ctx, manifest, "apply", "-f", "-")
	return err
}

// UpstreamCCM installs a cloud controller manager as a user does who follows upstream's chart by
// hand.
func (l *Lab) UpstreamCCM(ctx context.Context, image string, args ...string) error {
	list, err := json.Marshal(append([]string{"--v=2", "--cloud-provider=aws", "--configure-cloud-routes=false"}, args...))
	if err != nil {
		return err
	}
	manifest := strings.NewReplacer("IMAGE", image, "ARGUMENTS", string(list)).Replace(upstreamCCM)
	_, err = l.Kubectl(ctx, manifest, "apply", "-f", "-")
	return err
}
