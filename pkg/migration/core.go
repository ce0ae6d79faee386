package migration

import (
	"context"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Core is the part of a procedure that its Side does not change. A procedure
// embeds it.
type Core struct {
	Kube         kubernetes.Interface // the cluster being migrated
	Config       *rest.Config         // the same, for Helm's own clients
	Options      Options
	Clock        clock.WithTicker
	Side         Side
	Distribution wellknown.Distribution
	Guard        Guard

	Record  runner.Record   // the journal, as of the last observation
	Reading Reading         // the last one
	Result  position.Result // of it

	back bool // this is an undo
	// found are renames that were there before this run, by the new name: what an
	// undo goes back from. Their Nodes are nobody's any more.
	found map[string]bool

	outage  outage
	hadCCM  bool // a step of this run has watched the CCM's DaemonSet
	started time.Time
	leases  lease.Window
}

// Begin sets what New of a procedure cannot: the start of its lease readings.
func (c *Core) Begin() {
	c.started, c.leases = c.Clock.Now(), lease.Window{}
}

// ClusterUID is the cluster's identity: the UID of its kube-system.
func (c *Core) ClusterUID(ctx context.Context) (string, error) {
	system, err := c.Kube.CoreV1().Namespaces().Get(ctx, wellknown.System, metav1.GetOptions{})
	if err != nil {
		return "", CouldNotRead("Namespace kube-system of the cluster to migrate", err)
	}
	return string(system.UID), nil
}

// Read reads both sides again.
func (c *Core) Read(ctx context.Context) error {
	err := c.read(ctx)
	c.outage = c.outage.next(c.Clock.Now(), err)
	return err
}

func (c *Core) read(ctx context.Context) error {
	if err := c.Side.Look(ctx); err != nil {
		return err
	}
	down, err := ReadDownstream(ctx, c.Kube)
	if err != nil {
		return err
	}
	if down.Record, err = c.recordLeft(ctx, down); err != nil {
		return err
	}
	reading := c.Side.Combine(down)
	reading.Stale, reading.Down = c.found, down
	if reading, err = c.observeLeases(ctx, reading); err != nil {
		return err
	}
	c.Reading, c.Result = reading, position.Compute(reading.Evidence())
	return nil
}

// observeLeases takes the leases of a reading into the window. Where the position
// rests on a holder that was not yet looked at for long enough, it looks on: after the
// first reading of a run, or one that follows an outage.
func (c *Core) observeLeases(ctx context.Context, r Reading) (Reading, error) {
	deadline := r.RenewDeadline()
	for {
		c.leases = c.leases.Add(r.Down.leases(c.Clock.Since(c.started)), deadline+beyondDeadline)
		if r.Leases = c.leases.Leases(); !r.awaitsCCM() || r.LeaseVerdict().Life != lease.Silent {
			return r, nil
		}
		if err := runner.Pause(ctx, c.Clock, leaseTick); err != nil {
			return r, err
		}
		if err := r.Down.readLeases(ctx, c.Kube); err != nil {
			return r, err
		}
	}
}

const (
	leaseTick = 500 * time.Millisecond
	// beyondDeadline makes the window longer than the deadline by the pace of readings.
	beyondDeadline = 5 * time.Second
)

// awaitsCCM says whether nobody but a CCM with the flag can hold the migration lease.
func (r Reading) awaitsCCM() bool {
	for _, k := range r.KCMs {
		if !k.Known || k.Provider() != position.External {
			return false
		}
	}
	return len(r.KCMs) > 0 && r.ccmEvidence().Migration
}

// Observe implements runner.Procedure.
func (c *Core) Observe(ctx context.Context, record runner.Record) (runner.Observation, error) {
	c.Record = record
	if err := c.Read(ctx); err != nil {
		return runner.Observation{}, err
	}
	if err := c.Side.Supported(); err != nil {
		return runner.Observation{}, err
	}
	return c.standing(record).judge(c.order())
}

func (c *Core) order() []runner.StepID {
	return order(c.Options.InstallMethod, c.Options.KubernetesVersion != "")
}

func (c *Core) standing(record runner.Record) standing {
	return standing{
		Reading: c.Reading, Result: c.Result, Record: record, Options: c.Options, Cordon: planCordon(c.Reading).without(c.newPlanes(record)),
		AtTarget: c.AtTarget(), Rolls: c.Side.Rolls,
		Snapshot: func(reached position.Position) runner.State { return c.Side.SnapshotState(record, reached) },
	}
}

// AtTarget says whether every kubelet runs the version to upgrade to.
func (c *Core) AtTarget() bool { return atVersion(c.Reading.Down.Nodes, c.Options.KubernetesVersion) }

// SameVersion says whether a kubelet of one version runs what a distribution
// calls by the other: RKE's kubelets do not tell "-rancher1-1".
func SameVersion(kubelet, version string) bool {
	if kubelet == version {
		return true
	}
	plain, _, found := strings.Cut(version, "-rancher")
	return found && kubelet == plain
}

func atVersion(nodes []downstream.Node, version string) bool {
	if version == "" {
		return true
	}
	for i := range nodes {
		if !SameVersion(nodes[i].Kubelet, version) {
			return false
		}
	}
	return len(nodes) > 0
}

// Switched says whether the cluster is past the switch of its provider.
func (c *Core) Switched() bool {
	return c.Result.Position.AtLeast(position.P4)
}

// RequireRest stops before a write unless everything is where it should be.
func (c *Core) RequireRest() error {
	return c.Reading.Rest(c.Side.Tell)
}

// Rest is what keeps a cluster from being at rest, as one error; nil: it is.
func (r Reading) Rest(tell func([]Unrest) string) error {
	problems := r.Restless()
	if len(problems) == 0 {
		return nil
	}
	fix := "wait until nothing moves any more, or mend what is named, then run again"
	for _, p := range problems {
		if p.Fix != "" {
			fix = p.Fix + "; then run the same command again"
			break
		}
	}
	return &fault.Error{Class: fault.Check, Reason: "NotAtRest", Object: r.Object,
		Seen: tell(problems), Wanted: "a cluster at rest before anything is written", Fix: fix, Passing: true}
}
