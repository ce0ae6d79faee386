package checks

import (
	"regexp"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// issued lists every ID of this package. An ID without its check moves to retired and is never
// reused.
var issued = map[string]string{
	"AWSM-110": "the control plane survives a restart",
	"AWSM-112": "etcd members are spread over zones",
	"AWSM-119": "the API shows the arguments that kube-controller-manager runs with",
	"AWSM-131": "an API server is alive for every control plane",
	"AWSM-132": "kube-controller-manager runs on every control plane",
	"AWSM-101": "Kubernetes version has the in-tree provider and leader migration",
	"AWSM-141": "Kubernetes version has the in-tree provider and leader migration",
	"AWSM-142": "the control plane survives a restart",
	"AWSM-143": "etcd members are spread over zones",
	"AWSM-201": "kube-controller-manager may use the migration lease",
	"AWSM-202": "leader election is on, with leases in kube-system",
	"AWSM-203": "lease durations agree",
	"AWSM-204": "leader-migration-config agrees on both sides",
	"AWSM-205": "no other kube-controller-manager process",
	"AWSM-206": "the leading kube-controller-manager runs on a control-plane node",
	"AWSM-207": "no feature gate stops the component",
	"AWSM-208": "the migration lease has the right owner",
	"AWSM-209": "the migration lease is being renewed",
	"AWSM-210": "every in-tree kube-controller-manager next to a CCM has the flag",
	"AWSM-211": "no external kube-controller-manager with the flag",
	"AWSM-212": "the CCM's controllers wait for the migration lease",
	"AWSM-213": "the cluster is at one position of the migration",
	"AWSM-214": "in-tree cloud controllers are enabled",
	"AWSM-215": "no other cloud controller manager is running",
	"AWSM-301": "every node has a ProviderID of AWS",
	"AWSM-302": "no two nodes have the same ProviderID",
	"AWSM-303": "zone labels agree with the ProviderIDs",
	"AWSM-304": "node names survive the switch",
	"AWSM-305": "no two nodes share a machine, instance or address",
	"AWSM-306": "no node waits for a cloud controller",
	"AWSM-307": "every node is ready",
	"AWSM-308": "cordons are those of their users",
	"AWSM-309": "node addresses are those of the fingerprint",
	"AWSM-310": "no node is shut down or out of service",
	"AWSM-311": "every node's arguments show the external provider",
	"AWSM-312": "the nodes are those of the fingerprint",
	"AWSM-313": "Windows nodes keep their names",
	"AWSM-314": "the CCM finds new nodes by their names",
	"AWSM-315": "the first internal address of every node stays first",
	"AWSM-401": "every node's instance exists",
	"AWSM-402": "every node's instance runs",
	"AWSM-403": "instances are in the zone of their ProviderID",
	"AWSM-404": "node names are EC2's private DNS names",
	"AWSM-405": "node addresses are the instance's",
	"AWSM-406": "instances are tagged for exactly one cluster",
	"AWSM-407": "exactly one security group of each instance is tagged",
	"AWSM-408": "the nodes' subnets are tagged",
	"AWSM-409": "RKE2 can read the node's name from the metadata service",
	"AWSM-410": "pod routes have one route table",
	"AWSM-418": "the control plane's role may do what the CCM needs",
	"AWSM-421": "CCM pods reach the metadata service",
	"AWSM-422": "every instance of the cluster has a Node",
	"AWSM-423": "all nodes are in one region and one VPC",
	"AWSM-501": "in-tree EBS volumes have their CSI driver",
	"AWSM-502": "CSIMigrationAWS is not switched off",
	"AWSM-503": "images from ECR can still be pulled",
	"AWSM-504": "the EBS CSI driver is ready and reaches its credentials",
	"AWSM-601": "no Helm release of the CCM in another namespace",
	"AWSM-602": "no HelmChart or HelmChartConfig of the CCM",
	"AWSM-603": "no unowned objects of the CCM",
	"AWSM-604": "a ready CCM pod on every control-plane node",
	"AWSM-605": "the CCM's node selector matches the control plane",
	"AWSM-606": "the CCM tolerates the control plane's taints",
	"AWSM-607": "the CCM image fits the cluster",
	"AWSM-608": "the CCM's pod is admitted",
	"AWSM-609": "pod routes are maintained",
	"AWSM-610": "the CCM's arguments can work",
	"AWSM-611": "CCM pods run without restarts",
	"AWSM-612": "a CCM leads",
	"AWSM-613": "RKE2's own cloud controller manager is off",
	"AWSM-614": "no pod of the CCM was refused",
	"AWSM-615": "no Helm operation of the CCM is half-done",
	"AWSM-616": "the CCM may do what its controllers do",
	"AWSM-617": "the CCM's image comes from the cluster's registry",
	"AWSM-618": "the CCM's DaemonSet replaces its pods",
	"AWSM-801": "load balancers are those of the fingerprint",
	"AWSM-802": "every LoadBalancer Service has its load balancer",
	"AWSM-803": "no load balancer sync fails",
	"AWSM-804": "the load balancer of every Service exists in AWS",
	"AWSM-805": "every Service has one load balancer",
	"AWSM-806": "load balancers are tagged for this cluster alone",
	"AWSM-807": "load balancers have a healthy target",
	"AWSM-808": "no load balancer is left over from a deleted Service",
	"AWSM-809": "load balancers and security groups have room under AWS's limits",
}

// retired lists IDs whose question moved to another ID.
var retired = map[string]bool{"AWSM-141": true, "AWSM-142": true, "AWSM-143": true}

func TestIDsAreStable(t *testing.T) {
	pattern := regexp.MustCompile(`^AWSM-[1-68][0-9]{2}$`)
	seen := map[string]bool{}
	for _, m := range verify.Metas(append(Alone(), all()...)...) {
		if seen[m.ID] || retired[m.ID] || !pattern.MatchString(m.ID) {
			t.Errorf("%s is used twice, retired or malformed", m.ID)
		}
		seen[m.ID] = true
		if issued[m.ID] != m.Title {
			t.Errorf("%s is %q, was given out as %q", m.ID, m.Title, issued[m.ID])
		}
		if m.Category == "" || m.Why == "" || m.Source == "" || m.Fix == "" {
			t.Errorf("%s does not say category, why, source and fix", m.ID)
		}
	}
	for id := range issued {
		if !seen[id] && !retired[id] {
			t.Errorf("%s is gone and not retired", id)
		}
	}
}

func TestForRKELeavesNamesToItsOwnChecks(t *testing.T) {
	for _, c := range For(wellknown.RKE) {
		if c.ID == "AWSM-119" || c.ID == "AWSM-132" || c.ID == "AWSM-304" || c.ID == "AWSM-311" || c.ID == "AWSM-409" {
			t.Errorf("%s is judged for RKE", c.ID)
		}
	}
	if len(For(wellknown.RKE2)) != len(all()) {
		t.Error("RKE2 misses checks")
	}
}
