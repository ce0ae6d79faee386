package checks

import (
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

const nodes = "nodes"

// nodeChecks returns the checks 3xx.
func nodeChecks() []verify.Check[evidence.Input] {
	return []verify.Check[evidence.Input]{
		{Judge: providerIDs, Meta: verify.Meta{
			ID: "AWSM-301", Title: "every node has a ProviderID of AWS", Category: nodes, Mandatory: true,
			Why:    "the CCM never fills in the ProviderID of a node that is initialized, cannot use it for a load balancer, and may delete its Node; a foreign one makes older images panic",
			Source: "k8s.io/cloud-provider node and node lifecycle controllers 1.23 to 1.29; kubernetes/cloud-provider-aws#604; pkg/providers/v1/instances.go MapToAWSInstanceID, the same from v1.22.8 to v1.28.1",
			Fix:    "an empty one: write it, once it is certain which instance the node is; a foreign one: replace the node; an instance's in another form: keep the node, a CCM takes it",
		}},
		{Judge: providerIDUnique, Meta: verify.Meta{
			ID: "AWSM-302", Title: "no two nodes have the same ProviderID", Category: nodes, Mandatory: true,
			Why:    "with two nodes for one instance the CCM's route and load balancer controllers fail for all of them",
			Source: "kubernetes/cloud-provider-aws: \"multiple nodes with instanceID\"",
			Fix:    "find out which Node is alive (kubelet heartbeat), and whether the machine of the other is gone, before anything is removed",
		}},
		{Judge: zoneLabels, Meta: verify.Meta{
			ID: "AWSM-303", Title: "zone labels agree with the ProviderIDs", Category: nodes,
			Why:    "volumes and load balancers follow the label",
			Source: "label topology.kubernetes.io/zone, set once at initialization",
			Fix:    "look in EC2 which instance the node is and in which zone, and set the label topology.kubernetes.io/zone to that",
		}},
		{Judge: namesSurvive, Meta: verify.Meta{
			ID: "AWSM-304", Title: "node names survive the switch", Category: nodes,
			Mandatory: true, DecidesNames: true,
			NotFor:  []wellknown.Distribution{wellknown.RKE}, // rke's own checks decide names
			Applies: position.BeforeSwitch(),
			Why:     "a kubelet with the external provider names its node by override or host name, no longer by EC2's private DNS name: a renamed node registers a second time and its pods are evicted",
			Source:  "cmd/kubelet/app/server.go getNodeName 1.26; rancher/rke2 pkg/rke2/rke2_linux.go v1.26.15+rke2r1",
			Fix:     "use --end-state overrides where label kubernetes.io/hostname equals the node's name, or give every node an explicit node-name",
		}},
		{Judge: oneNodePerMachine, Meta: verify.Meta{
			ID: "AWSM-305", Title: "no two nodes share a machine, instance or address", Category: nodes, Mandatory: true,
			Why:    "a renamed node appears as a second node",
			Source: "label rke.cattle.io/machine, spec.providerID, status.addresses",
			Fix:    "find out which of the Nodes the machine is; during a switch stop the roll and undo",
		}},
		{Judge: uninitialized, Meta: verify.Meta{
			ID: "AWSM-306", Title: "no node waits for a cloud controller", Category: nodes,
			Why:    "pods that do not tolerate the taint never run there",
			Source: "taint node.cloudprovider.kubernetes.io/uninitialized, removed by the cloud-node controller",
			Fix:    "look at the CCM's log: it finds a new node's instance by the node's name",
		}},
		{Judge: ready, Meta: verify.Meta{
			ID: "AWSM-307", Title: "every node is ready", Category: nodes, Mandatory: true,
			Why:    "a control plane that is down comes back with its old arguments; a node that is not ready can lose its Node object during the switch",
			Source: "condition Ready; k8s.io/cloud-provider node lifecycle controller",
			Fix:    "bring the node back or remove its machine",
		}},
		{Judge: cordons, Meta: verify.Meta{
			ID: "AWSM-308", Title: "cordons are those of their users", Category: nodes, Subjects: []verify.Subject{verify.Cordons},
			Why:    "a cordon of awsmigrate that stays keeps pods away; a lost one lets pods onto a node under maintenance",
			Source: "annotation awsmigrate.io/cordoned-by; Rancher uncordons every node that it drained",
			Fix:    "cordon or uncordon the node, as it was before",
		}},
		{Judge: addressesStable, Meta: verify.Meta{
			ID: "AWSM-309", Title: "node addresses are those of the fingerprint", Category: nodes,
			Why:    "in-tree kubelets and a CCM both write addresses and may take turns",
			Source: "kubernetes/kubernetes pkg/kubelet/nodestatus setters 1.26",
			Fix:    "nothing to do if it settles after the switch; otherwise find out which writer the addresses are of, and whether anything reaches nodes by the old ones",
		}},
		{Judge: shutDown, Meta: verify.Meta{
			ID: "AWSM-310", Title: "no node is shut down or out of service", Category: nodes, Mandatory: true,
			Why:    "a machine that comes back later comes back with its old arguments",
			Source: "taints node.cloudprovider.kubernetes.io/shutdown, node.kubernetes.io/out-of-service",
			Fix:    "start the instance or remove its machine",
		}},
		{Judge: kubeletsExternal, Meta: verify.Meta{
			ID: "AWSM-311", Title: "every node's arguments show the external provider", Category: nodes, Subjects: []verify.Subject{verify.Kubelets},
			NotFor:  []wellknown.Distribution{wellknown.RKE}, // rke keeps arguments off the Nodes
			Applies: position.Switched(),
			Why:     "a kubelet that is still in-tree names and addresses its node itself; without the flag a new node gets no ProviderID",
			Source:  "annotation rke2.io/node-args, written at each start of the service",
			Fix:     "look whether Rancher has applied the last change to that machine",
		}},
		{Judge: sameNodes, Meta: verify.Meta{
			ID: "AWSM-312", Title: "the nodes are those of the fingerprint", Category: nodes, Mandatory: true,
			Why:    "a Node that disappears or changes its UID takes its pods with it",
			Source: "Node name, UID, spec.providerID; spec.providerID is immutable",
			Fix:    "find out what changed the Node; during a switch stop the rollout and undo",
		}},
		{Judge: windows, Meta: verify.Meta{
			ID: "AWSM-313", Title: "Windows nodes keep their names", Category: nodes, Mandatory: true, DecidesNames: true,
			Applies: position.BeforeSwitch(),
			Why:     "an RKE2 agent on Windows never asks the metadata service for its name",
			Source:  "rancher/rke2 pkg/rke2/rke2_windows.go",
			Fix:     "give the node an explicit node-name equal to its present name",
		}},
		{Judge: foundByName, Meta: verify.Meta{
			ID: "AWSM-314", Title: "the CCM finds new nodes by their names", Category: nodes,
			Applies: position.BeforeSwitch(),
			Why:     "a node that joins after the switch has no ProviderID: the CCM finds its instance by the name, and without it the node keeps its taint",
			Source:  "kubernetes/cloud-provider-aws:pkg/providers/v1/aws.go nodeNameToInstanceID@v1.22.8, v1.23.20, v1.24.19, v1.25.15, v1.26.11; kubernetes/cloud-provider-aws#285",
			Fix:     "upgrade to Kubernetes 1.26 first",
		}},
		{Judge: firstAddressStays, Meta: verify.Meta{
			ID: "AWSM-315", Title: "the first internal address of every node stays first", Category: nodes,
			Applies: position.BeforeSwitch(),
			Why:     "API servers reach a kubelet by its Node's first internal address, and CCMs before v1.26.12 list several network interfaces in any order",
			Source:  "kubernetes/cloud-provider-aws pkg/providers/v1/aws.go extractIPv4NodeAddresses, v1.22.8 to v1.26.11; in-tree NodeAddresses sorts by device number",
			Fix:     "give the kubelets the argument node-ip with the present address, or upgrade to Kubernetes 1.26 before the switch",
		}},
	}
}
