package session

import (
	"context"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/discovery"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/audit"
	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/bundle"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Source is a cluster that can be audited.
type Source interface {
	// Read reads the whole input once.
	Read(ctx context.Context) (Reading, error)
}

// Reading is one reading of a source.
type Reading struct {
	audit.Inspection
	Target bundle.Target
	Header []string  // cluster and position, for the user
	At     time.Time // time of the reading
	GoesOn bool      // whether a migration can continue after a good report
	Next   string    // the command that continues, or empty outside a command line
	// NextBare is Next without options, for readers of a bundle who have other files and images.
	NextBare string
	// Upgrade returns the command that upgrades Kubernetes to a version. It is nil outside a command line.
	Upgrade func(version string) string
	// OfRancher reports whether this is the cluster that Rancher runs in, and not at a known position.
	OfRancher bool
	Run       *runner.Account // the run that worked on the cluster during the whole reading, or nil
	// Changing holds what the steps of that run changed during the reading.
	Changing []verify.Subject
}

// Source returns the session's cluster as a source of audits.
func (s *Session) Source() Source {
	return &procedureSource{session: s, clock: s.Clock, account: s.Account}
}

// procedureSource reads a cluster and its configuration.
type procedureSource struct {
	session *Session
	clock   clock.Clock
	account func(context.Context) (*runner.Account, error)
}

// Read implements Source. It reads the fingerprint from the journal.
func (s *procedureSource) Read(ctx context.Context) (Reading, error) {
	at := s.clock.Now()
	before, _ := s.account(ctx) // an unreadable lock or journal softens nothing
	record, err := s.session.Record(ctx)
	if err != nil {
		return Reading{}, err
	}
	observed, err := s.session.Migration.Observe(ctx, record)
	var inspection audit.Inspection
	if err == nil {
		inspection, err = s.session.Migration.Gather(ctx, observed)
	}
	if fault.ClassOf(err) == fault.CouldNotLook {
		return s.partial(ctx, at, record, err)
	}
	if err != nil {
		return Reading{}, err
	}
	target := s.session.Migration.Target()
	header := append(s.session.Migration.Header(observed), awsLine(inspection.Input.Cloud)...)
	if paused := observed.Reading.Paused; paused != "" {
		header = append(header, "paused "+paused)
	}
	if record.Unread != nil {
		header = append(header, "partly visible: "+record.Unread.Error())
	}
	seen := Reading{Inspection: inspection, Header: header, At: at, GoesOn: inspection.Input.Position.Position != position.P5,
		Target: bundle.Target{Kind: target.Kind, Name: target.Name, Namespace: target.Namespace, UID: target.UID}}
	after, _ := s.account(ctx)
	return seen.duringRun(before, after), nil
}

// duringRun adds the run that the accounts before and after the reading show. A run that began or
// ended meanwhile changes nothing in the report.
func (r Reading) duringRun(before, after *runner.Account) Reading {
	if !before.Works() || !after.Works() || before.ID != after.ID {
		return r
	}
	r.Run = after
	for _, at := range []*runner.Account{before, after} {
		o := migration.Options{InstallMethod: migration.InstallMethod(at.Options["--install-method"])}
		r.Changing = append(r.Changing, procedure.Changes(o, at.Step)...)
	}
	return r
}

// partial judges the readable part of a cluster whose identity is proven; the checks of its
// backend are unknown. If nothing can be read, it returns the first error, which says more.
func (s *procedureSource) partial(ctx context.Context, at time.Time, record journal.Record, why error) (Reading, error) {
	inspection, err := s.session.Migration.GatherAPIOnly(ctx, record)
	if err != nil {
		return Reading{}, why
	}
	target := s.session.Migration.Target()
	inspection.Own = unjudged(SideOf(wellknown.Distribution(target.Kind)).Own, why)
	header := append([]string{fmt.Sprintf("%s   Kubernetes %s · %s", target.Name, migration.OrElse(inspection.Input.Version.Value, "version unknown"), nodeCount(inspection)),
		positionLine(inspection)}, awsLine(inspection.Input.Cloud)...)
	return Reading{Inspection: inspection, Header: append(header, "partly visible: "+why.Error()), At: at,
		Target: bundle.Target{Kind: target.Kind, Name: target.Name, Namespace: target.Namespace, UID: target.UID}}, nil
}

// apiSource reads a cluster through its API alone.
type apiSource struct {
	api   audit.APIOnly
	name  string
	note  string         // for the user, or empty
	own   []verify.Bound // checks of an unreadable backend
	clock clock.Clock
}

// Read implements Source.
func (s *apiSource) Read(ctx context.Context) (Reading, error) {
	at := s.clock.Now()
	inspection, err := s.api.Gather(ctx)
	if err != nil {
		return Reading{}, err
	}
	version := migration.OrElse(inspection.Input.Version.Value, "version unknown")
	header := append([]string{
		fmt.Sprintf("%s   %s · Kubernetes %s · %s", s.name, fault.Server(s.api.Config.Host), version, nodeCount(inspection)),
		positionLine(inspection),
	}, awsLine(inspection.Input.Cloud)...)
	ofRancher := false
	switch {
	case s.note != "":
		header = append(header, s.note)
	case s.servesRancher(ctx):
		ofRancher = inspection.Input.Position.Position == position.Unknown
		header = append(header, bundle.NoteRancher+": --cluster NAME audits one of its clusters, and `list` names them")
	case madeByRKE(inspection):
		header = append(header, bundle.NoteRKE+", which runs its control plane outside the API: --config cluster.yml sees it, or --cluster where Rancher manages it")
	}
	inspection.Own = s.own
	return Reading{Inspection: inspection, Header: header, At: at, OfRancher: ofRancher, Target: bundle.Target{Kind: "kubernetes", Name: s.name, UID: inspection.Input.UID.Value}}, nil
}

// servesRancher reports whether the API serves Rancher's Cluster objects. Only Rancher's own cluster does.
func (s *apiSource) servesRancher(ctx context.Context) bool {
	client, err := discovery.NewDiscoveryClientForConfig(s.api.Config)
	if err != nil {
		return false
	}
	served, err := client.ServerResourcesForGroupVersionWithContext(ctx, "provisioning.cattle.io/v1")
	return err == nil && slices.ContainsFunc(served.APIResources, func(r metav1.APIResource) bool { return r.Name == "clusters" })
}

// madeByRKE reports whether rke made the cluster, by a label that no other distribution sets.
func madeByRKE(inspection audit.Inspection) bool {
	for _, n := range inspection.Input.Nodes.Value {
		if _, has := n.Labels[wellknown.RKE.ControlPlaneLabel()]; has {
			return len(inspection.Input.StaticPods.Value) == 0
		}
	}
	return false
}

func nodeCount(inspection audit.Inspection) string {
	if !inspection.Input.Nodes.OK() {
		return "nodes not visible"
	}
	planes := 0
	for _, n := range inspection.Input.Nodes.Value {
		if n.ControlPlane() {
			planes++
		}
	}
	return fmt.Sprintf("%s, %d of them control planes", fault.Count(len(inspection.Input.Nodes.Value), "node"), planes)
}

func positionLine(inspection audit.Inspection) string {
	if inspection.Input.Hosted() {
		return "now    –    the control plane is hosted elsewhere: nothing of it can be migrated from here"
	}
	return "now    " + inspection.Input.Position.Text()
}

// awsLine returns the AWS identity that was asked, or why AWS was not asked.
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
