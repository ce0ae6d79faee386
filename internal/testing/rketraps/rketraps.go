// Package rketraps provides a sound RKE cluster for tests, and at least one defect for each
// check.
package rketraps

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/awsmigrate/awsmigrate/internal/testing/rkefixture"
	"github.com/awsmigrate/awsmigrate/pkg/awsccm/ccmchart"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/rke/naming"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkechecks"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkecli"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkestate"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

func dnsName(i int) string { return fmt.Sprintf("ip-10-0-0-%d.ec2.internal", 10+i) }
func ip(i int) string      { return fmt.Sprintf("10.0.0.%d", 10+i) }

// Sound returns an RKE cluster without defects: the cluster of the fixture's plain.yml, with a
// Node for each machine.
func Sound(t *testing.T) *rkechecks.Prepared {
	t.Helper()
	p := &rkechecks.Prepared{Facts: rkefixture.Applied(t, "plain")}
	p.Path = "plain.yml"
	p.Input.Cloud = cloud.Facts{On: true, Instances: verify.Got(map[string]cloud.Instance{})}
	for i := range p.Config.Nodes {
		id := fmt.Sprintf("i-0000000%d", i)
		p.Down.Nodes = append(p.Down.Nodes, downstream.Node{
			Name: dnsName(i), Labels: map[string]string{
				corev1.LabelHostname: ip(i), corev1.LabelOSStable: "linux", corev1.LabelTopologyZone: "us-east-1" + string("abc"[i%3])},
			ProviderID: "aws:///us-east-1a/" + id,
			Addresses:  []downstream.Address{{Type: "InternalIP", Address: ip(i)}, {Type: "InternalDNS", Address: dnsName(i)}},
		})
		p.Input.Cloud.Instances.Value[id] = cloud.Instance{ID: id, HTTPTokens: "optional", PrivateDNSName: dnsName(i)}
	}
	p.PinnedVolumes = verify.Got([]rkestate.PinnedVolume(nil))
	p.PlannedSet = &downstream.DaemonSet{}
	Choose(p)
	return p
}

// Choose decides again how Nodes keep their names, after a change of p.
func Choose(p *rkechecks.Prepared) {
	p.Names, p.NameErr = naming.Choose(p.Facts, p.Down.Nodes, p.Input.Cloud, p.Options.KubernetesVersion)
}

// rewrite changes the text of cluster.yml but not the applied state.
func rewrite(old, with string) func(*testing.T, *rkechecks.Prepared) {
	return func(t *testing.T, p *rkechecks.Prepared) {
		source := string(p.File.Text())
		if !strings.Contains(source, old) {
			t.Fatalf("%q is not in the file", old)
		}
		f := rkefixture.AppliedAs(t, "plain", strings.Replace(source, old, with, 1))
		p.File, p.Config = f.File, f.Config
	}
}

// top adds keys at the top level of cluster.yml.
func top(text string) func(*testing.T, *rkechecks.Prepared) {
	return rewrite("cluster_name: shop\n", "cluster_name: shop\n"+text+"\n")
}

// inService adds a service with options to cluster.yml.
func inService(name, text string) func(*testing.T, *rkechecks.Prepared) {
	return rewrite("services:\n", "services:\n  "+name+": "+text+"\n")
}

// kubelet adds an argument of the kubelet to cluster.yml.
func kubelet(text string) func(*testing.T, *rkechecks.Prepared) {
	return rewrite("max-pods: 250", "max-pods: 250\n      "+text)
}

// set changes the prepared facts instead of cluster.yml.
func set(change func(*rkechecks.Prepared)) func(*testing.T, *rkechecks.Prepared) {
	return func(_ *testing.T, p *rkechecks.Prepared) { change(p) }
}

// Trap is a defect of a cluster with the result that its check must have.
type Trap struct {
	ID    string // ID of the check that finds it
	Name  string
	Break func(*testing.T, *rkechecks.Prepared)
	Want  verify.Status
	Seen  string // part of the finding's object, seen, reason or fix
}

var errRead = errors.New("connection refused")

// All returns the traps of all checks.
func All() []Trap {
	const ok, fail, warn, unknown, skip = verify.OK, verify.Fail, verify.Warn, verify.Unknown, verify.Skip
	version := func(v string) func(*testing.T, *rkechecks.Prepared) {
		return set(func(p *rkechecks.Prepared) { p.State.Current.Config.KubernetesVersion = v })
	}
	return []Trap{
		{"AWSM-101", "too new", version("v1.27.6-rancher1-1"), fail, "v1.27.6"},
		{"AWSM-101", "too old", version("v1.21.14-rancher1-1"), fail, "v1.21"},
		{"AWSM-101", "unreadable", version("latest"), fail, "latest"},
		{"AWSM-101", "the oldest", version("v1.22.4-rancher1-1"), ok, ""},
		{"AWSM-702", "Windows", set(func(p *rkechecks.Prepared) { p.Down.Nodes[4].Labels[corev1.LabelOSStable] = "windows" }), fail, dnsName(4)},
		{"AWSM-103", "no provider", set(func(p *rkechecks.Prepared) { p.State.Current.Config.CloudProvider.Name = "" }), fail, `""`},
		{"AWSM-103", "external", set(func(p *rkechecks.Prepared) { p.State.Current.Config.CloudProvider.Name = "external" }), fail, "external"},
		{"AWSM-704", "a Node without machine", set(func(p *rkechecks.Prepared) {
			p.Down.Nodes = append(p.Down.Nodes, downstream.Node{Name: "stray"})
		}), fail, "stray"},
		{"AWSM-704", "a machine without Node", set(func(p *rkechecks.Prepared) { p.Down.Nodes = p.Down.Nodes[:4] }), fail, "10.0.0.14"},
		{"AWSM-110", "two members", rewrite("role: [etcd, controlplane]", "role: [worker]"), warn, "2 etcd members"},
		{"AWSM-110", "one control plane", func(t *testing.T, p *rkechecks.Prepared) {
			rewrite("[controlplane, etcd]", "[etcd]")(t, p)
			rewrite("[etcd, controlplane]", "[etcd]")(t, p)
		}, warn, "1 control plane"},
		{"AWSM-112", "two zones", set(func(p *rkechecks.Prepared) { p.Down.Nodes[2].Labels[corev1.LabelTopologyZone] = "us-east-1a" }), warn, "us-east-1a ×2"},
		{"AWSM-112", "zones unknown", set(func(p *rkechecks.Prepared) { p.Down.Nodes = p.Down.Nodes[:1] }), unknown, "10.0.0.11"},
		{"AWSM-108", "two together", top("upgrade_strategy: {max_unavailable_controlplane: 2}"), warn, "2 of 3"},
		{"AWSM-108", "all together", top("upgrade_strategy: {max_unavailable_controlplane: 100%}"), fail, "all"},
		{"AWSM-108", "a small percentage", top("upgrade_strategy: {max_unavailable_controlplane: 10%}"), ok, ""},
		{"AWSM-108", "unreadable", top("upgrade_strategy: {max_unavailable_controlplane: some}"), warn, "some"},
		{"AWSM-109", "drains", top("upgrade_strategy: {drain: true}"), warn, "evicted"},
		{"AWSM-105", "not at rest", set(func(p *rkechecks.Prepared) {
			p.RestErr = &fault.Error{Class: fault.Check, Object: "Node x", Seen: "is not Ready"}
		}), fail, "is not Ready"},
		{"AWSM-710", "always", set(func(*rkechecks.Prepared) {}), ok, "31 July 2025"},
		{"AWSM-721", "the trap", rewrite("name: aws\n", "name: external-aws\n"), fail, "awsCloudProvider"},
		{"AWSM-721", "the trap, empty", rewrite("name: aws\n  awsCloudProvider:\n    global:\n      kubernetes-cluster-id: shop\n", "name: external-aws\n  awsCloudProvider: {}\n"), fail, "awsCloudProvider"},
		{"AWSM-721", "null is harmless", rewrite("name: aws\n  awsCloudProvider:\n    global:\n      kubernetes-cluster-id: shop\n", "name: external-aws\n  awsCloudProvider:\n"), ok, ""},
		{"AWSM-722", "switched by hand", rewrite("name: aws\n  awsCloudProvider:\n    global:\n      kubernetes-cluster-id: shop\n", "name: external-aws\n"), fail, "without the steps before"},
		{"AWSM-722", "switched and not applied yet", func(t *testing.T, p *rkechecks.Prepared) {
			rewrite("name: aws\n  awsCloudProvider:\n    global:\n      kubernetes-cluster-id: shop\n", "name: external-aws\n")(t, p)
			p.Input.Position.Position = position.P3
		}, warn, "external-aws"},
		{"AWSM-722", "an old file", set(func(p *rkechecks.Prepared) { p.State.Current.Config.CloudProvider.Name = rkestate.ProviderExternal }), fail, "restore the in-tree provider"},
		{"AWSM-722", "another", rewrite("name: aws\n  awsCloudProvider:\n    global:\n      kubernetes-cluster-id: shop\n", "name: azure\n"), fail, "azure"},
		{"AWSM-722", "a mistyped key", rewrite("cloud_provider:\n", "cloud_provder:\n"), fail, "did you mean cloud_provider, not cloud_provder?"},
		{"AWSM-723", "a mistyped key", rewrite("kubernetes_version: v", "kubernetes_versionn: v"), fail, "did you mean kubernetes_version, not kubernetes_versionn?"},
		{"AWSM-723", "empty", rewrite("kubernetes_version: v1.26.9-rancher1-1\n", ""), fail, "set kubernetes_version: v1.26.9-rancher1-1"},
		{"AWSM-724", "an image", top("system_images: {kubernetes: rancher/hyperkube:v1.26.9-rancher1}"), warn, "wins"},
		{"AWSM-724", "an image, and an upgrade", func(t *testing.T, p *rkechecks.Prepared) {
			top("system_images: {kubernetes: rancher/hyperkube:v1.26.9-rancher1}")(t, p)
			p.Options.KubernetesVersion = "v1.27.16-rancher1-1"
		}, fail, "change nothing"},
		{"AWSM-725", "rotates certificates", top("rotate_certificates: {}"), fail, "rotate_certificates"},
		{"AWSM-725", "rotates the key", top("rotate_encryption_key: true"), fail, "rotate_encryption_key"},
		{"AWSM-725", "restores", top("restore: {restore: true, snapshot_name: x}"), fail, "restore"},
		{"AWSM-725", "written out and off", top("restore: {restore: false}\nrotate_encryption_key: false\nrotate_certificates:"), ok, ""},
		{"AWSM-727", "pending", rewrite("max-pods: 250", "max-pods: 110"), warn, "max-pods"},
		{"AWSM-727", "another rke", set(func(p *rkechecks.Prepared) {
			p.Binary.Value.Images["v1.26.9-rancher1-1"]["rancher/mirrored-pause"] = "rancher/mirrored-pause:3.9"
		}), warn, "3.9"},
		{"AWSM-728", "missing", set(func(p *rkechecks.Prepared) {
			p.Local = verify.Failed[rkestate.Full](&fault.Error{Class: fault.Usage, Object: "plain.rkestate", Seen: "does not exist"})
		}), fail, "get-state-file"},
		{"AWSM-728", "not readable", set(func(p *rkechecks.Prepared) {
			p.Local = verify.Failed[rkestate.Full](&fault.Error{Class: fault.CouldNotLook, Object: "plain.rkestate", Seen: "may not be read"})
		}), unknown, "may not be read"},
		{"AWSM-728", "fresh", set(func(p *rkechecks.Prepared) { p.Local.Value.Current.Known = false }), fail, "new one"},
		{"AWSM-728", "old", func(t *testing.T, p *rkechecks.Prepared) {
			old := rkefixture.Applied(t, "plain").State
			old.Current.Tree["kubernetesVersion"] = "v1.25.9-rancher2-2"
			p.Local = verify.Got(old)
		}, fail, "kubernetesVersion"},
		{"AWSM-728", "Rancher's", set(func(p *rkechecks.Prepared) { p.Path, p.Options.Cluster = "", "c-abcde" }), skip, "Rancher keeps"},
		{"AWSM-116", "not to be edited", set(func(p *rkechecks.Prepared) {
			p.EditErr = &fault.Error{Class: fault.Usage, Object: "plain.yml", Seen: "line 3: an alias"}
		}), fail, "an alias"},
		{"AWSM-730", "an entry", rewrite("    global:\n", "    service_override: {\"1\": {service: ec2}}\n    global:\n"), fail, "service_override"},
		{"AWSM-730", "an empty map", rewrite("    global:\n", "    service_override: {}\n    global:\n"), ok, ""},
		{"AWSM-730", "custom text", func(t *testing.T, p *rkechecks.Prepared) {
			rewrite("    global:\n", "    service_override: {\"1\": {service: ec2}}\n    global:\n")(t, p)
			p.Config.CloudProvider.Custom = "[Global]"
		}, ok, ""},
		{"AWSM-732", "vsphere's options", rewrite("name: aws\n", "name: aws\n  vsphereCloudProvider: {}\n"), fail, "vsphereCloudProvider"},
		{"AWSM-732", "custom text wins", rewrite("name: aws\n", "name: aws\n  vsphereCloudProvider: {}\n  customCloudProvider: x\n"), ok, ""},
		{"AWSM-742", "too old", set(func(p *rkechecks.Prepared) { p.Binary.Value.Version = "v1.4.14" }), fail, "v1.4.14"},
		{"AWSM-742", "dev", set(func(p *rkechecks.Prepared) { p.Binary.Value.Version = "dev" }), unknown, "dev"},
		{"AWSM-742", "not found", set(func(p *rkechecks.Prepared) { p.Binary = verify.Failed[rkecli.Binary](errRead) }), unknown, "refused"},
		{"AWSM-742", "another program runs it", set(func(p *rkechecks.Prepared) { p.Binary, p.Options.NoRKEUp = verify.Failed[rkecli.Binary](errRead), true }), warn, "--no-rke-up"},
		{"AWSM-742", "Rancher's", set(func(p *rkechecks.Prepared) { p.Path, p.Options.Cluster = "", "c-abcde" }), skip, "Rancher applies"},
		{"AWSM-743", "not the one in force", set(func(p *rkechecks.Prepared) { p.Binary.Value.Images = nil }), fail, "v1.26.9"},
		{"AWSM-743", "not the target", set(func(p *rkechecks.Prepared) { p.Options.KubernetesVersion = "v1.27.16-rancher1-1" }), fail, "v1.27.16"},
		{"AWSM-751", "KCM", inService("kube-controller", "{extra_args: {cloud-provider: external}}"), fail, "cloud-provider=external"},
		{"AWSM-751", "API server, array", inService("kube-api", "{extra_args_array: {cloud-config: [/x]}}"), fail, "services.kube-api"},
		{"AWSM-751", "kubelet", kubelet("cloud_provider: aws"), fail, "services.kubelet"},
		{"AWSM-751", "elsewhere it means nothing", inService("scheduler", "{extra_args: {cloud-provider: x}}"), ok, ""},
		{"AWSM-752", "one that decides", inService("kube-controller", "{extra_args: {feature-gates: AppArmor=true}, extra_args_array: {feature-gates: [SeccompDefault=true]}}"), fail, "random"},
		{"AWSM-752", "one that does not", inService("kube-api", "{extra_args: {v: 1}, extra_args_array: {v: [2]}}"), warn, "random"},
		{"AWSM-752", "ours, elsewhere", inService("kube-controller", `{extra_args_array: {enable-leader-migration: ["true"]}}`), fail, "extra_args_array"},
		{"AWSM-114", "no election", inService("kube-controller", `{extra_args: {leader-elect: "false"}}`), fail, "leader-elect=false"},
		{"AWSM-114", "election said twice", inService("kube-controller", `{extra_args: {leader-elect: "true"}}`), ok, ""},
		{"AWSM-114", "a file", inService("kube-controller", "{extra_args: {leader-migration-config: /x}}"), fail, "leader-migration-config"},
		{"AWSM-114", "another namespace", inService("kube-controller", "{extra_args: {leader-elect-resource-namespace: x}}"), fail, "namespace"},
		{"AWSM-754", "dashes", inService("kube-controller", `{extra_args: {"--v": "2"}}`), fail, "--v"},
		{"AWSM-755", "Rancher's advice", func(t *testing.T, p *rkechecks.Prepared) {
			kubelet("feature-gates: CSIMigrationAWS=false")(t, p)
			p.State.Current.Config.KubernetesVersion = "v1.24.17-rancher1-1"
		}, warn, "Rancher advises"},
		{"AWSM-755", "locked", inService("scheduler", "{extra_args: {feature-gates: 'A=true,CSIMigrationAWS=false'}}"), fail, "locked"},
		{"AWSM-755", "on", inService("kube-api", "{extra_args: {feature-gates: CSIMigrationAWS=true}}"), warn, "before that upgrade"},
		{"AWSM-755", "on, and an upgrade", func(t *testing.T, p *rkechecks.Prepared) {
			inService("kubeproxy", "{extra_args_array: {feature-gates: [CSIMigrationAWS=true]}}")(t, p)
			p.Options.KubernetesVersion = "v1.27.16-rancher1-1"
		}, fail, "from 1.27"},
		{"AWSM-755", "EBS migration's umbrella", func(t *testing.T, p *rkechecks.Prepared) {
			kubelet("feature-gates: CSIMigration=false")(t, p)
			p.State.Current.Config.KubernetesVersion = "v1.24.17-rancher1-1"
		}, warn, "CSIMigration=false"},
		{"AWSM-755", "EBS migration's umbrella, locked", kubelet("feature-gates: CSIMigration=false"), fail, "locked"},
		{"AWSM-755", "EBS migration's umbrella, and an upgrade", func(t *testing.T, p *rkechecks.Prepared) {
			kubelet("feature-gates: CSIMigration=true")(t, p)
			p.Options.KubernetesVersion = "v1.27.16-rancher1-1"
		}, fail, "from 1.27"},
		{"AWSM-755", "locked in the target", func(t *testing.T, p *rkechecks.Prepared) {
			kubelet("feature-gates: CSIMigration=false")(t, p)
			p.State.Current.Config.KubernetesVersion = "v1.24.17-rancher1-1"
			p.Options.KubernetesVersion = "v1.25.16-rancher2-3"
		}, fail, "locked on in 1.25.16"},
		{"AWSM-755", "all beta gates of the kubelet", func(t *testing.T, p *rkechecks.Prepared) {
			kubelet("feature-gates: AllBeta=false")(t, p)
			p.State.Current.Config.KubernetesVersion = "v1.23.16-rancher2-3"
		}, warn, "switches off CSIMigrationAWS"},
		{"AWSM-755", "all beta gates of the kube-controller-manager", func(t *testing.T, p *rkechecks.Prepared) {
			inService("kube-controller", "{extra_args: {feature-gates: AllBeta=false}}")(t, p)
			p.State.Current.Config.KubernetesVersion = "v1.23.16-rancher2-3"
		}, fail, "enable-leader-migration"},
		{"AWSM-755", "all beta gates, 1.26", kubelet("feature-gates: AllBeta=false"), ok, ""},
		{"AWSM-755", "a removed flag, and an upgrade", func(t *testing.T, p *rkechecks.Prepared) {
			inService("kube-controller", "{extra_args: {pod-eviction-timeout: 30s}}")(t, p)
			p.Options.KubernetesVersion = "v1.27.16-rancher1-1"
		}, fail, "pod-eviction-timeout: kube-controller-manager of 1.27.16"},
		{"AWSM-755", "a removed flag, array", inService("kubelet", "{extra_args_array: {container_runtime: [remote]}}"), warn, "container-runtime"},
		{"AWSM-755", "a removed gate, and an upgrade", func(t *testing.T, p *rkechecks.Prepared) {
			kubelet("feature-gates: EphemeralContainers=true")(t, p)
			p.Options.KubernetesVersion = "v1.27.16-rancher1-1"
		}, fail, "EphemeralContainers"},
		{"AWSM-755", "a flag of another component", inService("kube-api", "{extra_args: {pod-eviction-timeout: 30s}}"), warn, "pod-eviction-timeout"},
		{"AWSM-755", "another gate", kubelet("feature-gates: RotateKubeletServerCertificate=true"), ok, ""},
		{"AWSM-113", "renamed", func(t *testing.T, p *rkechecks.Prepared) {
			p.State.Current.Config.SystemImages["kubernetesServicesSidecar"] = "rancher/rke-tools:v0.1.90"
			Choose(p)
		}, fail, "v0.1.90"},
		{"AWSM-113", "tokens not seen", func(t *testing.T, p *rkechecks.Prepared) { p.Input.Cloud = cloud.Facts{}; Choose(p) }, unknown, "HttpTokens"},
		{"AWSM-113", "names not proven yet", set(func(p *rkechecks.Prepared) { p.Names = naming.Rule{} }), unknown, "not checked"},
		{"AWSM-762", "kubelet", kubelet("hostname-override: x"), fail, "services.kubelet"},
		{"AWSM-762", "kubeproxy", inService("kubeproxy", "{extra_args: {hostname-override: x}}"), fail, "services.kubeproxy"},
		{"AWSM-763", "required", func(t *testing.T, p *rkechecks.Prepared) {
			p.Input.Cloud.Instances.Value["i-00000003"] = cloud.Instance{HTTPTokens: "required"}
			Choose(p)
		}, fail, dnsName(3)},
		{"AWSM-763", "not seen", func(t *testing.T, p *rkechecks.Prepared) { p.Input.Cloud = cloud.Facts{Off: "--aws off"}; Choose(p) }, unknown, "--aws off"},
		{"AWSM-763", "not asked", func(t *testing.T, p *rkechecks.Prepared) {
			p.Input.Cloud = cloud.Facts{}
			p.Names, p.NameErr = naming.Rule{Why: "hostname_override"}, nil
		}, ok, "not asked"},
		{"AWSM-764", "a public address", func(t *testing.T, p *rkechecks.Prepared) {
			rewrite("address: 10.0.0.13", "address: 54.0.0.3")(t, p)
			p.Down.Nodes[3].Labels[corev1.LabelHostname] = "54.0.0.3"
		}, fail, "10.0.0.13"},
		{"AWSM-764", "no Node", set(func(p *rkechecks.Prepared) { p.Down.Nodes = p.Down.Nodes[:4] }), fail, "10.0.0.14"},
		{"AWSM-765", "a local volume", set(func(p *rkechecks.Prepared) {
			p.PinnedVolumes = verify.Got([]rkestate.PinnedVolume{{Name: "pv-1", Hostname: ip(3)}, {Name: "pv-2", Hostname: "gone"}})
		}), warn, "pv-1"},
		{"AWSM-765", "not readable", set(func(p *rkechecks.Prepared) { p.PinnedVolumes = verify.Failed[[]rkestate.PinnedVolume](errRead) }), unknown, "refused"},
		{"AWSM-117", "a release elsewhere", set(func(p *rkechecks.Prepared) {
			p.ChartErr = &fault.Error{Class: fault.Check, Object: "release default/ccm", Seen: "exists"}
		}), fail, "exists"},
		{"AWSM-117", "not computed", set(func(p *rkechecks.Prepared) { p.PlannedSet = nil }), unknown, "not computed"},
		{"AWSM-710", "always", set(func(*rkechecks.Prepared) {}), verify.OK, "31 July 2025"},
		{"AWSM-118", "blocks", set(func(p *rkechecks.Prepared) { p.Concerns = []ccmchart.Concern{{Key: "args", Seen: "x", Blocking: true}} }), fail, "args"},
		{"AWSM-118", "a note", set(func(p *rkechecks.Prepared) { p.Concerns = []ccmchart.Concern{{Key: "hostNetworking", Seen: "off"}} }), warn, "hostNetworking"},
	}
}
