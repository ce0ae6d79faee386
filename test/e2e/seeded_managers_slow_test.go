//go:build slow

package e2e

// Manifests of unexpected managers.
const (
	// secondCCM and secondKCM are pods of unexpected managers. secondCCM uses a kubeconfig of
	// the machine, since the lab gives one only to pods of the CCM's DaemonSet.
	secondCCM = `{hostNetwork: true, nodeSelector: {node-role.kubernetes.io/control-plane: "true"}, tolerations: [{operator: Exists}], containers: [
{name: second, image: registry.k8s.io/provider-aws/cloud-controller-manager:v1.26.14, args: ["--v=2", --cloud-provider=aws, --leader-elect=false, --configure-cloud-routes=false, --secure-port=0, "--kubeconfig=$DOWNSTREAM"]}]}`
	secondKCM = `{nodeSelector: {no: such}, containers: [{name: kcm, image: registry.example/kube-controller-manager:v1.26.13, args: [--cloud-provider=aws]}]}`
	theSecond = `metadata: {name: second, namespace: kube-system, labels: {app: second}}`
)

func deployment(pod string) string {
	return `kubectl apply -f - <<END
apiVersion: apps/v1
kind: Deployment
` + theSecond + `
spec: {replicas: 1, selector: {matchLabels: {app: second}}, template: {metadata: {labels: {app: second}}, spec: ` + pod + `}}
END
`
}

func barePod(pod, more string) string {
	return `kubectl apply -f - <<END
apiVersion: v1
kind: Pod
` + theSecond + `
spec: ` + pod + `
END
` + more
}

// brokenManagers returns breakages in which an unexpected process runs cloud controllers, or
// the expected one does not.
func brokenManagers() []breakage {
	const runs = `system get pods -l app=second -o 'jsonpath={.items[*].status.phase}' | grep Running`
	const fixed = `; system delete role,rolebinding leader-migration --ignore-not-found` // the fix has created them
	const gone = `system delete deployment second --ignore-not-found --wait; system delete pod second --ignore-not-found --now; while system get pods -l app=second -o name | grep -q .; do kubectl version >/dev/null 2>&1; done`
	return []breakage{
		{name: "second CCM in a Deployment", speak: []string{"AWSM-215"}, left: []string{"AWSM-215"},
			seed: deployment(secondCCM), until: runs, heal: gone},
		{name: "second CCM in a bare pod", speak: []string{"AWSM-215"},
			seed: barePod(secondCCM, ""), until: runs, heal: gone},
		{name: "second kube-controller-manager in a Deployment", speak: []string{"AWSM-205"}, left: []string{"AWSM-205", "AWSM-215"},
			seed: deployment(secondKCM), heal: gone},
		{name: "second kube-controller-manager in a bare pod", speak: []string{"AWSM-205"},
			seed: barePod(secondKCM, ""), heal: gone},
		{name: "kube-controller-manager frozen", speak: []string{"AWSM-132"},
			seed:  `lever kill --signal STOP kube-controller-manager@$PLANE_MACHINE`,
			until: `system get pod kube-controller-manager-$PLANE -o 'jsonpath={.status.conditions[?(@.type=="Ready")].status}' | grep False`,
			heal:  `lever kill --signal CONT kube-controller-manager@$PLANE_MACHINE || true`},
		{name: "Role of the migration lease deleted", at: "P3", speak: []string{"AWSM-201"},
			seed: `save role awsmigrate-leader-migration; system delete role awsmigrate-leader-migration`,
			heal: `restore role awsmigrate-leader-migration` + fixed},
		{name: "RoleBinding of the migration lease deleted", at: "P3", speak: []string{"AWSM-201"},
			seed: `save rolebinding awsmigrate-leader-migration; system delete rolebinding awsmigrate-leader-migration`,
			heal: `restore rolebinding awsmigrate-leader-migration` + fixed},
		{name: "migration lease held by another process", at: "P3", speak: []string{"AWSM-208"},
			seed: `touch $STATE/hold
(while [ -f $STATE/hold ]; do system patch lease cloud-provider-extraction-migration --type=merge -p '{"spec":{"holderIdentity":"another_process","renewTime":"'$(date -u +%FT%T.%6NZ)'"}}'; done) >/dev/null 2>&1 &`,
			heal: `rm -f $STATE/hold`},
	}
}
