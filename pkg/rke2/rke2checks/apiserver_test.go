package rke2checks

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/internal/testing/rancherfixture"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

func TestJudgeAPIServer(t *testing.T) {
	external := []any{"cloud-provider=external"}
	for _, c := range []struct {
		name        string
		now, target string
		at          position.Position
		provider    string
		args        []any
		want        verify.Status
		says        string
	}{
		{"overrides/at 1.26 after the switch", "v1.26.15+rke2r1", "", position.P5, "aws", nil, verify.Warn, "v1.29.11, v1.30.7, v1.31.3"},
		{"overrides/in P4", "v1.26.15+rke2r1", "", position.P4, "aws", nil, verify.Warn, "v1.29.0 to v1.29.10"},
		{"overrides/in P3", "v1.26.15+rke2r1", "", position.P3, "aws", nil, verify.Warn, "v1.29.0 to v1.29.10"},
		{"overrides/in P2", "v1.26.15+rke2r1", "", position.P2, "aws", nil, verify.OK, ""},
		{"overrides/in a refusing release", "v1.30.4+rke2r1", "", position.P5, "aws", nil, verify.Fail, "spec.kubernetesVersion of the Cluster to v1.30.7"},
		{"overrides/leaving a refusing release", "v1.30.4+rke2r1", "v1.30.7+rke2r1", position.P5, "aws", nil, verify.Warn, "v1.30.7"},
		{"overrides/to a refusing release", "v1.28.15+rke2r1", "v1.29.10+rke2r1", position.P5, "aws", nil, verify.Fail, "v1.29.11"},
		{"overrides/to the one after", "v1.28.15+rke2r1", "v1.29.11+rke2r1", position.P5, "aws", nil, verify.Warn, "v1.29.0 to"},
		{"overrides/past them", "v1.31.3+rke2r1", "", position.P5, "aws", nil, verify.OK, ""},
		{"external/to such a release", "v1.28.15+rke2r1", "v1.29.10+rke2r1", position.P5, "external", nil, verify.OK, ""},
		{"external/after the switch", "v1.26.15+rke2r1", "", position.P5, "external", nil, verify.OK, ""},
		{"argument/in such a release", "v1.29.3+rke2r1", "", position.P5, "aws", external, verify.OK, ""},
		{"argument/at 1.32", "v1.32.9+rke2r1", "", position.P5, "aws", external, verify.Warn, "1.33"},
		{"argument/to 1.33", "v1.32.9+rke2r1", "v1.33.2+rke2r1", position.P5, "external", external, verify.Fail, "does not know"},
		{"argument/at 1.33", "v1.33.2+rke2r1", "", position.P5, "external", external, verify.Fail, "take cloud-provider out"},
		{"gates/before 1.29", "v1.28.15+rke2r1", "", position.P5, "external", []any{"feature-gates=AllBeta=false"}, verify.Warn, "before that upgrade"},
		{"gates/two minors before", "v1.27.16+rke2r2", "", position.P5, "external", []any{"feature-gates=AllBeta=false"}, verify.OK, ""},
		{"gates/to 1.29", "v1.28.15+rke2r1", "v1.29.12+rke2r1", position.P5, "external", []any{"feature-gates=AllBeta=false"}, verify.Fail, "AllBeta=false"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := sound()
			p.Cluster.Spec.KubernetesVersion, p.Options.KubernetesVersion, p.Stands = c.now, c.target, c.at
			p.Cluster.Spec.Global = map[string]any{config.KeyProvider: c.provider}
			if c.args != nil {
				p.Cluster.Spec.Global[config.KeyAPIServerArg] = c.args
			}
			res := verify.RunAll(t.Context(), verify.Bind(*p, All()...), verify.Options{Position: c.at, Only: []string{"AWSM-122"}}).Results[0]
			said := ""
			for _, f := range res.Findings {
				said += f.Object + " " + f.Seen + " " + f.Fix + "\n"
			}
			if res.Status != c.want || !strings.Contains(said, c.says) {
				t.Errorf("%s, want %s with %q: %s", res.Status, c.want, c.says, said)
			}
		})
	}
}

// The provider of every control plane after the switch decides.
func TestRefuseTarget(t *testing.T) {
	const target = "v1.29.10+rke2r1"
	p := sound()
	for switchTo, refused := range map[EndState]bool{EndOverrides: true, EndExternal: false, "": true} {
		if err := RefuseTarget(p.Facts, switchTo, p.Down.Nodes, target); (err != nil) != refused {
			t.Errorf("end state %q: %v", switchTo, err)
		}
	}
	p.Machines[1].Labels["pool"] = "b"
	p.Cluster.Spec.Global[config.KeyProvider] = "external"
	p.Cluster.Spec.Entries = []config.Entry{{HasConfig: true, Config: map[string]any{config.KeyProvider: "aws"},
		Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"pool": "b"}}}}
	if err := RefuseTarget(p.Facts, "", p.Down.Nodes, target); err == nil || !strings.Contains(err.Error(), "demo-1") || strings.Contains(err.Error(), "demo-0") {
		t.Errorf("one control plane with aws: %v", err)
	}
}

func TestReleaseNotes(t *testing.T) {
	named := []downstream.Node{rancherfixture.Node("a", `["server","--node-name","a"]`)}
	unnamed := []downstream.Node{rancherfixture.Node("a", `["server"]`)}
	for _, c := range []struct {
		name    string
		version string
		state   EndState
		nodes   []downstream.Node
		want    int
	}{
		{"overrides, names proven", "v1.26.15+rke2r1", EndOverrides, named, 2},
		{"overrides, names not proven", "v1.26.15+rke2r1", EndOverrides, unnamed, 1},
		{"external", "v1.26.15+rke2r1", EndExternal, named, 0},
		{"past the releases", "v1.31.3+rke2r1", EndOverrides, named, 0},
	} {
		p := sound()
		p.Cluster.Spec.KubernetesVersion = c.version
		if got := ReleaseNotes(p.Facts, c.state, c.nodes); len(got) != c.want || c.want == 2 && !strings.Contains(got[1], "--end-state external") {
			t.Errorf("%s: %q", c.name, got)
		}
	}
}
