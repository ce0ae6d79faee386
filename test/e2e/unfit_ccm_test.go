//go:build slow

package e2e

import (
	"context"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/test/scenario"
)

const (
	repository = "registry.k8s.io/provider-aws/cloud-controller-manager"
	daemonSet  = "DaemonSet kube-system/aws-cloud-controller-manager"
	// noMorePods refuses the CCM's pods. Static pods have another class and are not affected.
	noMorePods = `
apiVersion: v1
kind: ResourceQuota
metadata: {name: no-more, namespace: kube-system}
spec:
  hard: {pods: "0"}
  scopeSelector:
    matchExpressions:
    - {scopeName: PriorityClass, operator: In, values: [system-node-critical]}
`
)

// unfitBeforehand tries faults that the preflight can detect: nothing is written.
func unfitBeforehand(ctx context.Context, t *testing.T, lab *scenario.Lab) {
	since := time.Now()
	for _, c := range []struct {
		name, values string
		says         []string
	}{
		{"selector that matches nothing", "nodeSelector: {disk: ssd}", []string{"AWSM-605", daemonSet, "disk:ssd", "matches no control-plane node"}},
		{"tolerations taken away", "tolerations: []", []string{"tolerations", "node-role.kubernetes.io/etcd:NoExecute"}},
		{"no right to the migration lease", "leaderElection: {leases: [cloud-controller-manager]}", []string{"leaderElection.leases", "cloud-provider-extraction-migration"}},
		{"no right to nodes", "clusterRoleRules: [{apiGroups: [''], resources: [events], verbs: [create, patch]}]", []string{"clusterRoleRules", "without get nodes"}},
		{"routes without a CIDR", "args: [--cloud-provider=aws, --configure-cloud-routes=true]", []string{"--configure-cloud-routes", "--cloud-routes on"}},
	} {
		t.Run(c.name, func(t *testing.T) { stops(ctx, t, lab, c.says, valuesFile(t, c.values)...) })
	}
	t.Run("pods refused", func(t *testing.T) {
		_, err := lab.Kubectl(ctx, noMorePods, "apply", "-f", "-")
		must(t, err)
		waitQuota(ctx, t, lab)
		stops(ctx, t, lab, []string{"AWSM-608", "exceeded quota: no-more"})
	})
	clusterUntouched(t, lab, since)
	inTreeStays(ctx, t, lab, since, "aws")
}

// waitQuota waits until the quota is in force.
func waitQuota(ctx context.Context, t *testing.T, lab *scenario.Lab) {
	t.Helper()
	must(t, scenario.Until(ctx, "the quota to be in force", func(ctx context.Context) (bool, string, error) {
		quota, err := lab.Downstream.CoreV1().ResourceQuotas("kube-system").Get(ctx, "no-more", metav1.GetOptions{})
		return err == nil && len(quota.Status.Hard) > 0, "no status", err
	}))
}

// disturb starts a run, and calls meanwhile in step install-ccm.
func disturb(ctx context.Context, t *testing.T, lab *scenario.Lab, meanwhile func()) *scenario.Run {
	t.Helper()
	run, err := lab.Start(ctx, testWriter{t}, "rke2", "--cluster", "demo", "--yes", "--edits", "apply", "--no-etcd-snapshot")
	must(t, err)
	waitStep(ctx, t, run, "install-ccm")
	meanwhile()
	return run
}

// newTaint adds a taint to a control plane after the values were computed.
func newTaint(ctx context.Context, t *testing.T, lab *scenario.Lab) {
	since := time.Now()
	nodes, err := lab.Downstream.CoreV1().Nodes().List(ctx, metav1.ListOptions{LabelSelector: "node-role.kubernetes.io/control-plane"})
	must(t, err)
	node := nodes.Items[0].Name
	taint := func(change string) {
		_, err := lab.Kubectl(ctx, "", "taint", "node", node, change)
		must(t, err)
	}
	run := disturb(ctx, t, lab, func() {
		must(t, scenario.Until(ctx, "the DaemonSet to be there", func(ctx context.Context) (bool, string, error) {
			_, err := lab.Downstream.AppsV1().DaemonSets("kube-system").Get(ctx, "aws-cloud-controller-manager", metav1.GetOptions{})
			return err == nil, "not there", err
		}))
		taint("dedicated=someone:NoExecute")
	})
	defer taint("dedicated-")
	stopsToo(ctx, t, run, daemonSet, node, "dedicated=someone:NoExecute")
	inTreeStays(ctx, t, lab, since, "aws with flag")
	pods, err := lab.Downstream.CoreV1().Pods("kube-system").List(ctx, metav1.ListOptions{LabelSelector: "k8s-app=aws-cloud-controller-manager", FieldSelector: "spec.nodeName=" + node})
	must(t, err)
	for _, pod := range pods.Items {
		if pod.DeletionTimestamp == nil {
			t.Errorf("Pod %s is on %s: the taint was tolerated, so nothing was tried", pod.Name, node)
		}
	}
}

// rightsTakenAway deletes the Role for leases while the CCM is installed: its pods become ready
// and never lead.
func rightsTakenAway(ctx context.Context, t *testing.T, lab *scenario.Lab) {
	since := time.Now()
	const role = "cloud-controller-manager:leader-election"
	run := disturb(ctx, t, lab, func() {
		must(t, scenario.Until(ctx, "Role "+role+" to be taken away", func(ctx context.Context) (bool, string, error) {
			err := lab.Downstream.RbacV1().Roles("kube-system").Delete(ctx, role, metav1.DeleteOptions{})
			return err == nil, "not there", err
		}))
	})
	stopsToo(ctx, t, run, "ServiceAccount kube-system/cloud-controller-manager: may not create leases")
	inTreeStays(ctx, t, lab, since, "aws with flag")
}

// podsRefused adds a quota that refuses the pods after the preflight.
func podsRefused(ctx context.Context, t *testing.T, lab *scenario.Lab) {
	since := time.Now()
	run, err := lab.Start(ctx, testWriter{t}, "rke2", "--cluster", "demo", "--yes", "--edits", "apply", "--no-etcd-snapshot")
	must(t, err)
	waitStep(ctx, t, run, "enable-leader-migration")
	_, err = lab.Kubectl(ctx, noMorePods, "apply", "-f", "-")
	must(t, err)
	waitQuota(ctx, t, lab)
	stopsToo(ctx, t, run, daemonSet, "refuses its pods", "exceeded quota: no-more")
	set, err := lab.Downstream.AppsV1().DaemonSets("kube-system").Get(ctx, "aws-cloud-controller-manager", metav1.GetOptions{})
	if apierrors.IsNotFound(err) || err == nil && set.Status.CurrentNumberScheduled != 0 {
		t.Errorf("DaemonSet %v, %v; wanted one without pods", set, err)
	}
	inTreeStays(ctx, t, lab, since, "aws with flag")
	if out, err := lab.Kubectl(ctx, "", "-n", "kube-system", "get", "events"); err != nil || !strings.Contains(out, "exceeded quota") {
		t.Errorf("no event shows that the quota refused pods: %v\n%s", err, out)
	}
}
