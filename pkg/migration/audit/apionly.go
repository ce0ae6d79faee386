package audit

import (
	"context"
	"strings"

	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/kube"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// APIOnly is a cluster of which only its API is known, whoever made it: no Rancher
// object and no cluster.yml tells of it. It can be audited and not migrated.
type APIOnly struct {
	Config  *rest.Config
	Clock   clock.WithTicker
	Options migration.Options
	// Distribution is what is known of it from elsewhere; "": what its API tells.
	Distribution wellknown.Distribution
	// Record is the journal, where one was read: EC2 is asked about its Nodes too.
	Record journal.Record
}

// Gather reads everything that checks judge, and computes the position from the
// arguments that the API shows. A part that may not be read costs only the checks
// that need it; an API server that does not answer at all is a fault.
func (p APIOnly) Gather(ctx context.Context) (Inspection, error) {
	reader, err := kube.New(p.Config, p.Clock)
	if err != nil {
		return Inspection{}, err
	}
	facts, instances := readBoth(ctx, reader, p.Options, p.Record, func(f downstream.Facts) string { return f.Version.Value })
	if !facts.Version.OK() && !facts.UID.OK() && !facts.Nodes.OK() {
		return Inspection{}, &fault.Error{Class: fault.CouldNotLook, Reason: "Unreachable", Object: "API server " + fault.Server(p.Config.Host),
			Seen: "could not be read", Fix: "check --kubeconfig and --context", Err: fault.Shown(facts.Nodes.Err)}
	}
	input := evidence.Input{
		Facts: facts, Position: position.Compute(facts.Evidence(nil)), Distribution: wellknown.Distribution(migration.OrElse(string(p.Distribution), string(distributionOf(facts)))), Target: p.Options.KubernetesVersion,
		CloudRoutes: p.Options.CloudRoutes, ImageAllowed: ImageAllowed, Cloud: instances, Plain: true,
	}
	return Inspection{Input: input}, nil
}

// distributionOf tells RKE2, whose evidence of names and arguments is on the
// Nodes, by the version that its API server gives.
func distributionOf(facts downstream.Facts) wellknown.Distribution {
	if facts.Version.OK() && strings.Contains(facts.Version.Value, "+rke2") {
		return wellknown.RKE2
	}
	return ""
}
