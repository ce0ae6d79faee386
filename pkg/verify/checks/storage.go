package checks

import (
	"fmt"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

const storage = "storage, images"

// storageChecks returns the checks 5xx.
func storageChecks() []verify.Check[evidence.Input] {
	return []verify.Check[evidence.Input]{
		{Judge: ebsDriver, Release: ebsDriverOn, Meta: verify.Meta{
			ID: "AWSM-501", Title: "in-tree EBS volumes have their CSI driver", Category: storage, Mandatory: true,
			Why:    "with the external provider only the CSI driver attaches in-tree EBS volumes; mounted volumes work until their pod moves",
			Source: "CSIMigrationAWS: off by default up to 1.22, on in 1.23 and 1.24, locked on 1.25 and 1.26; in-tree plugin gone in 1.27",
			Fix:    "install aws-ebs-csi-driver and turn CSIMigrationAWS on before the migration",
		}},
		{Judge: csiMigrationOff, Meta: verify.Meta{
			ID: "AWSM-502", Title: "CSIMigrationAWS is not switched off", Category: storage,
			Mandatory: true, NeedsControlPlane: true,
			Why:    "advice for 1.23 and later with the in-tree provider; with the external provider attach, detach and provisioning of in-tree volumes then fail",
			Source: "pkg/features/kube_features.go 1.21 to 1.27",
			Fix:    "install aws-ebs-csi-driver, then remove CSIMigrationAWS=false from every component, draining each node",
		}},
		{Judge: ebsDriverWorks, Meta: verify.Meta{
			ID: "AWSM-504", Title: "the EBS CSI driver is ready and reaches its credentials", Category: storage,
			Why:    "after the switch only the driver attaches and provisions EBS volumes, also those of in-tree PersistentVolumes and StorageClasses",
			Source: "kubernetes-sigs/aws-ebs-csi-driver:deploy/kubernetes/base/controller.yaml@014d11ef; EC2 metadata options HttpPutResponseHopLimit",
			Fix:    "make the driver's pods ready, with the rights and the way to them that docs/storage.md names",
		}},
		{Judge: ecr, Release: evidence.OnTarget(ecr), Meta: verify.Meta{
			ID: "AWSM-503", Title: "images from ECR can still be pulled", Category: storage,
			Why:    "Kubernetes 1.27 removes the kubelet's built-in ECR credentials: from then on no new pod can pull such an image",
			Source: "kubernetes/kubernetes:pkg/credentialprovider/aws@v1.26.13; k3s-io/k3s:pkg/daemons/agent/agent.go@v1.26.15+k3s1, ImageCredProvAvailable",
			Fix:    "configure ecr-credential-provider on every node before the upgrade, as docs/ecr.md says",
		}},
	}
}

// usesInTree returns the names of the objects that depend on in-tree EBS.
func usesInTree(in evidence.Input) (names []string, gaps []verify.Finding) {
	if !in.Volumes.OK() {
		gaps = append(gaps, verify.Unread(in.Volumes, "persistentvolumes")...)
	}
	if !in.Classes.OK() {
		gaps = append(gaps, verify.Unread(in.Classes, "storageclasses")...)
	}
	for _, v := range in.Volumes.Value {
		if v.InTree {
			names = append(names, "PersistentVolume "+v.Name)
		}
	}
	for _, c := range in.Classes.Value {
		if c.Provisioner == downstream.InTreeEBS {
			names = append(names, c.String())
		}
	}
	written, unread := writtenInPods(in)
	return append(names, written...), append(gaps, unread...)
}

// writtenInPods returns the workloads and pods that name an in-tree EBS volume in their own spec,
// without a PersistentVolume.
func writtenInPods(in evidence.Input) (names []string, gaps []verify.Finding) {
	if !in.Workloads.OK() {
		gaps = append(gaps, verify.Unread(in.Workloads, "workloads")...)
	}
	if !in.LoosePods.OK() {
		gaps = append(gaps, verify.Unread(in.LoosePods, "pods that no workload made")...)
	}
	for _, w := range in.Workloads.Value {
		if w.EBS {
			names = append(names, w.String())
		}
	}
	for _, p := range in.LoosePods.Value {
		if p.EBS && !p.Over() {
			names = append(names, "Pod "+p.Namespace+"/"+p.Name)
		}
	}
	return names, gaps
}

func ebsDriver(in evidence.Input) []verify.Finding {
	users, out := usesInTree(in)
	if len(users) == 0 {
		return out
	}
	if !in.CSINodes.OK() || !in.Nodes.OK() {
		return append(out, verify.Undecided("CSI drivers", "CSINodes or nodes could not be read, and "+evidence.Some(users)+" use in-tree EBS"))
	}
	drivers := map[string]downstream.CSINode{}
	for _, c := range in.CSINodes.Value {
		drivers[c.Name] = c
	}
	var bare, unmigrated []string
	for _, n := range in.Nodes.Value {
		if dedicated(n) {
			continue
		}
		switch c := drivers[n.Name]; {
		case !strings.Contains(c.Migrated, downstream.InTreeEBS):
			unmigrated = append(unmigrated, n.Name)
		case !c.EBS:
			bare = append(bare, n.Name)
		}
	}
	if len(unmigrated) > 0 {
		out = append(out, verify.Failure(evidence.Some(users), fmt.Sprintf("CSI migration is off on %s: %s", fault.Count(len(unmigrated), "node"), evidence.Some(unmigrated)), downstream.CSIEBS+" on every node that runs such pods, CSIMigrationAWS on", ""))
	}
	if len(bare) > 0 {
		out = append(out, verify.Warning(evidence.Some(users), fmt.Sprintf("no driver %s on %s: %s", downstream.CSIEBS, fault.Count(len(bare), "node"), evidence.Some(bare)), "the driver; without it these volumes cannot be attached there today either", ""))
	}
	return out
}

// ebsDriverOn judges a release: from 1.23 on, in-tree volumes need the driver by default.
func ebsDriverOn(in evidence.Input, release string) []verify.Finding {
	if v, err := component.ParseVersion(release); err != nil || !v.AtLeast(1, 23) {
		return nil
	}
	return ebsDriver(in)
}

// dedicated reports whether a node runs no user pods: a control plane or etcd taint keeps them
// away.
func dedicated(n downstream.Node) bool {
	for _, t := range n.Taints {
		if strings.HasPrefix(t.Key, "node-role.kubernetes.io/") && (t.Effect == "NoSchedule" || t.Effect == "NoExecute") {
			return true
		}
	}
	return false
}

func csiMigrationOff(in evidence.Input) []verify.Finding {
	programs, out := programsOf(in)
	if !in.Nodes.OK() {
		out = append(out, verify.Unread(in.Nodes, "nodes")...)
	}
	version := versionOrNewest(in)
	users, gaps := usesInTree(in)
	for _, n := range in.Nodes.Value {
		args, _, err := n.NodeArgs()
		if err != nil && len(users)+len(gaps) > 0 {
			out = append(out, verify.Undecided("kubelet on "+n.Name, err.Error()))
		}
		programs = append(programs, program{"kubelet on " + n.Name, args.KubeletFlags()})
	}
	for _, p := range programs {
		pair := p.flags.Gates().Off(component.GateCSIMigrationAWS, version)
		if pair == "" {
			continue
		}
		f := verify.Warning(p.object, pair, "removed before 1.25; no in-tree EBS volume was found", "")
		if len(users) > 0 || len(gaps) > 0 {
			f.Status, f.Wanted = verify.Fail, "the CSI driver and "+component.GateCSIMigrationAWS+" on, for "+evidence.OrElse(evidence.Some(users), "volumes that could not be looked for")
		}
		if name, _, _ := strings.Cut(pair, "="); name != component.GateCSIMigrationAWS {
			f.Seen += ": it switches off " + component.GateCSIMigrationAWS
			f.Fix = "install aws-ebs-csi-driver, then remove " + pair + " from every component, draining each node"
		}
		out = append(out, f)
	}
	return out
}

// versionOrNewest returns the cluster's version. If it could not be read, it returns the newest
// version in which an umbrella gate still governs EBS migration.
func versionOrNewest(in evidence.Input) component.Version {
	versions, err := in.Versions()
	if err != nil {
		return component.Version{Major: 1, Minor: 24}
	}
	return versions[0]
}
