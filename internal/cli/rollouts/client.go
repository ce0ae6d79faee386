package rollouts

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/internal/cli/target"
	"github.com/awsmigrate/awsmigrate/internal/controller/plans"
	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/fleet/rollout"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
)

var (
	rolloutKind   = v1alpha1.SchemeGroupVersion.WithResource("migrationrollouts")
	migrationKind = v1alpha1.SchemeGroupVersion.WithResource("clustermigrations")
	clusterKind   = schema.GroupVersionResource{Group: "provisioning.cattle.io", Version: "v1", Resource: "clusters"}
)

// fieldManager names these commands in managedFields.
const fieldManager = "awsmigrate-rollout"

// client reads and patches one rollout and its members, with a user's credentials.
type client struct {
	namespace, name string
	dynamic         dynamic.Interface
	metadata        metadata.Interface
	clock           clock.WithTicker
}

func newClient(flags *target.Rollout, from func() (*rest.Config, error)) (*client, error) {
	config, err := from()
	if err != nil {
		return nil, err
	}
	c := &client{namespace: flags.Namespace, name: flags.Name, clock: clock.RealClock{}}
	if c.dynamic, err = dynamic.NewForConfig(config); err != nil {
		return nil, fmt.Errorf("make a client of the management cluster: %w", err)
	}
	if c.metadata, err = metadata.NewForConfig(config); err != nil {
		return nil, fmt.Errorf("make a client of the management cluster: %w", err)
	}
	return c, nil
}

func (c *client) object() string { return "MigrationRollout " + c.namespace + "/" + c.name }

// readRollout reads the rollout.
func (c *client) readRollout(ctx context.Context) (*v1alpha1.MigrationRollout, error) {
	found, err := c.dynamic.Resource(rolloutKind).Namespace(c.namespace).Get(ctx, c.name, metav1.GetOptions{})
	if err != nil {
		return nil, c.readError(err)
	}
	r := &v1alpha1.MigrationRollout{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(found.Object, r); err != nil {
		return nil, fmt.Errorf("read %s: %w", c.object(), err)
	}
	return r, nil
}

// readError returns the error for a rollout that could not be read.
func (c *client) readError(err error) error {
	switch {
	case isNotServed(err):
		return &fault.Error{Class: fault.Usage, Reason: "NotInstalled", Object: "kind MigrationRollout",
			Seen: "is not installed in the management cluster", Wanted: "CustomResourceDefinition " + v1alpha1.RolloutCRD, Fix: "install or upgrade the chart awsmigrate-crd", Err: err}
	case apierrors.IsNotFound(err):
		return &fault.Error{Class: fault.Usage, Reason: "NotFound", Object: c.object(), Seen: "does not exist", Wanted: "the name of a MigrationRollout in this namespace",
			Fix: fault.Command("kubectl", "get", "awsr", "-n", c.namespace), Err: err}
	}
	return migration.CouldNotRead(c.object(), err)
}

// isNotServed reports whether an API server does not serve the kind of a request.
func isNotServed(err error) bool {
	return apierrors.IsNotFound(err) && apierrors.HasStatusCause(err, metav1.CauseTypeUnexpectedServerResponse)
}

// readInput reads the rollout with its members, as a decision about them takes them.
func (c *client) readInput(ctx context.Context) (rollout.Input, error) {
	in := rollout.Input{Others: map[types.UID]string{}, Now: c.clock.Now()}
	var err error
	if in.Rollout, err = c.readRollout(ctx); err != nil {
		return in, err
	}
	if wrong := in.Rollout.Validate(); len(wrong) > 0 {
		return in, &fault.Error{Class: fault.Check, Reason: "InvalidRollout", Object: c.object(), Seen: "breaks a rule of its kind", Fix: fault.Command("kubectl", "edit", "awsr", c.name, "-n", c.namespace), Err: wrong.ToAggregate()}
	}
	others, err := c.dynamic.Resource(rolloutKind).Namespace(c.namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return in, migration.CouldNotRead("MigrationRollouts of namespace "+c.namespace, err)
	}
	for i := range others.Items {
		in.Others[others.Items[i].GetUID()] = others.Items[i].GetName()
	}
	in.Members, err = c.readMembers(ctx)
	return in, err
}

// readMembers reads the ClusterMigrations, with the labels of Rancher's Clusters.
func (c *client) readMembers(ctx context.Context) ([]rollout.Member, error) {
	list, err := c.dynamic.Resource(migrationKind).Namespace(c.namespace).List(ctx, metav1.ListOptions{})
	switch {
	case isNotServed(err):
		return nil, plans.NotInstalled(err)
	case err != nil:
		return nil, migration.CouldNotRead("ClusterMigrations of namespace "+c.namespace, err)
	}
	clusters, err := c.metadata.Resource(clusterKind).Namespace(c.namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, migration.CouldNotRead("Clusters of namespace "+c.namespace, err)
	}
	labels := map[string]map[string]string{}
	for i := range clusters.Items {
		labels[clusters.Items[i].Name] = clusters.Items[i].Labels
	}
	var members []rollout.Member
	for i := range list.Items {
		m, err := migrationOf(&list.Items[i])
		if err != nil {
			return nil, err
		}
		if m.DeletionTimestamp.IsZero() {
			members = append(members, rollout.Seen(m, labels[m.Name]))
		}
	}
	return members, nil
}

func migrationOf(object *unstructured.Unstructured) (*v1alpha1.ClusterMigration, error) {
	m := &v1alpha1.ClusterMigration{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, m); err != nil {
		return nil, fmt.Errorf("read ClusterMigration %s/%s: %w", object.GetNamespace(), object.GetName(), err)
	}
	return m, nil
}

// patch patches the rollout. The error of a refused value is the API server's.
func (c *client) patch(ctx context.Context, kind types.PatchType, patch []byte) error {
	_, err := c.dynamic.Resource(rolloutKind).Namespace(c.namespace).Patch(ctx, c.name, kind, patch, metav1.PatchOptions{FieldManager: fieldManager})
	switch {
	case err == nil, apierrors.IsInvalid(err):
		return err
	case apierrors.IsNotFound(err):
		return c.readError(err)
	}
	return migration.CouldNotPatch(c.object(), err)
}
