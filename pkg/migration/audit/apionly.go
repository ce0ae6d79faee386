package audit

import (
	"cmp"
	"context"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/pkg/awsccm"
	"github.com/awsmigrate/awsmigrate/pkg/awsccm/ccmchart"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/runner/retry"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/kube"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// APIOnly holds access to a cluster that is known only by its API, without Rancher objects or
// cluster.yml. Such a cluster can be audited but not migrated.
type APIOnly struct {
	Config  *rest.Config
	Clock   clock.WithTicker
	Options migration.Options
	// Distribution is the known distribution. If it is empty, the API's version decides.
	Distribution wellknown.Distribution
	// Record is the journal, or empty. Gather also asks EC2 about the Nodes of its fingerprint.
	Record journal.Record
}

// Gather reads all facts for the checks and computes the position from the arguments that the
// API shows. If a part is forbidden, only the checks that need it are unknown. Gather returns
// an error if the API server does not answer at all.
func (p APIOnly) Gather(ctx context.Context) (Inspection, error) {
	reader, err := kube.New(p.Config, p.Clock)
	if err != nil {
		return Inspection{}, err
	}
	if err := reader.Ping(ctx); retry.Transient(err) && apierrors.ReasonForError(err) == metav1.StatusReasonUnknown {
		return Inspection{}, p.notRead(err) // every other request would wait just as long
	}
	facts, instances := readBoth(ctx, reader, p.Options, p.Record, func(f downstream.Facts) string { return f.Version.Value }, false)
	if facts.Version.Value == "" && !facts.UID.OK() && (!facts.Nodes.OK() || len(facts.Nodes.Value) == 0) {
		return Inspection{}, p.notRead(cmp.Or(facts.Nodes.Err, facts.UID.Err))
	}
	input := evidence.Input{
		Facts: facts, Position: position.Compute(facts.Evidence(nil)), Distribution: wellknown.Distribution(migration.OrElse(string(p.Distribution), string(distributionOf(facts)))), Target: p.Options.KubernetesVersion,
		CloudRoutes: p.Options.CloudRoutes, CCMImage: ccmchart.NamedImage(p.Options.CCMImage, p.Options.Values), ImageAllowed: ImageAllowed, ImageFor: awsccm.ImageFor, Cloud: instances, Plain: true,
	}
	return Inspection{Input: input}, nil
}

// notRead returns the error for an API server of which nothing could be read.
func (p APIOnly) notRead(cause error) error {
	err := migration.CouldNotRead("API server "+fault.Server(p.Config.Host), fault.Shown(cause))
	if f, ok := fault.As(err); ok && f.Reason != fault.ReasonUnauthorized {
		f.Reason, f.Fix = "Unreachable", migration.OrElse(f.Fix, "check --kubeconfig and --context")
	}
	return err
}

// distributionOf recognizes RKE2 by its API server's version. RKE2's Nodes carry evidence of
// names and arguments.
func distributionOf(facts downstream.Facts) wellknown.Distribution {
	if facts.Version.OK() && strings.Contains(facts.Version.Value, "+rke2") {
		return wellknown.RKE2
	}
	return ""
}
