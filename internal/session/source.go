package session

import (
	"context"
	"fmt"
	"time"

	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/audit"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkechecks"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rke2checks"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/bundle"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Source is something to audit.
type Source interface {
	// Read reads all of it once.
	Read(ctx context.Context) (Reading, error)
}

// Reading is one reading of a source.
type Reading struct {
	audit.Inspection
	Target bundle.Target
	Header []string  // cluster and position, for people
	At     time.Time // when it was read
	GoesOn bool      // whether a migration could go on from a good report
	Next   string    // the command that does, where somebody types commands; "": none
}

// Source is the cluster of a session, to be audited.
func (s *Session) Source() Source {
	return &procedureSource{session: s, clock: s.Clock}
}

// procedureSource is a cluster with the side that configures it.
type procedureSource struct {
	session *Session
	clock   clock.Clock
}

// Read implements Source. The journal is read for its fingerprint.
func (s *procedureSource) Read(ctx context.Context) (Reading, error) {
	at := s.clock.Now()
	record, err := s.session.Record(ctx)
	if err != nil {
		return Reading{}, err
	}
	observed, err := s.session.Migration.Observe(ctx, record)
	var seen audit.Inspection
	if err == nil {
		seen, err = s.session.Migration.Gather(ctx, observed)
	}
	if fault.ClassOf(err) == fault.CouldNotLook {
		return s.partial(ctx, at, record, err)
	}
	if err != nil {
		return Reading{}, err
	}
	target := s.session.Migration.Target()
	header := append(s.session.Migration.Header(observed), awsLine(seen.Input.Cloud)...)
	if paused := observed.Reading.Paused; paused != "" {
		header = append(header, "paused "+paused)
	}
	if record.Unread != nil {
		header = append(header, "partly visible: "+record.Unread.Error())
	}
	return Reading{Inspection: seen, Header: header, At: at, GoesOn: seen.Input.Position.Position != position.P5,
		Target: bundle.Target{Kind: target.Kind, Name: target.Name, Namespace: target.Namespace, UID: target.UID}}, nil
}

// partial judges what can still be read of a cluster that was proven to be the one
// named; what its own side judges is unknown. Where nothing can be read, the first
// reason says more.
func (s *procedureSource) partial(ctx context.Context, at time.Time, record journal.Record, why error) (Reading, error) {
	seen, err := s.session.Migration.GatherAPIOnly(ctx, record)
	if err != nil {
		return Reading{}, why
	}
	target := s.session.Migration.Target()
	metas := verify.Metas(rke2checks.All()...)
	if target.Kind == string(wellknown.RKE) {
		metas = verify.Metas(rkechecks.All()...)
	}
	seen.Own = unjudged(metas, why)
	header := append([]string{fmt.Sprintf("%s   Kubernetes %s · %s", target.Name, migration.OrElse(seen.Input.Version.Value, "version unknown"), nodeCount(seen)),
		positionLine(seen)}, awsLine(seen.Input.Cloud)...)
	return Reading{Inspection: seen, Header: append(header, "partly visible: "+why.Error()), At: at,
		Target: bundle.Target{Kind: target.Kind, Name: target.Name, Namespace: target.Namespace, UID: target.UID}}, nil
}

// apiSource is a cluster of which only the API is known.
type apiSource struct {
	api   audit.APIOnly
	name  string
	note  string         // for people; "": none
	own   []verify.Bound // checks of a side that could not be read
	clock clock.Clock
}

// Read implements Source.
func (s *apiSource) Read(ctx context.Context) (Reading, error) {
	at := s.clock.Now()
	seen, err := s.api.Gather(ctx)
	if err != nil {
		return Reading{}, err
	}
	version := migration.OrElse(seen.Input.Version.Value, "version unknown")
	header := append([]string{
		fmt.Sprintf("%s   %s · Kubernetes %s · %s", s.name, fault.Server(s.api.Config.Host), version, nodeCount(seen)),
		positionLine(seen),
	}, awsLine(seen.Input.Cloud)...)
	if s.note != "" {
		header = append(header, s.note)
	} else if madeByRKE(seen) {
		header = append(header, "made by rke, which runs its control plane outside the API: --config cluster.yml sees it, or --cluster where Rancher manages it")
	}
	seen.Own = s.own
	return Reading{Inspection: seen, Header: header, At: at, Target: bundle.Target{Kind: "kubernetes", Name: s.name, UID: seen.Input.UID.Value}}, nil
}

// madeByRKE knows by a label without a hyphen that nobody else gives
// (rancher/rke:cluster/hosts.go@v1.5.9).
func madeByRKE(seen audit.Inspection) bool {
	for _, n := range seen.Input.Nodes.Value {
		if _, has := n.Labels["node-role.kubernetes.io/controlplane"]; has {
			return len(seen.Input.StaticPods.Value) == 0
		}
	}
	return false
}

func nodeCount(seen audit.Inspection) string {
	if !seen.Input.Nodes.OK() {
		return "nodes not visible"
	}
	planes := 0
	for _, n := range seen.Input.Nodes.Value {
		if n.ControlPlane() {
			planes++
		}
	}
	return fmt.Sprintf("%d nodes, %d of them control planes", len(seen.Input.Nodes.Value), planes)
}

func positionLine(seen audit.Inspection) string {
	if seen.Input.Hosted() {
		return "now    –    the control plane is hosted elsewhere: nothing of it can be migrated from here"
	}
	return "now    " + seen.Input.Position.Text()
}

// awsLine says whom AWS was asked about, or why it was not.
func awsLine(f cloud.Facts) []string {
	switch {
	case !f.On && f.Off == "":
		return nil
	case !f.On:
		return []string{"aws    not asked: " + f.Off}
	case !f.Identity.OK():
		return []string{"aws    " + f.Region}
	}
	return []string{fmt.Sprintf("aws    %s · %s · as %s", f.Identity.Value.Account, f.Region, f.Identity.Value.ARN)}
}
