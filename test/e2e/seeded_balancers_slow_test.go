//go:build slow

package e2e

// endpoint gives the lab's Service a ready endpoint, so that it should have healthy targets.
const endpoint = `printf '{"apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "addressType": "IPv4", "ports": [{"port": 80}],
	"metadata": {"name": "web-lab", "labels": {"kubernetes.io/service-name": "web", "endpointslice.kubernetes.io/managed-by": "lab"}},
	"endpoints": [{"addresses": ["10.42.0.99"], "conditions": {"ready": true}}]}' | kubectl apply -f -
`

// brokenBalancers returns breakages of load balancers in AWS. What cannot be healed is done to a
// Service that was created after the fingerprint.
func brokenBalancers() []breakage {
	return []breakage{
		{name: "load balancer deleted", speak: []string{"AWSM-804"},
			seed: `serve gone ""; elb delete-load-balancer --load-balancer-name $(name gone)`,
			heal: `kubectl delete service gone`},
		{name: "load balancer created anew", speak: []string{"AWSM-804"},
			seed: `serve anew ""; elb delete-load-balancer --load-balancer-name $(name anew); another $(name anew)`,
			heal: `kubectl delete service anew`},
		{name: "two load balancers of one Service", speak: []string{"AWSM-805"},
			seed: `serve both nlb; name both >"$STATE/both"; another $(name both)`,
			heal: `kubectl delete service both; elb delete-load-balancer --load-balancer-name $(cat "$STATE/both")`},
		{name: "load balancer tagged for two clusters", speak: []string{"AWSM-806"},
			seed: `elb add-tags --load-balancer-names $(name web) --tags Key=kubernetes.io/cluster/other,Value=owned`,
			heal: `elb remove-tags --load-balancer-names $(name web) --tags Key=kubernetes.io/cluster/other`},
		{name: "load balancer tagged for another cluster", speak: []string{"AWSM-806"},
			seed: `elb remove-tags --load-balancer-names $(name web) --tags Key=kubernetes.io/cluster/$CLUSTER; elb add-tags --load-balancer-names $(name web) --tags Key=kubernetes.io/cluster/other,Value=owned`,
			heal: `elb add-tags --load-balancer-names $(name web) --tags Key=kubernetes.io/cluster/$CLUSTER,Value=owned; elb remove-tags --load-balancer-names $(name web) --tags Key=kubernetes.io/cluster/other`},
		{name: "no healthy target", speak: []string{"AWSM-807"},
			seed: endpoint + `elb deregister-instances-from-load-balancer --load-balancer-name $(name web) --instances $(kubectl get nodes -o jsonpath='{.items[*].spec.providerID}' | sed 's|[^ ]*/||g')`,
			heal: `sync; kubectl delete endpointslice web-lab`},
		{name: "load balancer of a deleted Service", speak: []string{"AWSM-808"},
			seed: `another a0123456789abcdef0123456789abcde`,
			heal: `elb delete-load-balancer --load-balancer-name a0123456789abcdef0123456789abcde`},
		{name: "nodes' security group nearly full", speak: []string{"AWSM-809"},
			seed: `for n in $(seq 55); do rule authorize 10.9.$n.0/24; done`,
			heal: `for n in $(seq 55); do rule revoke 10.9.$n.0/24; done`},
	}
}
