//go:build slow

package e2e

// brokenNodes returns breakages of Node objects. A ProviderID cannot be changed, so a wrong one
// needs a new Node. Where a fingerprint exists, that would be another breakage.
func brokenNodes() []breakage {
	return []breakage{
		{name: "zone label wrong", speak: []string{"AWSM-303"},
			seed: `kubectl label node $WORKER topology.kubernetes.io/zone=us-east-1q --overwrite`,
			heal: `kubectl label node $WORKER topology.kubernetes.io/zone=$WORKER_ZONE --overwrite`},
		{name: "zone label missing", speak: []string{"AWSM-303"},
			seed: `kubectl label node $PLANE topology.kubernetes.io/zone-`,
			heal: `kubectl label node $PLANE topology.kubernetes.io/zone=$PLANE_ZONE --overwrite`},
		{name: "region label wrong", speak: []string{"AWSM-303"},
			seed: `kubectl label node $WORKER topology.kubernetes.io/region=eu-west-1 --overwrite`,
			heal: `kubectl label node $WORKER topology.kubernetes.io/region=us-east-1 --overwrite`},
		{name: "ProviderID missing", at: "P0", speak: []string{"AWSM-301"},
			seed: `save node $WORKER; renode '/^  providerID:/d'`, heal: `renode ''`},
		{name: "ProviderID in another zone", at: "P0", speak: []string{"AWSM-403"},
			seed: `save node $WORKER; renode "/^  providerID:/s/$WORKER_ZONE/$OTHER_ZONE/"`, heal: `renode ''`},
		{name: "ProviderID of another node's instance", at: "P0", speak: []string{"AWSM-302"},
			seed: `save node $WORKER; renode "/^  providerID:/s/$WORKER_INSTANCE/$PLANE_INSTANCE/"`, heal: `renode ''`},
		{name: "ProviderID of no instance", at: "P0", speak: []string{"AWSM-401"},
			seed: `save node $WORKER; renode "/^  providerID:/s/$WORKER_INSTANCE/i-0123456789abcdef0/"`, heal: `renode ''`},
		{name: "node that waits for a cloud controller", at: "P0", speak: []string{"AWSM-306"},
			seed: `kubectl taint node $WORKER node.cloudprovider.kubernetes.io/uninitialized=true:NoSchedule`,
			heal: `kubectl taint node $WORKER node.cloudprovider.kubernetes.io/uninitialized- || true`},
		{name: "node out of service", speak: []string{"AWSM-310"},
			seed: `kubectl taint node $WORKER node.kubernetes.io/out-of-service=x:NoSchedule`,
			heal: `kubectl taint node $WORKER node.kubernetes.io/out-of-service- || true`},
		{name: "cordon that no run removed", at: "P0 P5", speak: []string{"AWSM-308"},
			seed: `kubectl annotate node $WORKER awsmigrate.io/cordoned-by=run-1; kubectl cordon $WORKER`,
			heal: `kubectl annotate node $WORKER awsmigrate.io/cordoned-by-; kubectl uncordon $WORKER`},
		{name: "cordon of a user", at: "P5", speak: []string{"AWSM-308"}, // before the end a user's cordon is no fault
			seed: `kubectl cordon $WORKER`, heal: `kubectl uncordon $WORKER`},
	}
}
