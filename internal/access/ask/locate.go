package ask

import (
	"context"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/awsmigrate/awsmigrate/internal/access"
	"github.com/awsmigrate/awsmigrate/internal/job"
	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke/managed"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rancher"
	"github.com/awsmigrate/awsmigrate/pkg/viarancher"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// located is a cluster as Rancher describes it.
type located struct {
	cluster access.Cluster
	target  session.Target
	err     error // why Rancher does not describe it; then the form of its name decides
}

// locate finds out whether a cluster is an RKE2 or an RKE cluster, as an audit does.
func (q Question) locate(ctx context.Context, a access.API, management *rest.Config) located {
	is := located{target: q.Target, cluster: access.Cluster{Distribution: wellknown.RKE2, Namespace: q.Target.Namespace, Name: q.Target.Name}}
	if wellknown.IsRKEID(q.Target.Name) {
		is.target, is.cluster.Distribution = q.AsRKE, wellknown.RKE
	}
	is.cluster.Asked, is.cluster.AskedIn = q.Target.Name, q.Target.Namespace
	is.cluster.Kept = management == nil || !q.Target.Downstream.Named() && !isRancherProxy(management)
	if a.Err != nil {
		return is
	}
	client, err := dynamic.NewForConfig(management)
	if err != nil {
		is.err = fault.AsUsage(err)
		return is
	}
	object, err := rancher.FindCluster(ctx, client, q.Target.Namespace, q.Target.Name)
	if _, provisioned := rkeConfig(object); err == nil && provisioned {
		if object.GetName() != q.Target.Name { // the target is named by its id
			is.cluster.Namespace, is.cluster.Name = object.GetNamespace(), object.GetName()
		}
		is.target, is.cluster.Distribution, is.cluster.CloudConfig = q.Target, wellknown.RKE2, cloudConfigOf(object)
		return is
	}
	if err != nil && is.cluster.Distribution == wellknown.RKE2 && !fault.HasReason(err, migration.ReasonClusterNotFound, migration.ReasonNotRancher) {
		is.err = err
		return is
	}
	return is.asRKE(ctx, q, client, err)
}

// asRKE searches for an RKE cluster that Rancher manages. first is why it is not an RKE2 cluster.
func (is located) asRKE(ctx context.Context, q Question, client dynamic.Interface, first error) located {
	found, err := managed.Find(ctx, client, q.Target.Name)
	switch {
	case err == nil:
		is.target, is.cluster.Distribution, is.cluster.Name = q.AsRKE, wellknown.RKE, found.ID
		is.cluster.Namespace = migration.OrElse(found.Workspace, q.Target.Namespace)
	case first != nil && fault.HasReason(err, migration.ReasonClusterNotFound, migration.ReasonNotRancher, managed.ReasonNotRKE):
		is.err = fault.Nearer(first, err)
	default:
		is.err = err
	}
	return is
}

func isRancherProxy(management *rest.Config) bool {
	_, through := viarancher.Own(management, "any")
	return through
}

// sameUser returns the user that the cluster to migrate maps these credentials to, or "". Rancher's
// proxy uses the same user for all clusters.
func sameUser(rancher access.API, management *rest.Config) string {
	if management == nil || !isRancherProxy(management) {
		return ""
	}
	return rancher.User
}

func rkeConfig(cluster *unstructured.Unstructured) (map[string]any, bool) {
	if cluster == nil {
		return nil, false
	}
	fields, found, err := unstructured.NestedMap(cluster.Object, "spec", "rkeConfig")
	return fields, found && err == nil
}

// cloudConfigOf returns the Secret with a cluster's cloud config, or zero
// (rancher/rancher:pkg/capr/planner/config.go@v2.8.5). A run itself reports a cloud config that only some
// machines have.
func cloudConfigOf(cluster *unstructured.Unstructured) job.SecretReference {
	fields, _ := rkeConfig(cluster)
	text, _, _ := unstructured.NestedString(fields, "machineGlobalConfig", config.KeyCloudConfig)
	ref, is := strings.CutPrefix(text, "secret://")
	namespace, name, whole := strings.Cut(ref, ":")
	if !is || !whole {
		return job.SecretReference{}
	}
	return job.SecretReference{Namespace: namespace, Name: name}
}
