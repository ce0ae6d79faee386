package plans

import (
	"context"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"

	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/fleet/status"
	"github.com/awsmigrate/awsmigrate/pkg/kube"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// Approvals reads and approves published plans, with a user's credentials.
type Approvals struct {
	Kube    kubernetes.Interface
	Dynamic dynamic.Interface
}

// Published is the plan that a ClusterMigration has published.
type Published struct {
	Namespace, Name string // of the ClusterMigration
	Goal            string
	Hash            string // approves the plan
	Approved        bool   // whether spec.approvedPlan has the hash
	Shown           string // what the ClusterMigration says of itself
	Plan            runner.WholePlan

	uid types.UID
}

func (p Published) object() string { return "ClusterMigration " + p.Namespace + "/" + p.Name }

// Read returns the plan of a ClusterMigration. It returns an error if the plan is neither approved
// nor waits for approval, or if its text does not match its hash.
func (a Approvals) Read(ctx context.Context, namespace, name string) (Published, error) {
	m, err := a.get(ctx, namespace, name)
	if err != nil {
		return Published{}, err
	}
	p := Published{Namespace: namespace, Name: name, Goal: string(m.Spec.Goal.OrDefault()), uid: m.UID}
	if m.Status.Display != nil {
		p.Shown = strings.TrimSpace(m.Status.Display.State + ": " + m.Status.Display.Message)
	}
	if plan := m.Status.Plan; plan != nil {
		p.Hash, p.Approved = plan.Hash, plan.Hash == m.Spec.ApprovedPlan
	}
	if !p.Approved && !status.AwaitsApproval(m.Status) {
		return p, &fault.Error{Class: fault.Usage, Reason: "NothingToApprove", Object: p.object(), Seen: "does not wait for an approval" + orEmpty("; it shows ", p.Shown),
			Wanted: "state Awaiting-Approval", Fix: fault.Command("kubectl", "get", "awsm", name, "-n", namespace, "-o", "yaml")}
	}
	p.Plan, err = a.text(ctx, m)
	return p, err
}

// text reads the published text, and checks that the hash is its own.
func (a Approvals) text(ctx context.Context, m *v1alpha1.ClusterMigration) (runner.WholePlan, error) {
	ref := m.Status.Plan.Ref
	object := "plan " + m.Status.Plan.Hash
	if ref == nil {
		return runner.WholePlan{}, &fault.Error{Class: fault.CouldNotLook, Reason: "NoPlan", Object: object, Seen: "has no text yet", Fix: "run the same command again"}
	}
	stored, err := a.Kube.CoreV1().ConfigMaps(m.Namespace).Get(ctx, ref.Name, metav1.GetOptions{})
	if err != nil {
		return runner.WholePlan{}, migration.CouldNotRead("ConfigMap "+m.Namespace+"/"+ref.Name, err)
	}
	doc, err := read(stored, keyOf(m.Status.Plan.Hash))
	if err != nil {
		return runner.WholePlan{}, &fault.Error{Class: fault.Stale, Reason: string(status.PlanAltered), Object: object, Seen: "its text in ConfigMap " + m.Namespace + "/" + ref.Name + " is not the text of this hash",
			Fix: "find out who writes this ConfigMap, wait for the next plan, then run the same command again", Err: err}
	}
	return doc.WholePlan, nil
}

// Approve writes the hash of the plan into the ClusterMigration, unless another plan has been
// published since it was read.
func (a Approvals) Approve(ctx context.Context, p Published) error {
	patch, err := kube.JSONPatch(kube.Test("/metadata/uid", p.uid), kube.Test("/status/plan/hash", p.Hash), kube.Add("/spec/approvedPlan", p.Hash))
	if err != nil {
		return err
	}
	_, err = a.Dynamic.Resource(migrations).Namespace(p.Namespace).Patch(ctx, p.Name, types.JSONPatchType, patch, metav1.PatchOptions{FieldManager: "awsmigrate-approve"})
	switch {
	case err == nil:
		return nil
	case !apierrors.IsInvalid(err):
		return migration.CouldNotPatch(p.object(), err)
	}
	now, readErr := a.get(ctx, p.Namespace, p.Name)
	if readErr == nil && now.UID == p.uid && now.Status.Plan != nil && now.Status.Plan.Hash == p.Hash {
		return fmt.Errorf("approve the plan of %s: %w", p.object(), err) // the API refuses the value
	}
	return &fault.Error{Class: fault.Stale, Reason: string(status.PlanMoved), Object: p.object(), Seen: "another plan was published meanwhile; nothing was approved",
		Wanted: p.Hash, Fix: "run the same command again and read the new plan"}
}

var migrations = v1alpha1.SchemeGroupVersion.WithResource("clustermigrations")

func (a Approvals) get(ctx context.Context, namespace, name string) (*v1alpha1.ClusterMigration, error) {
	object := "ClusterMigration " + namespace + "/" + name
	found, err := a.Dynamic.Resource(migrations).Namespace(namespace).Get(ctx, name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err) && apierrors.HasStatusCause(err, metav1.CauseTypeUnexpectedServerResponse):
		return nil, NotInstalled(err)
	case apierrors.IsNotFound(err):
		return nil, &fault.Error{Class: fault.Usage, Reason: "NotFound", Object: object, Seen: "does not exist", Wanted: "a cluster that a controller handles",
			Fix: "kubectl get awsm -A", Err: err}
	case err != nil:
		return nil, migration.CouldNotRead(object, err)
	}
	m := &v1alpha1.ClusterMigration{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(found.Object, m); err != nil {
		return nil, fmt.Errorf("read %s: %w", object, err)
	}
	return m, nil
}

// NotInstalled returns the error for a management cluster without the kind ClusterMigration.
func NotInstalled(cause error) error {
	return &fault.Error{Class: fault.Usage, Reason: "NotInstalled", Object: "kind ClusterMigration",
		Seen: "is not installed in the management cluster", Wanted: "CustomResourceDefinition " + v1alpha1.CRD,
		Fix: "install the chart awsmigrate-crd, or in a clone: kubectl apply -f charts/awsmigrate-crd/templates", Err: cause}
}

func orEmpty(prefix, text string) string {
	if text == "" {
		return ""
	}
	return prefix + text
}
