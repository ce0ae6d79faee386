package awschecks

import (
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

const aws = "aws"

// All returns the checks 4xx.
func All() []verify.Check[evidence.Input] {
	return []verify.Check[evidence.Input]{
		{Judge: instancesExist, Meta: verify.Meta{
			ID: "AWSM-401", Title: "every node's instance exists", Category: aws,
			Why:    "the node lifecycle controller deletes a Node that is not ready and whose instance does not exist",
			Source: "k8s.io/cloud-provider controllers/nodelifecycle",
			Fix:    "find out which machine the Node stands for before anything is removed; or look in the right account and region (--profile, --region)",
		}},
		{Judge: instancesRun, Meta: verify.Meta{
			ID: "AWSM-402", Title: "every node's instance runs", Category: aws,
			Why:    "a stopped machine comes back later with its old arguments",
			Source: "EC2 DescribeInstances, state",
			Fix:    "start the instance or remove its machine",
		}},
		{Judge: instanceZones, Meta: verify.Meta{
			ID: "AWSM-403", Title: "instances are in the zone of their ProviderID", Category: aws,
			Why:    "the ProviderID cannot be changed; a wrong zone in it misleads volumes and routes",
			Source: "EC2 DescribeInstances, placement",
			Fix:    "replace the node",
		}},
		{Judge: privateNames, Meta: verify.Meta{
			ID: "AWSM-404", Title: "node names are EC2's private DNS names", Category: aws,
			Why:    "an in-tree kubelet takes that name whatever its arguments say: a node with another name cannot go back in-tree",
			Source: "in-tree AWS provider CurrentNodeName; kubernetes/kubernetes#54482",
			Fix:    "before an undo replace the nodes that joined under another name",
		}},
		{Judge: instanceAddresses, Meta: verify.Meta{
			ID: "AWSM-405", Title: "node addresses are the instance's", Category: aws,
			Why:    "a Node that shows another instance's address stands for the wrong machine",
			Source: "EC2 DescribeInstances, network interfaces; status.addresses InternalIP",
			Fix:    "find out which machine the Node stands for",
		}},
		{Judge: clusterTags, Meta: verify.Meta{
			ID: "AWSM-406", Title: "instances are tagged for exactly one cluster", Category: aws,
			Why:    "without a cluster tag the CCM exits at start, where kube-controller-manager may be configured to continue; with two it cannot decide",
			Source: "cloud-provider-aws pkg/providers/v1/tags.go, aws.go (KubernetesClusterID, describeInstances); --allow-untagged-cloud",
			Fix:    "give each instance the tag kubernetes.io/cluster/CLUSTER of its one cluster, the control plane's, and no other's",
		}},
		{Judge: securityGroups, Meta: verify.Meta{
			ID: "AWSM-407", Title: "exactly one security group of each instance is tagged", Category: aws,
			Why:    "load balancers open ports in the node's tagged group; with several, or none of several, every sync fails",
			Source: "cloud-provider-aws findSecurityGroupForInstance",
			Fix:    "keep the tag kubernetes.io/cluster/CLUSTER on one group only",
		}},
		{Judge: subnets, Meta: verify.Meta{
			ID: "AWSM-408", Title: "the nodes' subnets are tagged", Category: aws,
			Why:    "new load balancers look for subnets by the cluster tag",
			Source: "cloud-provider-aws findSubnets",
			Fix:    "give the subnet the tag kubernetes.io/cluster/CLUSTER, value shared, of the control plane's cluster",
		}},
		{Judge: httpTokens, Meta: verify.Meta{
			ID: "AWSM-409", Title: "RKE2 can read the node's name from the metadata service", Category: aws, DecidesNames: true,
			NotFor:  []wellknown.Distribution{wellknown.RKE}, // rke's own checks decide names
			Applies: position.BeforeSwitch(),
			Why:     "RKE2 up to 1.28 asks without a token; where tokens are required it takes hostname -f: an external kubelet registers that name, an in-tree one is refused if its private DNS name differs",
			Source:  "rancher/rke2 pkg/rke2/rke2_linux.go v1.26.15+rke2r1 hostnameFromMetadataEndpoint; k3s-io/k3s pkg/agent/config/config.go (the kubelet's certificate)",
			Fix:     "let the instance be asked without a token (HttpTokens=optional) until RKE2 is 1.29.11 or later",
		}},
		{Judge: routeTables, Meta: verify.Meta{
			ID: "AWSM-410", Title: "pod routes have one route table", Category: aws,
			Why:    "the route controller needs exactly one table tagged for the cluster",
			Source: "cloud-provider-aws pkg/providers/v1/aws_routes.go findRouteTable",
			Fix:    "tag one route table, or set --cloud-routes=off if nothing uses pod routes",
		}},
		{Judge: iamActions, Meta: verify.Meta{
			ID: "AWSM-418", Title: "the control plane's role may do what the CCM needs", Category: aws, NeedsControlPlane: true,
			Why:    "a missing action shows only when a Service or node changes, long after the switch",
			Source: "cloud-provider-aws docs/prerequisites.md and call lists of the image's version",
			Fix:    "allow the missing actions to the role; the finding has a command for it",
		}},
		{Judge: hopLimit, Meta: verify.Meta{
			ID: "AWSM-421", Title: "CCM pods reach the metadata service", Category: aws,
			Applies: position.WithCCM(),
			Why:     "from the pod network an answer with hop limit 1 never arrives",
			Source:  "EC2 metadata options HttpPutResponseHopLimit",
			Fix:     "run the CCM in the host network (chart value hostNetworking: true)",
		}},
		{Judge: everyInstanceHasNode, Meta: verify.Meta{
			ID: "AWSM-422", Title: "every instance of the cluster has a Node", Category: aws,
			Why:    "a machine whose Node was deleted keeps running and does not register again until a restart; it then comes back with its old arguments",
			Source: "k8s.io/cloud-provider node lifecycle controller; kubernetes/kubernetes#81636; kubernetes/cloud-provider-aws#916",
			Fix:    "find out what the machine is: let it join again, remove it, or take the cluster's tag off it",
		}},
		{Judge: onePlace, Meta: verify.Meta{
			ID: "AWSM-423", Title: "all nodes are in one region and one VPC", Category: aws,
			Why:    "a CCM asks EC2 in its own instance's region and works in its VPC: for it the instances of another region do not exist, and their Nodes are deleted when they are not ready",
			Source: "kubernetes/cloud-provider-aws:pkg/providers/v1/aws.go@v1.26.0 newAWSCloud",
			Fix:    "move the nodes to the control plane's region and VPC",
		}},
	}
}
