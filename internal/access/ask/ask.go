package ask

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/internal/access"
	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/verify/aws"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Question selects the cluster, the credentials and the purpose.
type Question struct {
	// Target is the cluster. For a cluster in Rancher, Target describes it as RKE2 and AsRKE as RKE; All
	// finds out which one applies.
	Target, AsRKE session.Target
	Purpose       access.Purpose
	AWS           aws.Options
	Clock         clock.Clock
}

// All asks all servers. A failure of one part does not stop the others.
func All(ctx context.Context, q Question) access.Report {
	r := access.Report{Purpose: q.Purpose, Cluster: access.Cluster{Asked: q.Target.Name, AskedIn: q.Target.Namespace}}
	var here *rest.Config
	if q.Target.Kind == session.RKE2 {
		here = q.inRancher(ctx, &r)
	} else {
		if q.Target.Kind == session.ClusterFile {
			r.Cluster.Distribution, r.Cluster.Asked = wellknown.RKE, q.Target.File
		}
		here, r.Here.Err = session.LookOnly(q.Target.Server, q.Target.RequestTimeout)
	}
	needed, err := r.Cluster.Here(q.Purpose)
	if r.Here.Err == nil {
		r.Here.Err = err
	}
	q.server(ctx, &r.Here, here, access.Here(r.Cluster.Asked), needed)
	providerID := ""
	if r.Here.Err == nil && q.AWS.Mode != aws.Off {
		providerID = anyProviderID(ctx, here)
	}
	r.AWS = aws.Access(ctx, q.AWS, providerID)
	return r
}

// inRancher asks Rancher's own cluster, and returns the client configuration of the cluster to migrate.
// Without such a configuration it returns nil and sets r.Here.Err.
func (q Question) inRancher(ctx context.Context, r *access.Report) *rest.Config {
	r.Rancher = &access.API{}
	config, err := session.LookOnly(q.Target.Server, q.Target.RequestTimeout)
	r.Rancher.Err = err
	q.reach(ctx, r.Rancher, config, access.InRancher)
	found := q.locate(ctx, *r.Rancher, config)
	r.Cluster = found.cluster
	q.rights(ctx, r.Rancher, config, access.InRancher, r.Cluster.InRancher(q.Purpose))
	if r.Rancher.Err == nil && !isExplained(found.err, *r.Rancher) {
		r.Rancher.Err = found.err
	}
	here, err := q.connect(ctx, *r.Rancher, found)
	r.Here.Err = err
	if err == nil {
		return here
	}
	r.Here.User = sameUser(*r.Rancher, config)
	return nil
}

// isExplained reports whether missing rights cause the error. They are reported separately.
func isExplained(err error, a access.API) bool {
	return err == nil || fault.HasReason(err, fault.ReasonForbidden) && len(a.Missing) > 0
}

// connect returns the client configuration of the cluster to migrate.
func (q Question) connect(ctx context.Context, rancher access.API, found located) (*rest.Config, error) {
	if q.Target.Downstream.Named() {
		return session.LookOnly(q.Target.Downstream, q.Target.RequestTimeout)
	}
	object := access.Here(q.Target.Name)
	switch {
	case rancher.Err != nil:
		return nil, notAsked(object, access.InRancher+" does not say how it is reached: see there", nil)
	case found.err != nil:
		return nil, notAsked(object, "without the rights that are missing there, "+access.InRancher+" does not say how it is reached", nil)
	}
	config, err := session.Way(ctx, found.target, q.Clock)
	if err != nil && len(rancher.Missing) > 0 {
		return nil, notAsked(object, "its kubeconfig cannot be read without the rights that are missing in "+access.InRancher, err)
	}
	return config, err
}

func notAsked(object, why string, err error) error {
	return &fault.Error{Class: fault.CouldNotLook, Reason: "NotAsked", Object: object, Seen: "not asked: " + why,
		Fix: "fix this and rerun, or pass a kubeconfig of the cluster with --downstream-kubeconfig", Err: err}
}

// server asks one API server for everything.
func (q Question) server(ctx context.Context, a *access.API, config *rest.Config, object string, needed []access.Right) {
	q.reach(ctx, a, config, object)
	q.rights(ctx, a, config, object, needed)
}

// anyProviderID returns the ProviderID of one Node, which contains the AWS region, or "".
func anyProviderID(ctx context.Context, config *rest.Config) string {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return ""
	}
	nodes, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{Limit: 1})
	if err != nil || len(nodes.Items) == 0 {
		return ""
	}
	return nodes.Items[0].Spec.ProviderID
}

func unreachable(object, server string, err error) error {
	return &fault.Error{Class: fault.CouldNotLook, Reason: "Unreachable", Object: object, Seen: fmt.Sprintf("%s does not answer", server),
		Fix: adviseUnreachable(err), Err: fault.Shown(err), Transient: true}
}
