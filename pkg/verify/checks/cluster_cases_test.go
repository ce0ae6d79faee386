package checks

import (
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// plain returns a cluster of which only the API is known, as kubeadm creates it.
func plain(change func(*evidence.Input)) func(*evidence.Input) {
	return func(in *evidence.Input) {
		in.Plain, in.Distribution, in.EndState, in.Machines = true, "", "", nil
		change(in)
	}
}

// fewer removes control planes and everything that runs on them.
func fewer(in *evidence.Input, gone int) {
	in.Nodes.Value, in.StaticPods.Value = in.Nodes.Value[gone:], in.StaticPods.Value[gone:]
	in.LoosePods.Value = in.LoosePods.Value[gone:]
	in.Etcds.Value, in.APIServers.Value = in.Etcds.Value[gone:], in.APIServers.Value[gone:]
	in.Leases.Value.KCM = heldBy(nodeName(2)+"_a", "kube-controller-manager")
}

// clusterCases returns the traps 1xx.
func clusterCases() []trap {
	const P0, P3 = position.P0, position.P3
	fail, warn, unknown := verify.Fail, verify.Warn, verify.Unknown
	frozen := func(version string) func(*evidence.Input) {
		return func(in *evidence.Input) {
			in.Preflight = true
			node(in, 1).Kubelet, in.StaticPods.Value[1].PodHash = version, true
		}
	}
	return []trap{
		{"AWSM-119", "1.26", P0, frozen("v1.26.7+rke2r1"), fail, "RKE2 v1.26.7+rke2r1 gives static pods a fixed UID"},
		{"AWSM-119", "of no known version", P3, frozen("own"), fail, "POD_HASH"},
		{"AWSM-119", "by its version", P0, func(in *evidence.Input) { in.Preflight, node(in, 2).Kubelet = true, "v1.23.13+rke2r1" }, fail, nodeName(2)},
		{"AWSM-119", "by its hash", P0, func(in *evidence.Input) {
			in.Preflight, in.StaticPods.Value[0].ConfigHash = true, "57585a0305e4e46df816ebab263926f3"
		}, fail, nodeName(0)},
		{"AWSM-119", "in an audit", P3, func(in *evidence.Input) { node(in, 0).Kubelet = "v1.25.3+rke2r1" }, unknown, "upgrade RKE2 to v1.25.15 or later"},
		{"AWSM-119", "out of sight", P0, outOfSight, unknown, "no kube-controller-manager"},
		{"AWSM-131", "one is away", P0, func(in *evidence.Input) { in.APIServers.Value[1].Renew = clusterNow.Add(-10 * time.Minute) }, warn, "2 alive, with 3 control planes"},
		{"AWSM-131", "not visible", P0, func(in *evidence.Input) { in.APIServers = verify.Failed[[]lease.Observation](errForbidden) }, unknown, "forbidden"},
		{"AWSM-132", "crash loop", P0, func(in *evidence.Input) {
			p := &in.StaticPods.Value[1]
			p.Waiting, p.Restarts, p.Ready = "CrashLoopBackOff", 12, false
		}, fail, "CrashLoopBackOff, 12 restarts"},
		{"AWSM-132", "not ready", P3, func(in *evidence.Input) { in.StaticPods.Value[1].Ready = false }, fail, "not ready"},
		{"AWSM-132", "out of sight", P0, outOfSight, unknown, "no kube-controller-manager"},
		{"AWSM-101", "too old", P0, plain(func(in *evidence.Input) { in.Version = verify.Got("v1.21.14") }), fail, "v1.21.14"},
		{"AWSM-101", "too new", P0, plain(func(in *evidence.Input) { in.Version = verify.Got("v1.27.3") }), fail, "v1.27.3"},
		{"AWSM-110", "one member", P0, plain(func(in *evidence.Input) { fewer(in, 2) }), warn, "1 member"},
		{"AWSM-110", "two members", P0, plain(func(in *evidence.Input) { in.Etcds.Value = in.Etcds.Value[1:] }), warn, "2 members"},
		{"AWSM-110", "not visible", P0, plain(func(in *evidence.Input) { in.Etcds = verify.Failed[[]downstream.Pod](errForbidden) }), unknown, "forbidden"},
		{"AWSM-112", "one zone", P0, plain(func(in *evidence.Input) {
			for i := range 3 {
				n := node(in, i)
				n.Labels[downstream.LabelZone], n.ProviderID = "us-east-1a", "aws:///us-east-1a/i-0000000"+string("012"[i])
				instance(in, i, inZoneA)
			}
		}), warn, "3 members in us-east-1a (3)"},
	}
}
