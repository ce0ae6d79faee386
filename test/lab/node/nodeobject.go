package node

import (
	"maps"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	uninitializedTaint   = "node.cloudprovider.kubernetes.io/uninitialized"
	providedIPAnnotation = "alpha.kubernetes.io/provided-node-ip"
	cmadAnnotation       = "volumes.kubernetes.io/controller-managed-attach-detach"
	machineLabel         = "rke.cattle.io/machine"
)

// initialNode returns the Node that the kubelet creates if none of that name exists
// (kubernetes/kubernetes:pkg/kubelet/kubelet_node_status.go@v1.26.13). A Node gets taints only
// here, including the external cloud provider's.
func initialNode(id identity, args []string) *corev1.Node {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{
		Name:        id.Name,
		Labels:      defaultLabels(id),
		Annotations: map[string]string{cmadAnnotation: "true"},
	}}
	taints, _ := lastFlag(args, "register-with-taints")
	node.Spec.Taints = parseTaints(taints)
	if id.Provider == "external" {
		node.Spec.Taints = append(node.Spec.Taints, corev1.Taint{
			Key: uninitializedTaint, Value: "true", Effect: corev1.TaintEffectNoSchedule,
		})
	}
	labels, _ := lastFlag(args, "node-labels")
	maps.Copy(node.Labels, kubeletLabels(parseLabels(labels)))
	if id.Provider == "aws" {
		node.Spec.ProviderID = "aws:///" + id.Instance.Zone + "/" + id.Instance.ID
	}
	setAddresses(node, id)
	return node
}

// defaultLabels returns the labels that the kubelet sets, and corrects on an existing Node.
func defaultLabels(id identity) map[string]string {
	labels := map[string]string{
		corev1.LabelHostname: id.Hostname,
		corev1.LabelOSStable: "linux", corev1.LabelArchStable: "amd64",
		"beta.kubernetes.io/os": "linux", "beta.kubernetes.io/arch": "amd64",
	}
	if id.Provider != "aws" {
		return labels
	}
	if zone := id.Instance.Zone; zone != "" {
		region := Facts{Zone: zone}.Region()
		labels[corev1.LabelTopologyZone], labels[corev1.LabelFailureDomainBetaZone] = zone, zone
		labels[corev1.LabelTopologyRegion], labels[corev1.LabelFailureDomainBetaRegion] = region, region
	}
	if kind := id.Instance.Type; kind != "" {
		labels[corev1.LabelInstanceTypeStable], labels[corev1.LabelInstanceType] = kind, kind
	}
	return labels
}

// reconcileExisting makes the only change of a restarted kubelet to an existing Node: its
// default labels. It sets neither taints nor a missing ProviderID.
func reconcileExisting(existing *corev1.Node, id identity) {
	if existing.Labels == nil {
		existing.Labels = map[string]string{}
	}
	maps.Copy(existing.Labels, defaultLabels(id))
	setAnnotation(&existing.ObjectMeta, cmadAnnotation, "true")
}

// setAddresses follows pkg/kubelet/nodestatus/setters.go@v1.26.13 (NodeAddress). With an
// external provider, existing addresses are kept. With an in-tree provider, --hostname-override
// replaces the Hostname.
func setAddresses(node *corev1.Node, id identity) {
	if id.NodeIP != "" && id.Provider != "" {
		setAnnotation(&node.ObjectMeta, providedIPAnnotation, id.NodeIP)
	} else {
		delete(node.Annotations, providedIPAnnotation)
	}
	switch {
	case id.Provider == "external" && len(node.Status.Addresses) > 0:
	case id.Provider == "aws":
		node.Status.Addresses = instanceAddresses(id)
	default:
		node.Status.Addresses = []corev1.NodeAddress{
			{Type: corev1.NodeInternalIP, Address: id.NodeIP},
			{Type: corev1.NodeHostName, Address: id.Hostname},
		}
	}
}

func instanceAddresses(id identity) []corev1.NodeAddress {
	i := id.Instance
	addresses := []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: i.PrivateIP}}
	if i.PublicIP != "" {
		addresses = append(addresses, corev1.NodeAddress{Type: corev1.NodeExternalIP, Address: i.PublicIP})
	}
	addresses = append(addresses,
		corev1.NodeAddress{Type: corev1.NodeInternalDNS, Address: i.PrivateDNSName},
		corev1.NodeAddress{Type: corev1.NodeHostName, Address: id.Hostname})
	if i.PublicDNS != "" {
		addresses = append(addresses, corev1.NodeAddress{Type: corev1.NodeExternalDNS, Address: i.PublicDNS})
	}
	return addresses
}

// rke2Labels and rke2Annotations return the labels and annotations that RKE2 and Rancher set on
// the Node with their own rights, because the kubelet may not.
func rke2Labels(c RKE2Config, roles Roles) map[string]string {
	labels := parseLabels(strings.Join(c.List("node-label"), ","))
	for role, has := range map[string]bool{
		"control-plane": roles.ControlPlane, "master": roles.ControlPlane, "etcd": roles.Etcd, "worker": roles.Worker,
	} {
		if has {
			labels["node-role.kubernetes.io/"+role] = "true"
		}
	}
	return labels
}

func rke2Annotations(c RKE2Config, id identity, server bool) map[string]string {
	annotations := nodeConfigAnnotations(c, server)
	annotations[hostnameAnnotation] = id.Hostname
	annotations[internalIPAnnotation] = id.NodeIP
	return annotations
}

// kubeletLabels removes the labels that NodeRestriction refuses to a kubelet.
func kubeletLabels(labels map[string]string) map[string]string {
	out := map[string]string{}
	for key, value := range labels {
		prefix, _, _ := strings.Cut(key, "/")
		if strings.HasSuffix(prefix, "kubernetes.io") || strings.HasSuffix(prefix, "k8s.io") {
			continue
		}
		out[key] = value
	}
	return out
}

func parseLabels(text string) map[string]string {
	out := map[string]string{}
	for _, item := range strings.Split(text, ",") {
		if key, value, _ := strings.Cut(item, "="); key != "" {
			out[key] = value
		}
	}
	return out
}

// parseTaints parses key[=value]:effect, separated by commas.
func parseTaints(text string) []corev1.Taint {
	var out []corev1.Taint
	for _, item := range strings.Split(text, ",") {
		i := strings.LastIndex(item, ":")
		if i < 0 {
			continue
		}
		key, value, _ := strings.Cut(item[:i], "=")
		out = append(out, corev1.Taint{Key: key, Value: value, Effect: corev1.TaintEffect(item[i+1:])})
	}
	return out
}

func setAnnotation(meta *metav1.ObjectMeta, key, value string) {
	if meta.Annotations == nil {
		meta.Annotations = map[string]string{}
	}
	meta.Annotations[key] = value
}
