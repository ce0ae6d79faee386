package checks

import (
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// storageCases returns the traps 5xx.
func storageCases() []trap {
	const P0, P4 = position.P0, position.P4
	fail, warn, unknown := verify.Fail, verify.Warn, verify.Unknown
	return []trap{
		{"AWSM-501", "migration off", P0, func(in *evidence.Input) { in.Volumes.Value = inTreeVolume }, fail, "3 nodes"},
		{"AWSM-501", "a volume in a pod template", P0, func(in *evidence.Input) {
			in.Workloads = verify.Got([]downstream.Workload{{Object: downstream.Object{Kind: "StatefulSet", Namespace: "web", Name: "db"}, Replicas: 1, EBS: true}})
		}, fail, "3 nodes"},
		{"AWSM-501", "a volume in a pod of its own", P0, func(in *evidence.Input) {
			in.LoosePods.Value = append(in.LoosePods.Value, downstream.Pod{Namespace: "web", Name: "db", Node: nodeName(5), Phase: "Running", EBS: true})
		}, fail, "3 nodes"},
		{"AWSM-501", "driver missing", P0, func(in *evidence.Input) {
			in.Classes.Value = []downstream.StorageClass{{Name: "gp2", Provisioner: downstream.InTreeEBS}}
			for i := range 6 {
				in.CSINodes.Value = append(in.CSINodes.Value, downstream.CSINode{Name: nodeName(i), Migrated: "kubernetes.io/aws-ebs,kubernetes.io/gce-pd"})
			}
		}, warn, "no driver"},
		{"AWSM-502", "KCM", P0, func(in *evidence.Input) {
			args(in, 0, "--feature-gates=CSIMigrationAWS=false")
			in.Volumes.Value = inTreeVolume
		}, fail, "false"},
		{"AWSM-502", "kubelet, no volumes", P0, func(in *evidence.Input) {
			node(in, 5).Annotations[downstream.AnnotationArgs] = `["agent","--kubelet-arg=feature-gates=CSIMigrationAWS=false"]`
		}, warn, "false"},
		{"AWSM-502", "its umbrella in a kubelet", P0, func(in *evidence.Input) {
			in.Version = verify.Got("v1.24.6+rke2r1")
			node(in, 5).Annotations[downstream.AnnotationArgs] = `["agent","--cloud-provider-name","aws","--kubelet-arg","feature-gates=CSIMigration=false,CSIMigrationAWS=true"]`
			in.Classes.Value = []downstream.StorageClass{{Name: "gp2", Provisioner: downstream.InTreeEBS}}
			migrated(in)
		}, fail, "CSIMigration=false"},
		{"AWSM-502", "all beta gates of a kubelet", P0, func(in *evidence.Input) {
			in.Version = verify.Got("v1.23.10+rke2r1")
			node(in, 5).Annotations[downstream.AnnotationArgs] = `["agent","--cloud-provider-name","aws","--kubelet-arg=feature-gates+=AllBeta=false"]`
			in.Volumes.Value = inTreeVolume
			migrated(in)
		}, fail, "AllBeta=false"},
		{"AWSM-502", "a kubelet's arguments cannot be read", P0, func(in *evidence.Input) {
			node(in, 5).Annotations[downstream.AnnotationArgs] = "{"
			in.Volumes.Value = inTreeVolume
			migrated(in)
		}, unknown, "kubelet on"},
		{"AWSM-504", "no controller", P0, func(in *evidence.Input) { withDriver(in, driver("DaemonSet", 6, 6)) }, warn, "no controller"},
		{"AWSM-504", "a controller that is not ready", P0, func(in *evidence.Input) { withDriver(in, driver("Deployment", 2, 0), driver("DaemonSet", 6, 6)) }, warn, "no ready pod"},
		{"AWSM-504", "a node without it", P4, func(in *evidence.Input) { withDriver(in, driver("Deployment", 2, 1), driver("DaemonSet", 6, 5)) }, warn, "5 of 6 pods"},
		{"AWSM-504", "the default class", P0, func(in *evidence.Input) {
			withDriver(in, driver("Deployment", 2, 0))
			in.Volumes.Value, in.Classes.Value = nil, []downstream.StorageClass{{Name: "gp3", Provisioner: downstream.CSIEBS, Default: true}}
		}, warn, "StorageClass gp3 (default)"},
		{"AWSM-504", "hop limit", P0, func(in *evidence.Input) {
			withDriver(in, driver("Deployment", 2, 2))
			i := in.Cloud.Instances.Value["i-00000005"]
			i.HTTPTokens = "required"
			in.Cloud.Instances.Value["i-00000005"] = i
		}, warn, "hop limit 1 on 1 node"},
		{"AWSM-504", "not read", P0, func(in *evidence.Input) {
			withDriver(in)
			in.CSINodes = verify.Failed[[]downstream.CSINode](errForbidden)
		}, unknown, "could not be read"},
		{"AWSM-503", "upgrade", P4, func(in *evidence.Input) {
			node(in, 5).ECRImages = 2
			in.Target, in.CredentialProvider = "v1.27.10+rke2r1", &evidence.CredentialProvider{}
		}, fail, "image-credential-provider-config"},
		{"AWSM-503", "upgrade, pods alone show it", P4, func(in *evidence.Input) {
			in.Workloads = verify.Got([]downstream.Workload{{Object: downstream.Object{Kind: "CronJob", Namespace: "web", Name: "report"}, ECR: true}})
			in.Target, in.CredentialProvider = "v1.27.10+rke2r1", &evidence.CredentialProvider{}
		}, fail, "CronJob web/report"},
		{"AWSM-503", "pull secrets", P4, func(in *evidence.Input) {
			in.Workloads = verify.Got([]downstream.Workload{{Object: downstream.Object{Kind: "Deployment", Namespace: "web", Name: "api"}, ECR: true, PullSecrets: true}})
			node(in, 5).ECRImages, in.Target = 1, "v1.27.10+rke2r1"
		}, warn, "content is not read"},
		{"AWSM-503", "after the install, without a target", P4, func(in *evidence.Input) {
			in.LoosePods.Value = append(in.LoosePods.Value, downstream.Pod{Namespace: "web", Name: "db", Node: nodeName(5), Phase: "Running", ECR: true})
		}, warn, "end with 1.27"},
		{"AWSM-503", "RKE2's default folder cannot be seen", P4, func(in *evidence.Input) { node(in, 5).ECRImages = 2; in.Target = "v1.27.10+rke2r1" }, unknown, "no API shows"},
	}
}

// driver returns a workload of the EBS CSI driver.
func driver(kind string, replicas, ready int32) downstream.Workload {
	return downstream.Workload{Object: downstream.Object{Kind: kind, Namespace: "kube-system", Name: "ebs-csi"}, Replicas: replicas,
		EBSDriver: &downstream.EBSDriver{Image: "public.ecr.aws/ebs-csi-driver/aws-ebs-csi-driver:v1.28.0", Ready: ready}}
}

// withDriver gives every node the driver, with these workloads, and the cluster a volume of it.
func withDriver(in *evidence.Input, workloads ...downstream.Workload) {
	migrated(in)
	in.Volumes.Value = []downstream.Volume{{Name: "pv-2"}}
	in.Workloads = verify.Got(workloads)
}

// migrated gives every node the driver and migration, and the cluster the driver's controller.
func migrated(in *evidence.Input) {
	in.Workloads = verify.Got([]downstream.Workload{driver("Deployment", 2, 2), driver("DaemonSet", 6, 6)})
	for i := range 6 {
		in.CSINodes.Value = append(in.CSINodes.Value, downstream.CSINode{Name: nodeName(i), EBS: true, Migrated: downstream.InTreeEBS})
	}
}

var inTreeVolume = []downstream.Volume{{Name: "pv-1", InTree: true}}
