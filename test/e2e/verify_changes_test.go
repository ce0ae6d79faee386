package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"github.com/awsmigrate/awsmigrate/test/scenario"
)

// change is a fault of a cluster, the checks that must report it, and how to undo it. No other
// check may report it.
type change struct {
	name  string
	wrong []string
	make  func(context.Context, *scenario.Lab) (undo func(context.Context) error, err error)
	// mended reports whether the audit's fix is a command that resolves the fault.
	mended bool
	leaves []string // checks that still warn after the fix
}

func (c change) try(ctx context.Context, t *testing.T, lab *scenario.Lab) {
	undo, err := c.make(ctx, lab)
	if err != nil {
		t.Fatal(err)
	}
	_, report := auditOf(ctx, t, lab, "--cluster", "demo")
	if got := report.wrong(); !slices.Equal(got, c.wrong) {
		t.Errorf("wrong %v, want %v", got, c.wrong)
	}
	if c.name == onPage {
		shown(ctx, t, lab)
	}
	for _, check := range report.Checks {
		if slices.Contains(c.wrong, check.ID) && (len(check.Findings) == 0 || check.Findings[0].Object == "" || check.Fix+check.Findings[0].Fix == "") {
			t.Errorf("%s names no object or no fix: %+v", check.ID, check)
		}
	}
	commands := report.commands()
	if c.mended != (len(commands) > 0) {
		t.Errorf("the commands of the fix are %q, wanted some: %t", commands, c.mended)
	}
	for _, command := range commands {
		if _, err := lab.Kubectl(ctx, "", strings.Fields(command)...); err != nil {
			t.Errorf("the fix: %v", err)
		}
	}
	if c.mended {
		if code, report := auditOf(ctx, t, lab, "--cluster", "demo"); code != 0 || !slices.Equal(report.wrong(), c.leaves) {
			t.Errorf("after %q: exit %d, wrong %v", commands, code, report.wrong())
		}
	}
	if err := undo(ctx); err != nil && !apierrors.IsNotFound(err) {
		t.Fatal(err)
	}
}

// commands returns the kubectl commands at the ends of the findings' fixes.
func (r auditReport) commands() []string {
	var all []string
	for _, check := range r.Checks {
		for _, finding := range check.Findings {
			if _, commands, has := strings.Cut(finding.Fix, "kubectl "); has && check.Status != "ok" {
				all = append(all, strings.Split(commands, " && kubectl ")...)
			}
		}
	}
	return all
}

// anywhere returns changes that are faults at every position. taint lists the checks that
// report a taint, which also differs from a fingerprint if one exists.
func anywhere(taint ...string) []change {
	return []change{
		{"a node is out of service", taint, nodePatch(
			`{"spec":{"taints":[{"key":"node.kubernetes.io/out-of-service","value":"x","effect":"NoSchedule"}]}}`, `{"spec":{"taints":null}}`), true, nil},
		{"another kube-controller-manager", []string{"AWSM-205"}, object(schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}, `{
			"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"kcm","namespace":"default"},"spec":{"replicas":1,
			"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"nodeSelector":{"no":"such"},"containers":[{"name":"kcm","image":"registry/kube-controller-manager:v1.26.13"}]}}}}`), true, []string{"AWSM-205"}},
		{"a kube-controller-manager in a pod", []string{"AWSM-205"}, object(schema.GroupVersionResource{Version: "v1", Resource: "pods"}, `{
			"apiVersion":"v1","kind":"Pod","metadata":{"name":"kcm","namespace":"default","labels":{"component":"kube-controller-manager"}},"spec":{
			"nodeSelector":{"no":"such"},"containers":[{"name":"kcm","image":"registry/kube-controller-manager:v1.26.13"}]}}`), false, nil},
		{"a cordon that no run removed", []string{"AWSM-308"}, nodePatch(
			`{"metadata":{"annotations":{"awsmigrate.io/cordoned-by":"run-1"}},"spec":{"unschedulable":true}}`, `{"metadata":{"annotations":{"awsmigrate.io/cordoned-by":null}},"spec":{"unschedulable":null,"taints":null}}`), true, nil},
		{"a load balancer fails", []string{"AWSM-803"}, func(ctx context.Context, lab *scenario.Lab) (func(context.Context) error, error) {
			return object(schema.GroupVersionResource{Version: "v1", Resource: "events"}, fmt.Sprintf(`{
			"apiVersion":"v1","kind":"Event","metadata":{"name":"sync.1","namespace":"default"},"type":"Warning","reason":"SyncLoadBalancerFailed",
			"message":"AccessDenied","count":1,"lastTimestamp":%q,"involvedObject":{"kind":"Service","namespace":"default","name":"front"}}`,
				metav1.Now().UTC().Format("2006-01-02T15:04:05Z")))(ctx, lab)
		}, false, nil},
		{"Argo CD keeps the Cluster", []string{"AWSM-106"}, func(ctx context.Context, lab *scenario.Lab) (func(context.Context) error, error) {
			clusters := lab.Management.Resource(schema.GroupVersionResource{Group: "provisioning.cattle.io", Version: "v1", Resource: "clusters"}).Namespace("fleet-default")
			patch := func(value string) func(context.Context) error {
				return func(ctx context.Context) error {
					_, err := clusters.Patch(ctx, "demo", types.MergePatchType, []byte(`{"metadata":{"annotations":{"argocd.argoproj.io/tracking-id":`+value+`}}}`), metav1.PatchOptions{})
					return err
				}
			}
			return patch("null"), patch(`"apps:demo"`)(ctx)
		}, false, nil},
	}
}

// beforeMigration returns changes that only matter before the migration.
func beforeMigration() []change {
	release := func(status string) string {
		return `{"apiVersion":"v1","kind":"Secret","type":"helm.sh/release.v1","metadata":{"name":"sh.helm.release.v1.aws-cloud-controller-manager.v1","namespace":"default",
			"labels":{"owner":"helm","name":"aws-cloud-controller-manager","status":"` + status + `","version":"1"}}}`
	}
	secrets := schema.GroupVersionResource{Version: "v1", Resource: "secrets"}
	return append(anywhere("AWSM-310"),
		change{onPage, []string{"AWSM-303"}, nodePatch(`{"metadata":{"labels":{"topology.kubernetes.io/zone":"us-east-1z"}}}`, ""), true, nil},
		change{"a node waits for a cloud controller", []string{"AWSM-306"}, nodePatch(
			`{"spec":{"taints":[{"key":"node.cloudprovider.kubernetes.io/uninitialized","value":"true","effect":"NoSchedule"}]}}`, `{"spec":{"taints":null}}`), false, nil},
		change{"a release in default", []string{"AWSM-601"}, object(secrets, release("deployed")), false, nil},
		change{"a release in default, half-done", []string{"AWSM-601", "AWSM-615"}, object(secrets, release("pending-install")), false, nil},
		change{"a role without an owner", []string{"AWSM-603"}, object(schema.GroupVersionResource{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterroles"},
			`{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole","metadata":{"name":"system:cloud-controller-manager"},"rules":[]}`), true, nil},
		change{"a HelmChartConfig", []string{"AWSM-602"}, object(schema.GroupVersionResource{Group: "helm.cattle.io", Version: "v1", Resource: "helmchartconfigs"},
			`{"apiVersion":"helm.cattle.io/v1","kind":"HelmChartConfig","metadata":{"name":"aws-cloud-controller-manager","namespace":"kube-system"},"spec":{}}`), true, nil},
	)
}

// afterMigration returns changes that only matter once a CCM runs.
func afterMigration() []change {
	return append(anywhere("AWSM-310", "AWSM-312"),
		change{"a cordon since the fingerprint", []string{"AWSM-308"}, nodePatch(`{"spec":{"unschedulable":true}}`, `{"spec":{"unschedulable":null,"taints":null}}`), true, nil},
		change{"pods of the CCM were refused", []string{"AWSM-614"}, object(schema.GroupVersionResource{Version: "v1", Resource: "events"}, `{
			"apiVersion":"v1","kind":"Event","metadata":{"name":"refused.1","namespace":"kube-system"},"type":"Warning","reason":"FailedCreate",
			"message":"violates PodSecurity","count":1,"involvedObject":{"kind":"DaemonSet","namespace":"kube-system","name":"aws-cloud-controller-manager"}}`), false, nil},
	)
}

// object creates an object and deletes it again.
func object(resource schema.GroupVersionResource, text string) func(context.Context, *scenario.Lab) (func(context.Context) error, error) {
	return func(ctx context.Context, lab *scenario.Lab) (func(context.Context) error, error) {
		client, err := dynamic.NewForConfig(lab.Config)
		if err != nil {
			return nil, err
		}
		var o unstructured.Unstructured
		if err := json.Unmarshal([]byte(text), &o.Object); err != nil {
			return nil, err
		}
		var objects dynamic.ResourceInterface = client.Resource(resource)
		if o.GetNamespace() != "" {
			objects = client.Resource(resource).Namespace(o.GetNamespace())
		}
		if _, err := objects.Create(ctx, &o, metav1.CreateOptions{}); err != nil {
			return nil, err
		}
		return func(ctx context.Context) error { return objects.Delete(ctx, o.GetName(), metav1.DeleteOptions{}) }, nil
	}
}

// nodePatch patches a worker and reverts it: by another patch, or with its previous labels if
// back is empty.
func nodePatch(patch, back string) func(context.Context, *scenario.Lab) (func(context.Context) error, error) {
	return func(ctx context.Context, lab *scenario.Lab) (func(context.Context) error, error) {
		nodes := lab.Downstream.CoreV1().Nodes()
		workers, err := nodes.List(ctx, metav1.ListOptions{LabelSelector: "!node-role.kubernetes.io/control-plane"})
		if err != nil || len(workers.Items) == 0 {
			return nil, fmt.Errorf("%d workers: %w", len(workers.Items), err)
		}
		worker := workers.Items[len(workers.Items)-1]
		if back == "" {
			labels, err := json.Marshal(map[string]any{"metadata": map[string]any{"labels": worker.Labels}})
			if err != nil {
				return nil, err
			}
			back = string(labels)
		}
		if _, err := nodes.Patch(ctx, worker.Name, types.StrategicMergePatchType, []byte(strings.TrimSpace(patch)), metav1.PatchOptions{}); err != nil {
			return nil, err
		}
		return func(ctx context.Context) error {
			_, err := nodes.Patch(ctx, worker.Name, types.StrategicMergePatchType, []byte(back), metav1.PatchOptions{})
			return err
		}, nil
	}
}
