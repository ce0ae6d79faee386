package scenario

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fleet/status"
)

// ClusterMigration returns the object of the lab's cluster.
func (l *Lab) ClusterMigration(ctx context.Context) (*v1alpha1.ClusterMigration, error) {
	of := v1alpha1.SchemeGroupVersion.WithResource("clustermigrations")
	o, err := l.Management.Resource(of).Namespace(clusterNamespace).Get(ctx, clusterName, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	m := &v1alpha1.ClusterMigration{}
	return m, runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, m)
}

// CreateMigration creates the object of the lab's cluster with a spec in JSON.
func (l *Lab) CreateMigration(ctx context.Context, spec string) error {
	manifest := fmt.Sprintf(`{"apiVersion":%q,"kind":"ClusterMigration","metadata":{"namespace":%q,"name":%q},"spec":%s}`,
		v1alpha1.SchemeGroupVersion, clusterNamespace, clusterName, spec)
	_, err := l.KubectlManagement(ctx, manifest, "create", "--validate=strict", "-f", "-")
	return err
}

// PatchMigration changes the object of the lab's cluster by a merge patch, as a person does with
// kubectl.
func (l *Lab) PatchMigration(ctx context.Context, patch string, subresources ...string) error {
	of := v1alpha1.SchemeGroupVersion.WithResource("clustermigrations")
	_, err := l.Management.Resource(of).Namespace(clusterNamespace).
		Patch(ctx, clusterName, types.MergePatchType, []byte(patch), metav1.PatchOptions{}, subresources...)
	return err
}

// DeleteMigration deletes the object of the lab's cluster.
func (l *Lab) DeleteMigration(ctx context.Context) error {
	of := v1alpha1.SchemeGroupVersion.WithResource("clustermigrations")
	return l.Management.Resource(of).Namespace(clusterNamespace).Delete(ctx, clusterName, metav1.DeleteOptions{})
}

// Shows waits until the status is current and fits. It stops early if the controller ended, or if
// the state needs a person, unless that state fits.
func (l *Lab) Shows(ctx context.Context, run *Run, what string, fits func(*v1alpha1.ClusterMigration) bool) (*v1alpha1.ClusterMigration, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var m *v1alpha1.ClusterMigration
	err := Until(ctx, what, func(ctx context.Context) (bool, string, error) {
		now, err := l.ClusterMigration(ctx)
		if err != nil {
			return false, "", err
		}
		m = now
		answered := m.Status.ObservedGeneration == m.Generation
		switch {
		case answered && fits(m):
			return true, "", nil
		case answered && meta.IsStatusConditionTrue(m.Status.Conditions, v1alpha1.ConditionStalled):
			cancel(errors.New("it is stalled"))
		case run != nil && run.Ended() != nil:
			cancel(run.Ended())
		}
		return false, Summary(m), nil
	})
	return m, errors.Join(err, context.Cause(ctx))
}

// InState returns a function that reports whether an object has the state and one of the reasons,
// if any are given.
func InState(state status.State, reasons ...status.Reason) func(*v1alpha1.ClusterMigration) bool {
	want := status.Moment{State: state}.Display().State
	return func(m *v1alpha1.ClusterMigration) bool {
		return m.Status.Display != nil && m.Status.Display.State == want && (len(reasons) == 0 || Reason(m) == reasons[0])
	}
}

// Reason returns the reason of the state that an object shows.
func Reason(m *v1alpha1.ClusterMigration) status.Reason {
	if c := meta.FindStatusCondition(m.Status.Conditions, v1alpha1.ConditionReady); c != nil {
		return status.Reason(c.Reason)
	}
	return ""
}

// Summary returns one line that describes an object's status.
func Summary(m *v1alpha1.ClusterMigration) string {
	s := m.Status
	line := fmt.Sprintf("goal %s, generation %d of %d, position %s", m.Spec.Goal.OrDefault(), s.ObservedGeneration, m.Generation, s.Position)
	if s.Display != nil {
		line += fmt.Sprintf(", %s (%s): %s", s.Display.State, Reason(m), s.Display.Message)
	}
	if s.Run != nil && s.Run.Step != nil {
		line += ", step " + s.Run.Step.ID
	}
	if f := s.Failure; f != nil {
		line += fmt.Sprintf(", failure %s: %s: %s, wanted %s, exit code %d", f.Reason, f.Object, f.Seen, f.Wanted, f.ExitCode)
	}
	return line
}
