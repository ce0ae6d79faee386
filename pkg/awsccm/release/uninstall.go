package release

import (
	"context"
	"errors"
	"fmt"

	"helm.sh/helm/v3/pkg/action"
	"helm.sh/helm/v3/pkg/kube"
	"helm.sh/helm/v3/pkg/release"
	"helm.sh/helm/v3/pkg/releaseutil"
	"helm.sh/helm/v3/pkg/storage/driver"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/awsmigrate/awsmigrate/pkg/awsccm/ccmchart"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Uninstall removes the release and its objects. A missing or partly removed release is no
// error. It continues when ctx ends.
func (i *Installer) Uninstall(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return releaseError("uninstall", i.uninstall(context.WithoutCancel(ctx)))
}

func (i *Installer) uninstall(ctx context.Context) error {
	records, err := i.helm.Releases.History(wellknown.CCM)
	if err != nil && !errors.Is(err, driver.ErrReleaseNotFound) {
		return err
	}
	if err := i.deleteOrphans(ctx, records); err != nil {
		return err
	}
	uninstall := action.NewUninstall(i.helm)
	uninstall.IgnoreNotFound = true
	_, err = uninstall.Run(wellknown.CCM)
	return err
}

// deleteOrphans deletes objects that Helm's uninstall would leave after an interrupted upgrade.
// Uninstall uses the last record alone, and an upgrade deletes objects that its record no
// longer names only at its end (helm.sh/helm/v3@v3.22.0:pkg/action/uninstall.go,
// pkg/kube/client.go). It keeps an object that another writer created again under such a name,
// and one that its chart keeps.
func (i *Installer) deleteOrphans(ctx context.Context, records []*release.Release) error {
	if len(records) < 2 {
		return nil
	}
	releaseutil.Reverse(records, releaseutil.SortByRevision)
	named := map[string]bool{}
	for at, record := range records {
		objects, err := ccmchart.ParseManifest(record.Manifest)
		if err != nil {
			return fmt.Errorf("read revision %d: %w", record.Version, err)
		}
		for n := range objects {
			name := ccmchart.ObjectName(&objects[n])
			known := named[name]
			named[name] = true
			if known || at == 0 {
				continue
			}
			if err := i.deleteOrphan(ctx, &objects[n]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (i *Installer) deleteOrphan(ctx context.Context, object *unstructured.Unstructured) error {
	if object.GetAnnotations()[kube.ResourcePolicyAnno] == kube.KeepPolicy {
		return nil
	}
	found, err := i.existing(ctx, object)
	if err != nil || found == nil || found.ReleaseName != wellknown.CCM || found.ReleaseNamespace != wellknown.System {
		return err
	}
	err = i.metadata.Resource(found.resource).Namespace(found.namespace).Delete(ctx, found.shortName, metav1.DeleteOptions{
		Preconditions: &metav1.Preconditions{UID: &found.uid},
	})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("delete %s, which an upgrade that was cut off left: %w", found.Object, err)
	}
	return nil
}
