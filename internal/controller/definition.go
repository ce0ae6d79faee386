package controller

import (
	"context"
	"slices"
	"strconv"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"

	"github.com/awsmigrate/awsmigrate/internal/controller/plans"
	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
)

var definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}

// requireKinds waits until the API server answers, and returns an error if it does not serve a
// kind that the controller watches: a watch of an absent kind never ends and never fails.
func (c *Controller) requireKinds(ctx context.Context) error {
	for _, kind := range []struct {
		version schema.GroupVersion
		absent  error
	}{
		{provisioningClusters.GroupVersion(), &fault.Error{Class: fault.Usage, Reason: migration.ReasonNotRancher, Object: fault.Server(c.o.Config.Host),
			Seen: "does not serve clusters.provisioning.cattle.io", Wanted: "the cluster that Rancher runs in", Fix: "point --kubeconfig at that cluster"}},
		{v1alpha1.SchemeGroupVersion, plans.NotInstalled(nil)},
	} {
		switch served, err := c.serves(ctx, kind.version); {
		case err != nil:
			return err
		case served == nil:
			return kind.absent
		case kind.version == v1alpha1.SchemeGroupVersion && !slices.ContainsFunc(served.APIResources, isRollout):
			c.o.Log.Warn("kind MigrationRollout is not installed: upgrade the chart awsmigrate-crd and restart the controller to use rollouts")
			clear(c.rollouts)
		}
	}
	return nil
}

func isRollout(r metav1.APIResource) bool { return r.Kind == "MigrationRollout" }

// answerInterval is the pause between two requests to a server that did not answer at the start.
const answerInterval = 5 * time.Second

// serves returns what the API server serves of a version of a group, or nil. It asks again until
// the server answers.
func (c *Controller) serves(ctx context.Context, version schema.GroupVersion) (*metav1.APIResourceList, error) {
	for {
		served, err := discovery.ToDiscoveryInterfaceWithContext(c.kube.Discovery()).ServerResourcesForGroupVersionWithContext(ctx, version.String())
		switch {
		case err == nil:
			return served, nil
		case apierrors.IsNotFound(err):
			return nil, nil
		}
		c.o.Log.Warn("the management cluster does not answer", "server", fault.Server(c.o.Config.Host), "error", err.Error())
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-c.o.Clock.After(answerInterval):
		}
	}
}

// readSchema finds out whether the served CRD knows all fields: an API server silently drops
// unknown ones.
func (c *Controller) readSchema(ctx context.Context) error {
	crd, err := c.rancher.Resource(definitions).Get(ctx, v1alpha1.CRD, metav1.GetOptions{})
	if err != nil {
		return err
	}
	c.outdated.Store(schemaOf(crd.GetAnnotations()) < v1alpha1.Schema)
	return nil
}

// retrySchema reads the CRD until it succeeds. Nothing begins before, because an outdated CRD
// may drop fields.
func (c *Controller) retrySchema(ctx context.Context, err error) {
	for err != nil {
		c.o.Log.Warn("the definition could not be read: nothing begins until it is", "error", err.Error())
		select {
		case <-ctx.Done():
			return
		case <-c.o.Clock.After(minPause):
		}
		err = c.readSchema(ctx)
	}
	c.enqueueKnown()
}

// schemaOf returns the schema number of a CRD, or 0 if it has none.
func schemaOf(annotations map[string]string) int {
	number, err := strconv.Atoi(annotations[v1alpha1.SchemaAnnotation])
	if err != nil {
		return 0
	}
	return number
}
