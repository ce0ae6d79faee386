package checks

import (
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

func secondCCM() downstream.Workload {
	return downstream.Workload{Object: downstream.Object{Kind: "Deployment", Namespace: "kube-system", Name: "second"}, Replicas: 1,
		Containers: []downstream.Container{{Name: "ccm", Image: image, Args: []string{"--cloud-provider=aws", "--leader-elect=false"}}}}
}

// No position is healthy with a second cloud controller manager.
func TestSecondManagerIsNeverGreen(t *testing.T) {
	for _, p := range position.All() {
		in := healthy(t, p)
		in.Workloads.Value = append(in.Workloads.Value, secondCCM())
		if got := audit(t, in); got.Err() == nil {
			t.Errorf("at %s nothing fails", p)
		}
	}
}

func TestNodeWithoutPodIsNeverGreen(t *testing.T) {
	for _, p := range position.All()[position.P3:] {
		in := healthy(t, p)
		in.CCMPods.Value[2].Node = nodeName(4)
		if got := audit(t, in); got.Err() == nil {
			t.Errorf("at %s nothing fails", p)
		}
	}
}
