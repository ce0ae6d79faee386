package checks

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// leaderCases returns the traps 2xx.
func leaderCases() []trap {
	const P0, P1, P2, P3, P4, P5 = position.P0, position.P1, position.P2, position.P3, position.P4, position.P5
	fail, warn, unknown := verify.Fail, verify.Warn, verify.Unknown
	return []trap{
		{"AWSM-201", "no update", P2, func(in *evidence.Input) { in.Rights.Value.Update = false }, fail, "update no"},
		{"AWSM-201", "not visible", P2, func(in *evidence.Input) { in.Rights = verify.Failed[downstream.Rights](errForbidden) }, unknown, "forbidden"},
		{"AWSM-202", "election off", P0, func(in *evidence.Input) { args(in, 1, "--leader-elect=false") }, fail, "--leader-elect=false"},
		{"AWSM-202", "another namespace", P3, func(in *evidence.Input) {
			ccmArgs(in, "--cloud-provider=aws", "--configure-cloud-routes=false", "--enable-leader-migration", "--leader-elect-resource-namespace=ccm")
		}, fail, "namespace=ccm"},
		{"AWSM-202", "endpoints", P0, func(in *evidence.Input) { args(in, 0, "--leader-elect-resource-lock=endpointsleases") }, fail, "endpointsleases"},
		{"AWSM-202", "unreadable", P0, func(in *evidence.Input) { args(in, 0, "--leader-elect-renew-deadline=ten") }, fail, "ten"},
		{"AWSM-202", "KCM not visible", P0, outOfSight, unknown, "no kube-controller-manager"},
		{"AWSM-203", "differ", P0, func(in *evidence.Input) { args(in, 0, "--leader-elect-lease-duration=60s") }, warn, "1m0s"},
		{"AWSM-204", "KCM has a file", P0, func(in *evidence.Input) { args(in, 0, "--leader-migration-config=/etc/x.yaml") }, unknown, "lies on the node"},
		{"AWSM-204", "nodeipam", P3, migrationFile(goodFile + "- {name: nodeipam, component: \"*\"}\n"), fail, "nodeipam"},
		{"AWSM-204", "another lease", P3, migrationFile(strings.Replace(goodFile, wellknown.MigrationLease, "other", 1)), fail, `"other"`},
		{"AWSM-204", "unquoted star", P3, migrationFile(strings.ReplaceAll(goodFile, `"*"`, "*")), fail, "yaml"},
		{"AWSM-204", "a controller is missing", P3, migrationFile(strings.Replace(goodFile, "name: route", "name: roote", 1)), fail, "route"},
		{"AWSM-204", "component of the other side", P3, migrationFile(strings.Replace(goodFile, `"*"`, "kube-controller-manager", 1)), fail, "service"},
		{"AWSM-204", "no lock in v1beta1", P3, migrationFile(strings.Replace(goodFile, "k8s.io/v1", "k8s.io/v1beta1", 1)), fail, "resourceLock"},
		{"AWSM-204", "lock in v1, CCM 1.32", P3, fileFor("v1.32.8", newerFile+"resourceLock: leases\n"), fail, "resourceLock in"},
		{"AWSM-204", "lock in v1, upgrade to 1.32", P4, func(in *evidence.Input) {
			fileFor("v1.31.9", newerFile+"resourceLock: leases\n")(in)
			in.Version, in.Target = verify.Got("v1.31.14+rke2r1"), "v1.32.9+rke2r1"
		}, fail, "resourceLock in"},
		{"AWSM-204", "unknown field, CCM 1.32", P3, fileFor("v1.32.8", newerFile+"leaderNames: a\n"), fail, "leaderNames"},
		{"AWSM-204", "not a ConfigMap", P3, func(in *evidence.Input) {
			ccmArgs(in, "--cloud-provider=aws", "--configure-cloud-routes=false", "--enable-leader-migration", "--leader-migration-config=/host/f.yaml")
		}, unknown, "not in a ConfigMap"},
		{"AWSM-205", "a Deployment", P0, func(in *evidence.Input) {
			in.Workloads.Value = []downstream.Workload{{Object: downstream.Object{Kind: "Deployment", Namespace: "kube-system", Name: "kcm"}, Replicas: 1, Containers: []downstream.Container{{Image: "registry/kube-controller-manager:v1.26.13"}}}}
		}, fail, "runs a kube-controller-manager"},
		{"AWSM-205", "a static pod on a worker", P0, func(in *evidence.Input) {
			stray := in.StaticPods.Value[2]
			stray.Name, stray.Node = "kube-controller-manager-"+nodeName(5), nodeName(5)
			in.StaticPods.Value = append(in.StaticPods.Value, stray)
		}, fail, "runs a kube"},
		{"AWSM-205", "not visible", P0, func(in *evidence.Input) { in.Workloads = verify.Failed[[]downstream.Workload](errForbidden) }, unknown, "could not be read"},
		{"AWSM-205", "scaled to zero", P0, withWorkload("StatefulSet", 0, kcmOf("--cloud-provider=aws")), warn, "scaled to zero"},
		{"AWSM-205", "a DaemonSet", P5, withWorkload("DaemonSet", 3, kcmOf("--cloud-provider=external")), fail, "runs a kube-controller-manager"},
		{"AWSM-205", "a Job", P5, withWorkload("Job", 1, kcmOf("--cloud-provider=external")), fail, "Job web/second"},
		{"AWSM-205", "a bare pod", P0, withPod(downstream.Pod{Name: "kcm", Containers: kcmOf("--cloud-provider=external")}), fail, "Pod web/kcm"},
		{"AWSM-205", "of another cluster", P5, hostedPlane(kcmOf("--cloud-provider=aws", "--kubeconfig=/k/controller.conf")), warn, "taken for another cluster's"},
		{"AWSM-205", "pods not visible", P0, func(in *evidence.Input) { in.LoosePods = verify.Failed[[]downstream.Pod](errForbidden) }, unknown, "pods that no workload made could not be read: forbidden"},
		{"AWSM-205", "bundle of before", P0, func(in *evidence.Input) { in.LoosePods = verify.Read[[]downstream.Pod]{} }, unknown, "pods that no workload made could not be read"},
		{"AWSM-215", "a Deployment of the CCM", P5, withWorkload("Deployment", 1, ccmOf("--leader-elect=false")), fail, "waits for no lease"}, // words:ok: a text of test/e2e,
		{"AWSM-215", "a Deployment of the CCM before", P0, withWorkload("Deployment", 1, ccmOf("--enable-leader-migration")), fail, "Deployment web/second runs an aws-cloud"},
		{"AWSM-215", "a CronJob of the CCM", P5, withWorkload("CronJob", 1, ccmOf()), fail, "CronJob web/second"},
		{"AWSM-215", "a suspended CronJob", P5, withWorkload("CronJob", 0, ccmOf()), warn, "suspended"},
		{"AWSM-215", "a second DaemonSet of the CCM", P5, func(in *evidence.Input) {
			second := in.DaemonSets.Value[0]
			second.Namespace, second.Owner = "web", ""
			in.DaemonSets.Value = append(in.DaemonSets.Value, second)
		}, fail, "DaemonSet web/aws-cloud-controller-manager"},
		{"AWSM-215", "a bare pod in back-off before", P0, withPod(downstream.Pod{Name: "ccm", Phase: "Pending", Waiting: "ErrImagePull", Containers: ccmOf()}), fail, "ErrImagePull now; it is started again"},
		{"AWSM-215", "a static pod of the CCM", P5, withPod(downstream.Pod{Name: "ccm-x", Node: nodeName(0), Mirror: true, Containers: ccmOf()}), fail, "Pod web/ccm-x"},
		{"AWSM-215", "a pod of a CloneSet", P5, withPod(downstream.Pod{Name: "ccm-x", Controller: "CloneSet ccm", Containers: ccmOf()}), fail, "Pod web/ccm-x"},
		{"AWSM-215", "in-tree in a DaemonSet", P5, withWorkload("DaemonSet", 3, kcmOf("--cloud-provider=aws", "--leader-elect=false")), fail, "cloud controllers in a kube-controller-manager"},
		{"AWSM-215", "an old manifest under another label", P5, withPod(downstream.Pod{Name: "old-x", Node: nodeName(0), Mirror: true, Containers: kcmOf("--cloud-provider=aws")}), fail, "Pod web/old-x"},
		{"AWSM-215", "of another cluster", P5, hostedPlane(ccmOf("--kubeconfig=/k/controller.conf")), warn, "taken for another cluster's"},
		{"AWSM-215", "pods not visible", P0, func(in *evidence.Input) { in.LoosePods = verify.Failed[[]downstream.Pod](errForbidden) }, unknown, "pods that no workload made could not be read: forbidden"},
		{"AWSM-206", "on a worker", P0, func(in *evidence.Input) { in.Leases.Value.KCM = heldBy("ip-10-0-0-14_z", "kube-controller-manager") }, fail, nodeName(4)},
		{"AWSM-206", "on a worker whose host Rancher named", P0, func(in *evidence.Input) {
			in.Machines[4].Infrastructure, in.Leases.Value.KCM = "demo-w-8e21cf0a-x7k2p", heldBy("demo-w-8e21cf0a-x7k2p_z", "kube-controller-manager")
		}, fail, nodeName(4)},
		{"AWSM-206", "on no node", P0, func(in *evidence.Input) { in.Leases.Value.KCM = heldBy("laptop_z", "kube-controller-manager") }, warn, "laptop"},
		{"AWSM-207", "locked gate", P0, func(in *evidence.Input) { args(in, 0, "--feature-gates=ControllerManagerLeaderMigration=false") }, fail, "=false"},
		{"AWSM-207", "gone in the target", P0, func(in *evidence.Input) {
			args(in, 0, "--feature-gates=ControllerManagerLeaderMigration=true")
			in.Target = "v1.27.10+rke2r1"
		}, fail, "=true"},
		{"AWSM-207", "all beta gates off", P0, func(in *evidence.Input) {
			in.Version = verify.Got("v1.23.10+rke2r1")
			args(in, 0, "--feature-gates=AllBeta=false,CSIMigrationAWS=true,CSIMigration=true")
		}, fail, "AllBeta=false"},
		{"AWSM-207", "EBS migration's umbrella, locked", P0, func(in *evidence.Input) { args(in, 0, "--feature-gates=CSIMigration=false") }, fail, "CSIMigration=false"},
		{"AWSM-207", "EBS migration's umbrella, gone in the target", P0, func(in *evidence.Input) {
			args(in, 0, "--feature-gates=CSIMigration=true")
			in.Target = "v1.27.10+rke2r1"
		}, fail, "CSIMigration=true"},
		{"AWSM-207", "version not visible", P0, func(in *evidence.Input) { in.Version = verify.Failed[string](errForbidden) }, unknown, "forbidden"},
		{"AWSM-208", "still the KCM", P4, func(in *evidence.Input) {
			in.Leases.Value.Migration = heldBy("ip-10-0-0-10_a", "kube-controller-manager")
		}, fail, "kube-controller-manager"},
		{"AWSM-208", "evidence disagrees", P2, func(in *evidence.Input) { in.Leases.Value.Migration = heldBy("ip-10-0-0-10_a", "kubectl-edit") }, fail, "undecided"},
		{"AWSM-208", "no lease", P2, func(in *evidence.Input) { in.Leases.Value.Migration = lease.Series{} }, fail, "no lease"},
		{"AWSM-208", "handing over", P3, func(in *evidence.Input) { in.Leases.Value.Migration = fencedFor(3 * time.Second) }, warn, "run r1, expires without action"},
		{"AWSM-208", "handed over to no candidate", P3, func(in *evidence.Input) { in.Leases.Value.Migration = fencedFor(24 * time.Second) }, fail, "no candidate acquired it"},
		{"AWSM-209", "handed over to no candidate", P3, func(in *evidence.Input) { in.Leases.Value.Migration = fencedFor(24 * time.Second) }, fail, "stuck"},
		{"AWSM-209", "frozen", P4, func(in *evidence.Input) {
			s := &in.Leases.Value.Migration
			s.Last.Renew, s.Last.At = s.First.Renew, 10*time.Second
		}, fail, "stuck"},
		{"AWSM-209", "leases not visible", P4, func(in *evidence.Input) { in.Leases = verify.Failed[lease.Leases](errForbidden) }, unknown, "forbidden"},
		{"AWSM-210", "KCM without flag", P3, func(in *evidence.Input) { args(in, 1, "--enable-leader-migration=false") }, fail, "without enable-leader-migration"},
		{"AWSM-210", "CCM without flag", P3, func(in *evidence.Input) { ccmArgs(in, "--cloud-provider=aws", "--configure-cloud-routes=false") }, fail, "CCM without"},
		{"AWSM-211", "external with flag", P4, func(in *evidence.Input) { args(in, 1, "--enable-leader-migration") }, fail, "external with"},
		{"AWSM-212", "v1.28 without file", P3, func(in *evidence.Input) {
			in.DaemonSets.Value[0].Containers[0].Image = "r/aws/cloud-controller-manager:v1.28.1"
		}, fail, "without --leader-migration-config"},
		{"AWSM-212", "no readable tag", P3, func(in *evidence.Input) {
			in.DaemonSets.Value[0].Containers[0].Image = "r/aws/cloud-controller-manager@sha256:1"
		}, fail, "no readable version"},
		{"AWSM-212", "bare flag before 1.28", P4, func(in *evidence.Input) { bareFlag(in, "v1.27.16+rke2r2", "") }, warn, "have other names"},
		{"AWSM-212", "bare flag, upgrade to 1.28", P4, func(in *evidence.Input) { bareFlag(in, "v1.27.16+rke2r2", "v1.28.15+rke2r1") }, fail, "have other names"},
		{"AWSM-213", "by hand", P2, func(in *evidence.Input) {
			in.Rights.Value.Get = false
			in.Position = position.Compute(in.Evidence(nil))
		}, fail, "by hand"},
		{"AWSM-213", "between", P2, func(in *evidence.Input) {
			args(in, 0, "--enable-leader-migration=false")
			in.Position = position.Compute(in.Evidence(nil))
		}, warn, "between P1 and P2"},
		{"AWSM-213", "unknown", P2, func(in *evidence.Input) {
			in.Nodes = verify.Failed[[]downstream.Node](errForbidden)
			in.Position = position.Compute(in.Evidence(nil))
		}, unknown, "not known"},
		{"AWSM-214", "service off", P0, func(in *evidence.Input) { args(in, 2, "--controllers=*,tokencleaner,-service") }, fail, "-service"},
	}
}

// outOfSight removes one Node's kube-controller-manager from the reading.
func outOfSight(in *evidence.Input) {
	in.StaticPods.Value, in.LoosePods.Value = in.StaticPods.Value[1:], in.LoosePods.Value[1:]
}

func withWorkload(kind string, replicas int32, cs []downstream.Container) func(*evidence.Input) {
	return func(in *evidence.Input) {
		in.Workloads.Value = append(in.Workloads.Value, downstream.Workload{
			Object: downstream.Object{Kind: kind, Namespace: "web", Name: "second"}, Replicas: replicas, Containers: cs})
	}
}

func withPod(p downstream.Pod) func(*evidence.Input) {
	p.Namespace = "web"
	return func(in *evidence.Input) { in.LoosePods.Value = append(in.LoosePods.Value, p) }
}

// hostedPlane adds another cluster's control plane, as its operator creates it.
func hostedPlane(manager []downstream.Container) func(*evidence.Input) {
	return func(in *evidence.Input) {
		manager[0].Mounts = []downstream.Mount{{Path: "/k", Kind: "Secret", Name: "tenant-kubeconfig"}}
		withWorkload("Deployment", 1, append(manager, downstream.Container{Name: "api", Image: "r/kube-apiserver:v1.30.1"}))(in)
	}
}

func ccmOf(more ...string) []downstream.Container {
	return []downstream.Container{{Name: "ccm", Image: image, Args: append([]string{"--cloud-provider=aws", "--configure-cloud-routes=false"}, more...)}}
}

func kcmOf(args ...string) []downstream.Container {
	return []downstream.Container{{Name: "m", Image: "registry/kube-controller-manager:v1.26.13", Args: args}}
}

func args(in *evidence.Input, i int, more ...string) {
	c := &in.StaticPods.Value[i].Containers[0]
	c.Args = append(slices.Clone(c.Args), more...)
}

func migrationFile(text string) func(*evidence.Input) {
	return func(in *evidence.Input) {
		ccmArgs(in, "--cloud-provider=aws", "--configure-cloud-routes=false", "--enable-leader-migration", "--leader-migration-config=/etc/m/f.yaml")
		in.Migration = verify.Got(map[string]downstream.MigrationConfig{"/etc/m/f.yaml": {ConfigMap: "kube-system/m", Text: text}})
	}
}

// fileFor gives a CCM of another version a file.
func fileFor(tag, text string) func(*evidence.Input) {
	return func(in *evidence.Input) {
		migrationFile(text)(in)
		in.DaemonSets.Value[0].Containers[0].Image = "r/aws/cloud-controller-manager:" + tag
	}
}

// newerFile has the names of the controllers from 1.28 on.
const newerFile = `apiVersion: controllermanager.config.k8s.io/v1
kind: LeaderMigrationConfiguration
leaderName: cloud-provider-extraction-migration
controllerLeaders:
- {name: service-lb-controller, component: "*"}
- {name: node-route-controller, component: "*"}
- {name: cloud-node-lifecycle-controller, component: "*"}
`

const goodFile = `apiVersion: controllermanager.config.k8s.io/v1
kind: LeaderMigrationConfiguration
leaderName: cloud-provider-extraction-migration
controllerLeaders:
- {name: service, component: "*"}
- {name: route, component: "*"}
- {name: cloud-node-lifecycle, component: "*"}
`

// fencedFor returns a migration lease that a run has fenced, observed for the span.
func fencedFor(span time.Duration) lease.Series {
	s := heldBy(wellknown.Fence+"r1", wellknown.FieldManager)
	s.Last = s.First
	s.Last.At = span
	return s
}

// A shorter retry period is harmless; no other duration may differ.
func TestShorterRetryPeriod(t *testing.T) {
	for flag, want := range map[string]int{"--leader-elect-retry-period=500ms": 0, "--leader-elect-retry-period=3s": 1, "--leader-elect-lease-duration=20s": 2} {
		in := healthy(t, position.P3)
		ccmArgs(&in, "--cloud-provider=aws", "--configure-cloud-routes=false", "--enable-leader-migration", flag)
		if got := durations(in); len(got) != want {
			t.Errorf("%s: %+v", flag, got)
		}
	}
}

// During a hand-over one check warns, and no other check fails.
func TestHandingOverIsOneWarning(t *testing.T) {
	in := healthy(t, position.P3)
	in.Leases.Value.Migration = fencedFor(3 * time.Second)
	r := verify.RunAll(t.Context(), verify.Bind(in, all()...), verify.Options{Position: position.P3})
	for _, result := range r.Results {
		if result.Status == verify.Fail || result.Status == verify.Unknown || result.Status == verify.Warn && result.ID != "AWSM-208" {
			t.Errorf("%s: %+v", result.ID, result.Findings)
		}
	}
}
