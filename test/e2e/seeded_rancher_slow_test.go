//go:build slow

package e2e

// brokenRancher returns breakages in Rancher, and in awsmigrate's own records.
func brokenRancher() []breakage {
	return []breakage{
		{name: "cluster paused", speak: []string{"AWSM-105"},
			seed:  `mgmt annotate rkecontrolplane demo cluster.x-k8s.io/paused=true`,
			until: `mgmt get rkecontrolplane demo -o 'jsonpath={.status.conditions[?(@.type=="Ready")].status}' | grep Unknown`,
			heal:  `mgmt annotate rkecontrolplane demo cluster.x-k8s.io/paused-`},
		{name: "Argo CD keeps the Cluster", speak: []string{"AWSM-106"},
			seed: `mgmt annotate clusters.provisioning.cattle.io demo argocd.argoproj.io/tracking-id=apps:demo`,
			heal: `mgmt annotate clusters.provisioning.cattle.io demo argocd.argoproj.io/tracking-id-`},
		{name: "journal that is broken", at: "P3 P5", refused: 9,
			seed: `mgmt get cm awsmigrate-demo -o yaml | sed '/^  resourceVersion:/d' >$STATE/journal; mgmt patch cm awsmigrate-demo --type=merge -p '{"data":{"journal.json":"{"}}'`,
			heal: `mgmt replace -f $STATE/journal`},
	}
}
