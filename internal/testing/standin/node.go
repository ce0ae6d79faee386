package standin

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Cluster is the cluster ID in the tags of instances.
const Cluster = "demo"

// controlPlanes is the number of control planes, which are the first Nodes.
const controlPlanes = 3

const images = 50 // a kubelet's default maximum in its Node

var created = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)

// InstanceID returns the instance of the i-th Node.
func InstanceID(i int) string { return fmt.Sprintf("i-%017x", i+1) }

// Zone returns the zone of the i-th Node.
func Zone(i int) string { return "us-east-1" + string(rune('a'+i%3)) }

func address(i int) string { return fmt.Sprintf("10.%d.%d.%d", i>>16, i>>8&0xff, i&0xff) }

// Name returns the name of the i-th Node: EC2's private DNS name.
func Name(i int) string {
	return fmt.Sprintf("ip-10-%d-%d-%d.ec2.internal", i>>16, i>>8&0xff, i&0xff)
}

// Node returns the i-th Node: an RKE2 node of about 20 KB, mostly images and managedFields as
// in real clusters.
func Node(i int) *corev1.Node {
	n := &corev1.Node{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Node"},
		ObjectMeta: metav1.ObjectMeta{
			Name: Name(i), UID: types.UID(fmt.Sprintf("%08x-0000-4000-8000-000000000000", i)), ResourceVersion: fmt.Sprint(1000 + i),
			CreationTimestamp: metav1.NewTime(created), Labels: labels(i), Annotations: annotations(i), ManagedFields: managedFields(),
		},
		Spec: corev1.NodeSpec{
			ProviderID: "aws:///" + Zone(i) + "/" + InstanceID(i),
			PodCIDR:    fmt.Sprintf("10.42.%d.0/24", i%256), PodCIDRs: []string{fmt.Sprintf("10.42.%d.0/24", i%256)},
		},
		Status: status(i),
	}
	if i < controlPlanes {
		n.Spec.Taints = []corev1.Taint{{Key: "node-role.kubernetes.io/control-plane", Effect: corev1.TaintEffectNoSchedule}}
	}
	return n
}

func labels(i int) map[string]string {
	out := map[string]string{
		"beta.kubernetes.io/arch": "amd64", "beta.kubernetes.io/instance-type": "m5.xlarge", "beta.kubernetes.io/os": "linux",
		"cattle.io/os": "linux", "failure-domain.beta.kubernetes.io/region": "us-east-1", "failure-domain.beta.kubernetes.io/zone": Zone(i),
		"kubernetes.io/arch": "amd64", "kubernetes.io/hostname": Name(i), "kubernetes.io/os": "linux",
		"node.kubernetes.io/instance-type": "rke2", "rke.cattle.io/machine": fmt.Sprintf("%08x-0000-4000-9000-000000000000", i),
		"topology.ebs.csi.aws.com/zone": Zone(i), "topology.kubernetes.io/region": "us-east-1", "topology.kubernetes.io/zone": Zone(i),
		"example.com/team": fmt.Sprintf("team-%d", i%40), "example.com/pool": fmt.Sprintf("pool-%d", i%12),
	}
	role := "worker"
	if i < controlPlanes {
		role = "control-plane"
	}
	out["node-role.kubernetes.io/"+role] = "true"
	return out
}

func annotations(i int) map[string]string {
	return map[string]string{
		"cluster.x-k8s.io/cluster-name": Cluster, "cluster.x-k8s.io/cluster-namespace": "fleet-default",
		"cluster.x-k8s.io/machine":                               fmt.Sprintf("demo-worker-%08x", i),
		"csi.volume.kubernetes.io/nodeid":                        `{"ebs.csi.aws.com":"` + InstanceID(i) + `"}`,
		"node.alpha.kubernetes.io/ttl":                           "0",
		"projectcalico.org/IPv4Address":                          address(i) + "/20",
		"projectcalico.org/IPv4VXLANTunnelAddr":                  "10.42.0.1",
		"rke2.io/hostname":                                       Name(i),
		"rke2.io/internal-ip":                                    address(i),
		"rke2.io/node-args":                                      `["agent","--cloud-provider-name","aws","--node-label","cattle.io/os=linux","--node-label","rke.cattle.io/machine=x","--protect-kernel-defaults","false","--server","https://10.0.0.10:9345","--token","********"]`,
		"rke2.io/node-config-hash":                               fmt.Sprintf("%052X====", i),
		"rke2.io/node-env":                                       `{}`,
		"volumes.kubernetes.io/controller-managed-attach-detach": "true",
	}
}

// managedFields returns the fields of a kubelet and two controllers.
func managedFields() []metav1.ManagedFieldsEntry {
	at := metav1.NewTime(created)
	entry := func(manager, subresource, fields string) metav1.ManagedFieldsEntry {
		return metav1.ManagedFieldsEntry{
			Manager: manager, Operation: metav1.ManagedFieldsOperationUpdate, APIVersion: "v1", Time: &at, FieldsType: "FieldsV1",
			FieldsV1: metav1.NewFieldsV1(fields), Subresource: subresource,
		}
	}
	meta := `{"f:metadata":{"f:annotations":{".":{}`
	for k := range annotations(0) {
		meta += `,"f:` + k + `":{}`
	}
	meta += `},"f:labels":{".":{}`
	for k := range labels(0) {
		meta += `,"f:` + k + `":{}`
	}
	meta += `}},"f:spec":{"f:providerID":{}}}`
	conditions := `{"f:status":{"f:conditions":{".":{}`
	for _, t := range []string{"DiskPressure", "MemoryPressure", "PIDPressure", "Ready", "NetworkUnavailable"} {
		conditions += `,"k:{\"type\":\"` + t + `\"}":{".":{},"f:lastHeartbeatTime":{},"f:lastTransitionTime":{},"f:message":{},"f:reason":{},"f:status":{},"f:type":{}}`
	}
	conditions += `},"f:images":{},"f:nodeInfo":{"f:bootID":{},"f:containerRuntimeVersion":{},"f:kernelVersion":{},"f:kubeletVersion":{},"f:machineID":{}}}}`
	return []metav1.ManagedFieldsEntry{
		entry("kubelet", "", meta), entry("kubelet", "status", conditions),
		entry("kube-controller-manager", "", `{"f:spec":{"f:podCIDR":{},"f:podCIDRs":{".":{},"v:\"10.42.0.0/24\"":{}}}}`),
	}
}

func status(i int) corev1.NodeStatus {
	resources := corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse("4"), corev1.ResourceMemory: resource.MustParse("15896Mi"),
		corev1.ResourcePods: resource.MustParse("110"), corev1.ResourceEphemeralStorage: resource.MustParse("81106868Ki"),
	}
	s := corev1.NodeStatus{
		Capacity: resources, Allocatable: resources,
		Addresses: []corev1.NodeAddress{
			{Type: corev1.NodeInternalIP, Address: address(i)}, {Type: corev1.NodeHostName, Address: Name(i)}, {Type: corev1.NodeInternalDNS, Address: Name(i)},
		},
		NodeInfo: corev1.NodeSystemInfo{
			MachineID: fmt.Sprintf("%032x", i), SystemUUID: fmt.Sprintf("%032x", i), BootID: fmt.Sprintf("%032x", i), KernelVersion: "5.15.0-1051-aws",
			OSImage: "Ubuntu 22.04.3 LTS", ContainerRuntimeVersion: "containerd://1.7.11-k3s2", KubeletVersion: "v1.26.13+rke2r1",
			OperatingSystem: "linux", Architecture: "amd64",
		},
	}
	at := metav1.NewTime(created)
	for _, c := range []corev1.NodeCondition{
		{Type: corev1.NodeMemoryPressure, Status: "False", Reason: "KubeletHasSufficientMemory", Message: "kubelet has sufficient memory available"},
		{Type: corev1.NodeDiskPressure, Status: "False", Reason: "KubeletHasNoDiskPressure", Message: "kubelet has no disk pressure"},
		{Type: corev1.NodePIDPressure, Status: "False", Reason: "KubeletHasSufficientPID", Message: "kubelet has sufficient PID available"},
		{Type: corev1.NodeNetworkUnavailable, Status: "False", Reason: "CalicoIsUp", Message: "Calico is running on this node"},
		{Type: corev1.NodeReady, Status: "True", Reason: "KubeletReady", Message: "kubelet is posting ready status. AppArmor enabled"},
	} {
		c.LastHeartbeatTime, c.LastTransitionTime = at, at
		s.Conditions = append(s.Conditions, c)
	}
	for k := range images {
		repository := fmt.Sprintf("docker.io/rancher/mirrored-component-of-some-length-%02d", (i+k)%200)
		s.Images = append(s.Images, corev1.ContainerImage{
			Names:     []string{fmt.Sprintf("%s@sha256:%064x", repository, k+1), repository + ":v1.26.13-build20240117"},
			SizeBytes: int64(k+1) * 10_000_000,
		})
	}
	return s
}
