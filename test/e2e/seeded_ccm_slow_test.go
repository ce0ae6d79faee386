//go:build slow

package e2e

// brokenCCM returns the breakages of the cloud controller manager's own objects, where it is
// installed.
func brokenCCM() []breakage {
	const ds = `aws-cloud-controller-manager`
	patch := func(operations string) string {
		return `save ds ` + ds + `; system patch ds ` + ds + ` --type=json -p "[` + operations + `]"`
	}
	const template = `/spec/template/spec`
	// All pods at once, because a rollout waits for each pod to be available.
	const back = `restore ds ` + ds + `; system delete pods -l k8s-app=` + ds
	const failing = `system get pods -l k8s-app=` + ds + ` -o 'jsonpath={.items[*].status.containerStatuses[*].state.waiting.reason}' | grep -E 'ErrImagePull|ImagePullBackOff|CrashLoopBackOff|Error'`
	return []breakage{
		{name: "CCM kept off one control plane", at: "P3 P5", speak: []string{"AWSM-604"},
			seed:  patch(`{\"op\":\"add\",\"path\":\"` + template + `/affinity\",\"value\":{\"nodeAffinity\":{\"requiredDuringSchedulingIgnoredDuringExecution\":{\"nodeSelectorTerms\":[{\"matchExpressions\":[{\"key\":\"kubernetes.io/hostname\",\"operator\":\"NotIn\",\"values\":[\"$PLANE\"]}]}]}}}}`),
			until: `! system get pods -l k8s-app=` + ds + ` -o 'jsonpath={.items[*].spec.nodeName}' | grep $PLANE`, heal: back},
		{name: "CCM's image not there", at: "P3 P5", speak: []string{"AWSM-604"},
			seed:  patch(`{\"op\":\"replace\",\"path\":\"` + template + `/containers/0/image\",\"value\":\"registry.example/none:v1\"}`),
			until: failing, heal: back},
		{name: "CCM's argument unknown", at: "P3 P5", speak: []string{"AWSM-604"},
			seed:  patch(`{\"op\":\"add\",\"path\":\"` + template + `/containers/0/args/-\",\"value\":\"--bogus=1\"}`),
			until: failing, heal: back},
		{name: "CCM's node selector matches nothing", at: "P3 P5", speak: []string{"AWSM-605"},
			seed: patch(`{\"op\":\"add\",\"path\":\"` + template + `/nodeSelector\",\"value\":{\"no\":\"such\"}}`), heal: back},
		{name: "CCM without leader migration", at: "P3", speak: []string{"AWSM-210"},
			seed:  patch(`{\"op\":\"add\",\"path\":\"` + template + `/containers/0/args/-\",\"value\":\"--enable-leader-migration=false\"}`),
			until: `system delete pods -l k8s-app=` + ds + `; system rollout status ds ` + ds + ` --timeout=60s`, heal: back},
		{name: "CCM deleted", at: "P5", speak: []string{"AWSM-213"},
			seed: `save ds ` + ds + `; system delete ds ` + ds + ` --cascade=foreground`,
			heal: back},
		{name: "CCM frozen on one control plane", at: "P3 P5", speak: []string{"AWSM-604"},
			seed:  `lever kill --signal STOP aws-cloud-controller-manager@$PLANE_MACHINE`,
			until: `system get pods -l k8s-app=` + ds + ` --field-selector spec.nodeName=$PLANE -o 'jsonpath={.items[*].status.conditions[?(@.type=="Ready")].status}' | grep False`,
			// A restart by its probe would be reported for ever.
			heal: `lever kill --signal CONT aws-cloud-controller-manager@$PLANE_MACHINE || true; system delete pods -l k8s-app=` + ds},
		{name: "CCM's rights deleted", at: "P3 P5", speak: []string{"AWSM-616"},
			seed: `save clusterrolebinding system:cloud-controller-manager; kubectl delete clusterrolebinding system:cloud-controller-manager`,
			heal: `restore clusterrolebinding system:cloud-controller-manager`},
		{name: "load balancer that cannot be made", speak: []string{"AWSM-418", "AWSM-802"},
			seed: `policy "$NO_BALANCERS"; kubectl -n default create service loadbalancer seeded --tcp=80`,
			heal: `policy "$POLICY"; kubectl -n default delete service seeded --ignore-not-found --wait; kubectl -n default delete events --all >/dev/null`},
	}
}
