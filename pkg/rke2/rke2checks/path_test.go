package rke2checks

import (
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/upgradepath"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// pathOf returns the path of a prepared cluster, as lines.
func pathOf(t *testing.T, p *Prepared, switched bool, to string) string {
	t.Helper()
	prepared := Prepare(p.Facts, p.Reading, p.Prepared, p.Options, switched)
	path, err := upgradepath.Compute(upgradepath.Cluster{Name: "demo", Distribution: wellknown.RKE2, Version: p.Cluster.Spec.KubernetesVersion,
		InTree: !switched, Checks: verify.Bind(prepared, All()...), Expected: verify.ReleaseIDs(All()...), Class: ReleaseClass, Manager: RancherFor,
		Image: func(string) (string, string) { return "", "" }}, to)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, step := range path.Steps {
		lines = append(lines, step.Minor+" "+step.Release+" Rancher "+step.Manager)
		for _, r := range step.Avoid {
			lines = append(lines, "  avoid "+r.First+" to "+r.Last+" "+r.Check)
		}
		for _, f := range step.Findings {
			lines = append(lines, "  "+string(f.Status)+" "+f.Check+" "+f.Object)
		}
	}
	return strings.Join(lines, "\n")
}

func TestAll_path_stops(t *testing.T) {
	overrides := func(now string) *Prepared {
		p := migrated(now, "")
		p.Rancher = verify.Got("dev")
		return p
	}
	for name, tt := range map[string]struct {
		cluster  func() *Prepared
		switched bool
		to       string
		want     []string
		not      []string
	}{
		"overrides": {func() *Prepared { return overrides("v1.28.15+rke2r1") }, true, "v1.33",
			[]string{"1.29 v1.29.15+rke2r1 Rancher v2.9.0 to v2.10\n  avoid v1.29.0 to v1.29.10 AWSM-122", "avoid v1.30.0 to v1.30.6 AWSM-122", "avoid v1.31.0 to v1.31.2 AWSM-122", "1.33 v1.33.13+rke2r2"},
			[]string{"fail AWSM-122"}},
		"Rancher's argument": {func() *Prepared {
			p := overrides("v1.32.13+rke2r2")
			p.Cluster.Spec.Global[config.KeyAPIServerArg] = []any{"cloud-provider=external"}
			return p
		}, true, "v1.33", []string{"  fail AWSM-122 machineGlobalConfig"}, nil},
		"a profile": {func() *Prepared {
			p := overrides("v1.29.15+rke2r1")
			p.Cluster.Spec.Global[config.KeyProfile] = "cis-1.23"
			return p
		}, true, "v1.31", []string{"1.30 ", "  fail AWSM-123"}, nil},
		"a profile of some releases": {func() *Prepared {
			p := overrides("v1.29.15+rke2r1")
			p.Cluster.Spec.Global[config.KeyProfile] = "etcd"
			return p
		}, true, "v1.30", []string{"avoid v1.30.0 to v1.30.13 AWSM-123"}, []string{"fail AWSM-123"}},
		"a flag": {func() *Prepared {
			p := overrides("v1.26.15+rke2r1")
			p.Cluster.Spec.Global[config.KeyKubeletArg] = []any{"container-runtime=remote"}
			return p
		}, true, "v1.28", []string{"1.27 v1.27.16+rke2r2 Rancher v2.7.11 to v2.9\n  avoid v1.27.1 to v1.27.4 AWSM-120\n  fail AWSM-126"}, []string{"1.28 v1.28.15+rke2r1 Rancher v2.8.3 to v2.10\n  fail"}},
		"in-tree, edits pending": {func() *Prepared { return sound() }, false, "v1.36", []string{"  fail AWSM-101 demo", "avoid v1.29.0 to v1.29.10 AWSM-122", "1.35 v1.35.7+rke2r1 Rancher \n"},
			[]string{"fail AWSM-124"}}, // the switch disables RKE2's own controller
		"an old Rancher": {func() *Prepared {
			p := overrides("v1.29.15+rke2r1")
			p.Rancher = verify.Got("v2.8.5")
			return p
		}, true, "v1.30", []string{"  warn AWSM-102 Rancher v2.8.5"}, nil},
		"frozen arguments": {func() *Prepared {
			p := sound()
			p.Cluster.Spec.KubernetesVersion = "v1.25.16+rke2r2"
			return p
		}, false, "v1.26", []string{"avoid v1.26.0 to v1.26.7 AWSM-120"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			got := pathOf(t, tt.cluster(), tt.switched, tt.to)
			for _, want := range tt.want {
				if !strings.Contains(got, want) {
					t.Errorf("wanted %q in:\n%s", want, got)
				}
			}
			for _, not := range tt.not {
				if strings.Contains(got, not) {
					t.Errorf("unwanted %q in:\n%s", not, got)
				}
			}
		})
	}
}
