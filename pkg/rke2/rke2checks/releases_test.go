package rke2checks

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// migrated returns a cluster at P5 with the end state overrides, whose Nodes have names of EC2.
func migrated(now, target string) *Prepared {
	p := sound()
	p.Cluster.Spec.KubernetesVersion, p.Options.KubernetesVersion, p.Stands = now, target, position.P5
	p.Cluster.Spec.Global = map[string]any{config.KeyProvider: "aws", config.KeyDisableCCM: true,
		config.KeyKubeletArg: []any{"cloud-provider=external"}, config.KeyManagerArg: []any{"cloud-provider=external"}}
	for i := range p.Down.Nodes {
		n, last := &p.Down.Nodes[i], string(rune('1'+i))
		n.Name = "ip-10-0-0-" + last + ".ec2.internal"
		n.Labels[corev1.LabelHostname] = n.Name
		n.Addresses = []downstream.Address{{Type: "InternalIP", Address: "10.0.0." + last}}
		n.ProviderID = "aws:///us-east-1a/i-0123456789abcdef" + last
	}
	return p
}

// releaseCase is a migrated cluster with one change, and the judgement of one check.
type releaseCase struct {
	name, now, target string
	change            func(*Prepared)
	want              verify.Status
	says              string
}

func (c releaseCase) judge(t *testing.T, id string) {
	t.Helper()
	p := migrated(c.now, c.target)
	if c.change != nil {
		c.change(p)
	}
	res := verify.RunAll(t.Context(), verify.Bind(*p, All()...), verify.Options{Position: p.Stands, Only: []string{id}}).Results[0]
	said := ""
	for _, f := range res.Findings {
		said += f.Object + " " + f.Seen + " " + f.Fix + "\n"
	}
	if res.Status != c.want || !strings.Contains(said, c.says) {
		t.Errorf("%s, want %s with %q: %s", res.Status, c.want, c.says, said)
	}
	refused := RefuseTarget(p.Facts, "", p.Down.Nodes, c.target) != nil
	if want := c.target != "" && c.want == verify.Fail; refused != want {
		t.Errorf("the upgrade is refused: %t, want %t", refused, want)
	}
}

func TestJudgeProfile(t *testing.T) {
	profile := func(value string) func(*Prepared) {
		return func(p *Prepared) { p.Cluster.Spec.Global[config.KeyProfile] = value }
	}
	for _, c := range []releaseCase{
		{"none", "v1.29.15+rke2r1", "v1.30.14+rke2r1", nil, verify.OK, ""},
		{"cis-1.23/to 1.30", "v1.29.15+rke2r1", "v1.30.7+rke2r1", profile("cis-1.23"), verify.Fail, "set profile: cis before the upgrade"},
		{"cis-1.23/within 1.29", "v1.28.15+rke2r1", "v1.29.15+rke2r1", profile("cis-1.23"), verify.Warn, "v1.30.0"},
		{"cis-1.23/ahead", "v1.29.15+rke2r1", "", profile("cis-1.23"), verify.Warn, "set profile: cis before the upgrade"},
		{"cis-1.23/in 1.33", "v1.33.1+rke2r1", "", profile("cis-1.23"), verify.Fail, "set profile: cis"},
		{"cis-1.6/to 1.25", "v1.24.17+rke2r1", "v1.25.16+rke2r1", profile("cis-1.6"), verify.Fail, "in one edit"},
		{"cis/to a release without it", "v1.27.16+rke2r1", "v1.28.1+rke2r1", profile("cis"), verify.Fail, "v1.28.2 or later"},
		{"cis/to 1.36", "v1.35.7+rke2r1", "v1.36.3+rke2r1", profile("cis"), verify.OK, ""},
		{"cis-1.23/on Windows", "v1.29.15+rke2r1", "v1.30.14+rke2r1", func(p *Prepared) {
			p.Cluster.Spec.Global[config.KeyProfile] = "cis-1.23"
			for i := range p.Machines {
				p.Machines[i].Labels["cattle.io/os"] = "windows"
			}
		}, verify.OK, ""},
	} {
		t.Run(c.name, func(t *testing.T) { c.judge(t, "AWSM-123") })
	}
}

func TestJudgeOwnController(t *testing.T) {
	lost := func(p *Prepared) { delete(p.Cluster.Spec.Global, config.KeyDisableCCM) }
	for _, c := range []releaseCase{
		{"disabled/to 1.36", "v1.35.7+rke2r1", "v1.36.0+rke2r1", nil, verify.OK, ""},
		{"lost/at 1.27", "v1.27.16+rke2r1", "", lost, verify.Warn, "1.36"},
		{"lost/to 1.36", "v1.35.7+rke2r1", "v1.36.0+rke2r1", lost, verify.Fail, "disable-cloud-controller"},
		{"lost/in 1.36", "v1.36.1+rke2r1", "", lost, verify.Fail, "demo-0"},
		{"lost/external", "v1.35.7+rke2r1", "v1.36.0+rke2r1", func(p *Prepared) {
			p.Cluster.Spec.Global = map[string]any{config.KeyProvider: "external"}
		}, verify.Fail, "disable-cloud-controller"},
		{"lost/before the switch", "v1.26.15+rke2r1", "", func(p *Prepared) { lost(p); p.Stands = position.P3 }, verify.Skip, ""},
	} {
		t.Run(c.name, func(t *testing.T) { c.judge(t, "AWSM-124") })
	}
}

func TestJudgeMetadataNames(t *testing.T) {
	const before, after = "v1.28.15+rke2r1", "v1.29.11+rke2r1"
	named := func(name string) func(*Prepared) {
		return func(p *Prepared) {
			p.Down.Nodes[3].Name, p.Down.Nodes[3].Labels[corev1.LabelHostname] = name, name
		}
	}
	external := func(p *Prepared) { named("worker-1")(p); p.Cluster.Spec.Global[config.KeyProvider] = "external" }
	for _, c := range []releaseCase{
		{"EC2's names", before, after, nil, verify.OK, ""},
		{"a host name", before, after, named("worker-1"), verify.Fail, "worker-1"},
		{"a host name/to 1.30.7", "v1.29.10+rke2r1", "v1.30.7+rke2r1", named("worker-1"), verify.Fail, "worker-1"},
		{"a host name/to 1.31.3", "v1.30.6+rke2r1", "v1.31.3+rke2r1", named("worker-1"), verify.Fail, "worker-1"},
		{"a host name/to 1.28", "v1.27.16+rke2r1", before, named("worker-1"), verify.Warn, "v1.29.11"},
		{"a host name/ahead", before, "", named("worker-1"), verify.Warn, "v1.29.11, v1.30.7, v1.31.3"},
		{"a host name/kept since", after, "v1.30.14+rke2r1", named("worker-1"), verify.OK, ""},
		{"a host name/external", before, after, external, verify.OK, ""},
		{"another machine's address", before, after, named("ip-10-0-0-9.ec2.internal"), verify.Fail, "ip-10-0-0-9"},
		{"its instance id", before, after, named("i-0123456789abcdef4.ec2.internal"), verify.OK, ""},
		{"another instance id", before, after, named("i-0123456789abcdef1.ec2.internal"), verify.Fail, "i-0123456789abcdef1"},
		{"explicit, in EC2's form", before, after, func(p *Prepared) {
			n := &p.Down.Nodes[3]
			n.Annotations[config.NodeArgsAnnotation] = `["agent","--node-name","` + n.Name + `"]`
		}, verify.Warn, "node-name"},
		{"no address", before, after, func(p *Prepared) { p.Down.Nodes[3].Addresses = nil }, verify.Unknown, ""},
	} {
		t.Run(c.name, func(t *testing.T) { c.judge(t, "AWSM-125") })
	}
}

func everyMachineRuns(p *Prepared, release string) {
	for i := range p.Down.Nodes {
		p.Down.Nodes[i].Kubelet = release
	}
}

func TestJudgeRemoved(t *testing.T) {
	arg := func(key, value string) func(*Prepared) {
		return func(p *Prepared) {
			args, _ := p.Cluster.Spec.Global[key].([]any)
			p.Cluster.Spec.Global[key] = append(args, value)
		}
	}
	for _, c := range []releaseCase{
		{"nothing removed", "v1.27.16+rke2r1", "v1.28.15+rke2r1", arg(config.KeyKubeletArg, "max-pods=250"), verify.OK, ""},
		{"a flag/to 1.27", "v1.26.15+rke2r1", "v1.27.16+rke2r1", arg(config.KeyKubeletArg, "--container_runtime=remote"), verify.Fail, "container-runtime"},
		{"a flag/of another component", "v1.26.15+rke2r1", "v1.27.16+rke2r1", arg(config.KeyManagerArg, "container-runtime=remote"), verify.Fail, "container-runtime"},
		{"a flag/of kube-proxy", "v1.30.14+rke2r1", "v1.31.14+rke2r1", arg("kube-proxy-arg", "proxy-port-range=1-2"), verify.Fail, "proxy-port-range"},
		{"a gate/to 1.27", "v1.26.15+rke2r1", "v1.27.16+rke2r1", arg(config.KeyAPIServerArg, "feature-gates=CSIMigration=true"), verify.Fail, "CSIMigration"},
		{"a gate/next minor", "v1.32.13+rke2r1", "", arg("kube-scheduler-arg", "feature-gates=DisableCloudProviders=true"), verify.Warn, "1.33"},
		{"a gate/not the next minor", "v1.31.14+rke2r1", "", arg("kube-scheduler-arg", "feature-gates=DisableCloudProviders=true"), verify.OK, ""},
		{"a gate/of a later patch release of the next minor", "v1.27.16+rke2r1", "", func(p *Prepared) {
			arg("kube-scheduler-arg", "feature-gates=SeparateCacheWatchRPC=true")(p)
			everyMachineRuns(p, "v1.27.16+rke2r1")
		}, verify.OK, ""},
		{"a gate/in force", "v1.33.13+rke2r1", "", arg("kube-scheduler-arg", "feature-gates=DisableCloudProviders=true"), verify.Fail, "demo-0"},
		{"a gate/every machine runs with it", "v1.33.13+rke2r1", "", func(p *Prepared) {
			arg("kube-scheduler-arg", "feature-gates=DisableCloudProviders=true")(p)
			everyMachineRuns(p, "v1.33.13+rke2r1")
		}, verify.Warn, "1.34"},
	} {
		t.Run(c.name, func(t *testing.T) { c.judge(t, "AWSM-126") })
	}
}
