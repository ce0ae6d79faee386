package rke2checks

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/internal/testing/rancherfixture"
	"github.com/awsmigrate/awsmigrate/pkg/awsccm/ccmchart"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rancher"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// sound returns a cluster before its migration, with three control planes with etcd and one
// worker, in which every check passes.
func sound() *Prepared {
	p := &Prepared{Facts: rancherfixture.Resting()}
	p.Rancher = verify.Got("v2.8.5")
	p.Cluster.Spec.Global = map[string]any{config.KeyProvider: "aws"}
	p.Cluster.Spec.Pools = []config.Pool{{Name: "cp", Quantity: 3, ControlPlane: true, Etcd: true}, {Name: "w", Quantity: 1, Worker: true}}
	p.Next = NextMachines{Cluster: "c-m-1", VPCs: []string{"vpc-1"}, Templates: verify.Got([]evidence.MachineTemplate{
		{Pool: "cp", Object: "Amazonec2Config fleet-default/nc-cp", ControlPlane: true, Tokens: "optional", Profile: true, VPC: "vpc-1", Clusters: []string{"c-m-1"}},
		{Pool: "w", Object: "Amazonec2Config fleet-default/nc-w", Tokens: "optional", VPC: "vpc-1", Clusters: []string{"c-m-1"}}})}
	p.Choice = EndStateChoice{EndOverrides, "no node has an explicit node-name"}
	for i := range 4 {
		m := rancher.Machine{Machine: config.Machine{Name: fmt.Sprintf("demo-%d", i), UID: fmt.Sprintf("uid-%d", i), Labels: map[string]string{config.LabelWorker: "true"}}, NodeName: fmt.Sprintf("node-%d", i)}
		kind := "agent"
		if i < 3 {
			m.Labels, kind = map[string]string{config.LabelControlPlane: "true", config.LabelEtcd: "true"}, "server"
			p.KCMs = append(p.KCMs, migration.KCM{Member: m.Name, Kind: "Machine", Known: true, Args: component.Parse([]string{"--cloud-provider=aws"})})
		}
		p.Machines = append(p.Machines, m)
		n := rancherfixture.Node(m.NodeName, fmt.Sprintf(`[%q,"--cloud-provider-name","aws"]`, kind))
		n.Labels[rancher.MachineLabel], n.Labels[corev1.LabelTopologyZone] = m.UID, "us-east-1"+string("abc"[i%3])
		p.Down.Nodes = append(p.Down.Nodes, n)
	}
	return p
}

type trap struct {
	id, name string
	breaks   func(*Prepared)
	want     verify.Status
	seen     string // text in a finding of that status
}

func refusal(state string) error {
	return &fault.Error{Class: fault.Check, Object: "Cluster fleet-default/demo", Seen: state}
}

// kcmArg returns a function that adds an argument to every control plane.
func kcmArg(arg string) func(*Prepared) {
	return func(p *Prepared) { p.Cluster.Spec.Global["kube-controller-manager-arg"] = []any{arg} }
}

// keptBy sets the field managers of the Cluster and derives its owners.
func (p *Prepared) keptBy(managers ...string) {
	p.Cluster.Managers = managers
	p.Owners = p.Cluster.Owners()
}

// template returns a function that changes the template of a pool.
func template(pool int, change func(*evidence.MachineTemplate)) func(*Prepared) {
	return func(p *Prepared) { change(&p.Next.Templates.Value[pool]) }
}

func checkTraps() []trap {
	fail, warn, unknown := verify.Fail, verify.Warn, verify.Unknown
	return []trap{
		{"AWSM-101", "too old", func(p *Prepared) { p.Cluster.Spec.KubernetesVersion = "v1.21.14+rke2r1" }, fail, "v1.21.14"},
		{"AWSM-101", "no provider left", func(p *Prepared) { p.Cluster.Spec.KubernetesVersion = "v1.27.16+rke2r1" }, fail, "v1.27.16"},
		{"AWSM-101", "no version", func(p *Prepared) { p.Cluster.Spec.KubernetesVersion = "latest" }, fail, "latest"},
		{"AWSM-102", "Rancher is too new", func(p *Prepared) { p.Rancher = verify.Got("v2.9.3") }, warn, "Rancher v2.9.3 does not support v1.26.13+rke2r1"},
		{"AWSM-102", "Rancher 3", func(p *Prepared) { p.Rancher = verify.Got("v3.0.0") }, warn, "Rancher v3.0.0 does not support"},
		{"AWSM-102", "Rancher is too old", func(p *Prepared) { p.Rancher = verify.Got("v2.7.4") }, warn, "Rancher v2.7.4 does not support"},
		{"AWSM-102", "built from a branch", func(p *Prepared) { p.Rancher = verify.Got("head") }, warn, "is no released version"},
		{"AWSM-102", "Rancher says so", func(p *Prepared) {
			p.ControlPlane.Conditions["Ready"] = rancher.Condition{Status: "False", Message: "KDM Release Data is empty for v1.26.13+rke2r1"}
		}, fail, "Release Data"},
		{"AWSM-102", "an older Rancher says so", func(p *Prepared) {
			p.ControlPlane.Conditions["Ready"] = rancher.Condition{Status: "Unknown", Message: "fleet-default/demo: releaseData nil for version v1.26.13+rke2r1"}
		}, fail, "releaseData"},
		{"AWSM-102", "not visible", func(p *Prepared) { p.Rancher = verify.Failed[string](errors.New("forbidden")) }, warn, "could not be read"},
		{"AWSM-103", "a machine without", func(p *Prepared) { p.Cluster.Spec.Global = map[string]any{} }, fail, "cloud-provider-name"},
		{"AWSM-103", "a process that runs another", func(p *Prepared) { p.KCMs[1].Args = component.Parse([]string{"--cloud-provider=vsphere"}) }, fail, "vsphere"},
		{"AWSM-103", "Windows", func(p *Prepared) { p.Machines[3].Labels["cattle.io/os"] = "windows" }, fail, "Windows"},
		{"AWSM-104", "two configs", func(p *Prepared) {
			p.Cluster.Spec.Entries = []config.Entry{{HasConfig: true, Config: map[string]any{config.KeyCloudConfig: "secret://a:b"},
				Selector: &metav1.LabelSelector{MatchLabels: map[string]string{config.LabelControlPlane: "true"}}}}
		}, fail, "cloud-provider-config"},
		{"AWSM-105", "rolling", func(p *Prepared) { p.RestErr = refusal("not applied everywhere") }, fail, "not applied"},
		{"AWSM-105", "could not look", func(p *Prepared) {
			p.RestErr = &fault.Error{Class: fault.CouldNotLook, Object: "Cluster fleet-default/demo", Seen: "forbidden"}
		}, unknown, "forbidden"},
		{"AWSM-106", "Fleet", func(p *Prepared) {
			p.Cluster.Labels = map[string]string{"objectset.rio.cattle.io/hash": "x"}
			p.keptBy()
		}, warn, "Fleet (label objectset.rio.cattle.io/hash)"},
		{"AWSM-106", "Terraform", func(p *Prepared) { p.keptBy("terraform-provider-rancher2") }, warn, "Terraform (field manager terraform-provider-rancher2)"},
		{"AWSM-106", "after the install, in an audit", func(p *Prepared) { p.keptBy("fleetagent"); p.Stands = position.P3 }, warn, "the CCM: two managers"},
		{"AWSM-106", "a run that writes", func(p *Prepared) { p.keptBy("fleetagent"); p.Writes = true }, fail, "Fleet"},
		{"AWSM-106", "another was informed", func(p *Prepared) {
			p.keptBy("fleetagent", "terraform")
			p.Writes, p.Options.OwnersInformed = true, []string{"terraform"}
		}, fail, "Fleet"},
		{"AWSM-106", "informed", func(p *Prepared) {
			p.keptBy("argocd-controller")
			p.Writes, p.Options.OwnersInformed = true, []string{"Argo CD"}
		}, warn, "Argo CD"},
		{"AWSM-107", "servers", func(p *Prepared) { p.Cluster.Spec.Pools[0].UnhealthyNodeTimeout = "5m" }, fail, "5m"},
		{"AWSM-107", "servers, unreadable", func(p *Prepared) { p.Cluster.Spec.Pools[0].UnhealthyNodeTimeout = "soon" }, fail, "soon"},
		{"AWSM-107", "workers", func(p *Prepared) { p.Cluster.Spec.Pools[1].UnhealthyNodeTimeout = "5m" }, warn, "5m"},
		{"AWSM-107", "an autoscaler", func(p *Prepared) { p.Cluster.Spec.Pools[1].Autoscaled = true }, warn, "autoscalingMinSize"},
		{"AWSM-108", "all at once", func(p *Prepared) { p.Cluster.Spec.Upgrade.ControlPlaneConcurrency = "0" }, fail, "together"},
		{"AWSM-108", "a share", func(p *Prepared) { p.Cluster.Spec.Upgrade.ControlPlaneConcurrency = "50%" }, warn, "50%"},
		{"AWSM-109", "drains", func(p *Prepared) { p.Cluster.Spec.Upgrade.WorkerDrain.Enabled = true }, warn, "drain"},
		{"AWSM-110", "two members", func(p *Prepared) { p.Machines = p.Machines[1:] }, warn, "2 etcd members"},
		{"AWSM-110", "one control plane", func(p *Prepared) { p.Machines = p.Machines[2:] }, warn, "1 control plane"},
		{"AWSM-110", "four members", func(p *Prepared) { p.Machines[3].Labels[config.LabelEtcd] = "true" }, warn, "4 etcd members"},
		{"AWSM-111", "a file of its own", func(p *Prepared) {
			p.Down.Nodes[3].Annotations[config.NodeArgsAnnotation] = `["agent","--cloud-provider-name","external"]`
		}, fail, "cloud-provider-name"},
		{"AWSM-111", "unreadable", func(p *Prepared) { p.Down.Nodes[3].Annotations[config.NodeArgsAnnotation] = "{" }, unknown, ""},
		{"AWSM-112", "one zone", func(p *Prepared) {
			for i := range p.Down.Nodes {
				p.Down.Nodes[i].Labels[corev1.LabelTopologyZone] = "us-east-1a"
			}
		}, warn, "us-east-1a ×3"},
		{"AWSM-113", "not proven", func(p *Prepared) { p.ChoiceErr = refusal("label differs") }, fail, "label differs"},
		{"AWSM-114", "election off", kcmArg("leader-elect=false"), fail, ""},
		{"AWSM-114", "a gate that is locked", kcmArg("feature-gates=ControllerManagerLeaderMigration=false"), fail, ""},
		{"AWSM-115", "indented wrongly", func(p *Prepared) {
			p.Cluster.Spec.Entries = []config.Entry{{Strays: []string{"kube-controller-manager-arg"}}}
		}, warn, "kube-controller-manager-arg"},
		{"AWSM-116", "no place", func(p *Prepared) { p.EditErr = refusal("no place fits") }, fail, "no place"},
		{"AWSM-117", "owned elsewhere", func(p *Prepared) { p.ChartErr = refusal("release in default") }, fail, "default"},
		{"AWSM-118", "blocks", func(p *Prepared) { p.Concerns = []ccmchart.Concern{{Key: "args", Seen: "x", Blocking: true}} }, fail, "x"},
		{"AWSM-120", "on its way", func(p *Prepared) { p.Cluster.Spec.KubernetesVersion = "v1.25.3+rke2r1" }, fail, "v1.25.3+rke2r1"},
		{"AWSM-120", "the target", func(p *Prepared) { p.Options.KubernetesVersion = "v1.27.4+rke2r1" }, fail, "--kubernetes-version"},
		{"AWSM-121", "put back as it was", func(p *Prepared) { p.Down.CCM = &downstream.DaemonSet{} }, fail, "demo-0"},
		{"AWSM-121", "one control plane", func(p *Prepared) {
			p.Down.CCMPods = []downstream.Pod{{Name: "ccm"}}
			p.Cluster.Spec.Global[config.KeyManagerArg] = []any{config.FlagLeaderMigration}
			p.Cluster.Spec.Entries = []config.Entry{{HasConfig: true, Config: map[string]any{config.KeyManagerArg: []any{"v=4"}}, Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"pool": "b"}}}}
			p.Machines[1].Labels["pool"] = "b"
		}, fail, "demo-1"},
		{"AWSM-316", "tokens required", template(1, func(t *evidence.MachineTemplate) { t.Tokens = "required" }), warn, "its machine's name in Rancher"},
		{"AWSM-316", "one host name for all", template(1, func(t *evidence.MachineTemplate) { t.Endpoint, t.Host.Fixed = "disabled", "worker" }), warn, "every machine of the pool"},
		{"AWSM-316", "external without a host name", func(p *Prepared) { p.Choice.State = EndExternal }, warn, "its machine's name in Rancher"},
		{"AWSM-316", "external with a script", func(p *Prepared) {
			p.Choice.State = EndExternal
			template(1, func(t *evidence.MachineTemplate) { t.Host.Unknown = true })(p)
		}, warn, "may set"},
		{"AWSM-316", "another cluster's tag", template(1, func(t *evidence.MachineTemplate) { t.Clusters = []string{"prod"} }), warn, "does not find it"},
		{"AWSM-316", "pools of two clusters", func(p *Prepared) {
			p.Next.Cluster = ""
			template(1, func(t *evidence.MachineTemplate) { t.Clusters = []string{"prod"} })(p)
		}, warn, "different clusters: c-m-1, prod"},
		{"AWSM-316", "a control plane with tags of two clusters", template(0, func(t *evidence.MachineTemplate) { t.Clusters = []string{"c-m-1", "b"} }), warn, "2 clusters"},
		{"AWSM-316", "the same, with the ID in the cloud config", func(p *Prepared) {
			p.Next.Configured = true
			template(0, func(t *evidence.MachineTemplate) { t.Clusters = []string{"c-m-1", "b"} })(p)
		}, verify.OK, "tagged for cluster c-m-1, b"},
		{"AWSM-316", "tags of two other clusters", template(1, func(t *evidence.MachineTemplate) { t.Clusters = []string{"a", "b"} }), warn, "does not find it"},
		{"AWSM-316", "tags of two clusters, the CCM's unknown", func(p *Prepared) {
			p.Next.Cluster = ""
			template(1, func(t *evidence.MachineTemplate) { t.Clusters = []string{"a", "b"} })(p)
		}, warn, "2 clusters"},
		{"AWSM-316", "no cluster's tag", template(1, func(t *evidence.MachineTemplate) { t.Clusters = nil }), warn, "no cluster"},
		{"AWSM-316", "tags that EC2 refuses", template(1, func(t *evidence.MachineTemplate) { t.RefusedTags = "the key team occurs twice" }), warn, "creates no machine with these tags"},
		{"AWSM-316", "no instance profile", template(0, func(t *evidence.MachineTemplate) { t.Profile = false }), warn, "credentials"},
		{"AWSM-316", "no metadata service", template(0, func(t *evidence.MachineTemplate) { t.Endpoint = "disabled" }), warn, "metadata service is disabled"},
		{"AWSM-316", "another VPC", template(1, func(t *evidence.MachineTemplate) { t.VPC = "vpc-2" }), warn, "in vpc-2"},
		{"AWSM-316", "user data that is refused", template(1, func(t *evidence.MachineTemplate) { t.Host.Refused = true }), warn, "creates no machine"},
		{"AWSM-316", "no object", template(1, func(t *evidence.MachineTemplate) {
			*t = evidence.MachineTemplate{Pool: "w", Object: "x", Unread: "does not exist"}
		}), warn, "applies no edit of the Cluster"},
		{"AWSM-316", "not read", func(p *Prepared) {
			p.Next.Templates = verify.Failed[[]evidence.MachineTemplate](errors.New("forbidden"))
		}, verify.Skip, "forbidden"},
		{"AWSM-122", "the release that Rancher rolls out", func(p *Prepared) { p.Cluster.Spec.KubernetesVersion = "v1.29.3+rke2r1" }, fail, "v1.29.3+rke2r1"},
		{"AWSM-122", "ahead, after the switch", func(p *Prepared) { p.Stands = position.P5 }, warn, "v1.29.0 to v1.29.10"},
		{"AWSM-123", "the release that Rancher rolls out", func(p *Prepared) {
			p.Cluster.Spec.Global[config.KeyProfile] = "cis-1.23"
			p.Cluster.Spec.KubernetesVersion = "v1.24.17+rke2r1"
		}, fail, "cis-1.23"},
		{"AWSM-123", "the target", func(p *Prepared) {
			p.Cluster.Spec.Global[config.KeyProfile] = "cis"
			p.Options.KubernetesVersion = "v1.27.6+rke2r1"
		}, fail, "v1.27.6"},
		{"AWSM-123", "ahead, after the switch", func(p *Prepared) {
			p.Cluster.Spec.Global[config.KeyProfile] = "cis-1.23"
			p.Stands = position.P5
		}, warn, "v1.30.0"},
		{"AWSM-124", "left out by one entry", func(p *Prepared) {
			p.Stands = position.P5
			p.Cluster.Spec.Entries = []config.Entry{{HasConfig: true, Config: map[string]any{config.KeyDisableCCM: false},
				Selector: &metav1.LabelSelector{MatchLabels: map[string]string{config.LabelEtcd: "true"}}}}
		}, warn, "demo-2"},
		{"AWSM-125", "a name of the operating system", func(p *Prepared) { p.Stands, p.Down.Nodes[3].Name = position.P5, "worker-1" }, warn, "worker-1"},
		{"AWSM-127", "all workers at once", func(p *Prepared) {
			p.Machines = append(p.Machines, p.Machines[3])
			p.Cluster.Spec.Upgrade.WorkerConcurrency = "0"
		}, warn, "all 2 workers"},
		{"AWSM-126", "the target", func(p *Prepared) {
			p.Cluster.Spec.Global[config.KeyManagerArg] = []any{"pod-eviction-timeout=30s"}
			p.Options.KubernetesVersion = "v1.27.16+rke2r1"
		}, fail, "pod-eviction-timeout"},
		{"AWSM-126", "the next minor, after the switch", func(p *Prepared) {
			p.Cluster.Spec.Global[config.KeyKubeletArg] = "feature-gates=EphemeralContainers=true"
			p.Stands = position.P5
		}, warn, "EphemeralContainers"},
		{"AWSM-118", "a note", func(p *Prepared) { p.Concerns = []ccmchart.Concern{{Key: "hostNetworking", Seen: "off"}} }, warn, "off"},
	}
}

// judgedBy returns the difference from the wanted result, or empty.
func (tt trap) judgedBy(t *testing.T, registry []verify.Check[Prepared]) string {
	t.Helper()
	p := sound()
	tt.breaks(p)
	res := verify.RunAll(t.Context(), verify.Bind(*p, registry...), verify.Options{Position: p.Stands, Only: []string{tt.id}}).Results[0]
	if res.Status != tt.want {
		return fmt.Sprintf("%s, wanted %s: %+v", res.Status, tt.want, res.Findings)
	}
	if !slices.ContainsFunc(res.Findings, func(f verify.Finding) bool {
		return f.Status == tt.want && strings.Contains(f.Object+" "+f.Seen+" "+f.Reason, tt.seen)
	}) {
		return fmt.Sprintf("no finding says %q: %+v", tt.seen, res.Findings)
	}
	return ""
}

// An owner that makes every edit does not block a run.
func TestOwnerWhoMakesEveryEdit(t *testing.T) {
	for _, handed := range []bool{true, false} {
		p := sound()
		p.keptBy("fleetagent")
		p.Writes, p.Options.HandOver, p.Stands = true, handed, position.P3
		want := map[bool]verify.Status{true: verify.OK, false: verify.Fail}[handed]
		res := verify.RunAll(t.Context(), verify.Bind(*p, All()...), verify.Options{Position: position.P3, Only: []string{"AWSM-106"}}).Results[0]
		if res.Status != want {
			t.Errorf("handed over: %t, %s: %+v", handed, res.Status, res.Findings)
		}
	}
}

func TestTraps(t *testing.T) {
	for _, tt := range checkTraps() {
		t.Run(tt.id+" "+tt.name, func(t *testing.T) {
			if wrong := tt.judgedBy(t, All()); wrong != "" {
				t.Error(wrong)
			}
		})
	}
}

func TestAll_soundCluster_passes(t *testing.T) {
	for _, res := range verify.RunAll(t.Context(), verify.Bind(*sound(), All()...), verify.Options{Position: position.P0}).Results {
		if res.Status != verify.OK && !res.OtherPosition {
			t.Errorf("%s is %s: %+v", res.ID, res.Status, res.Findings)
		}
	}
}

// An audit makes no dry run of the installation, so these checks must not pass.
func TestAll_notPreviewed_skipped(t *testing.T) {
	p := sound()
	p.NotPreviewed = migration.NotPreviewed
	for _, res := range verify.RunAll(t.Context(), verify.Bind(*p, All()...), verify.Options{Position: position.P0, Only: []string{"AWSM-117", "AWSM-118"}}).Results {
		if res.Status != verify.Skip || res.Reason != migration.NotPreviewed {
			t.Errorf("%s is %s: %s", res.ID, res.Status, res.Reason)
		}
	}
}

// Every check has a trap that fails if the check finds nothing.
func TestBlankedChecksAreNoticed(t *testing.T) {
	for i, c := range All() {
		registry := All()
		registry[i].Judge = func(Prepared) []verify.Finding { return nil }
		noticed := false
		for _, tt := range checkTraps() {
			if tt.id == c.ID {
				noticed = noticed || tt.judgedBy(t, registry) != ""
			}
		}
		if !noticed {
			t.Errorf("no trap fails if %s finds nothing", c.ID)
		}
	}
}

func TestIDsAreWellFormed(t *testing.T) {
	ids := map[string]bool{}
	for _, m := range verify.Metas(All()...) {
		if ids[m.ID] || !regexp.MustCompile(`^AWSM-[13]\d\d$`).MatchString(m.ID) {
			t.Errorf("%s is used twice or malformed", m.ID)
		}
		ids[m.ID] = true
	}
}
