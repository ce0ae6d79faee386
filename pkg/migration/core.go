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
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/runner/retry"
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

	back   bool // this is an undo
	before history
}

// history is what a run keeps of its observations, for those to come.
type history struct {
	// found are renames that were there before this run, by the new name: what an
	// undo goes back from. Their Nodes are nobody's any more.
	found   map[string]bool
	outage  outage
	hadCCM  bool // the CCM's DaemonSet was there
	started time.Time
	leases  lease.Window
}

// Begin sets what New of a procedure cannot: the start of its lease readings.
func (c *Core) Begin() {
	c.before = history{started: c.Clock.Now()}
}

// ClusterUID is the cluster's identity: the UID of its kube-system.
func (c *Core) ClusterUID(ctx context.Context) (string, error) {
	system, err := c.Kube.CoreV1().Namespaces().Get(ctx, wellknown.System, metav1.GetOptions{})
	if err != nil {
		return "", CouldNotRead("Namespace kube-system of the cluster to migrate", err)
	}
	return string(system.UID), nil
}

// Observe implements runner.Procedure: it reads both sides.
func (c *Core) Observe(ctx context.Context, record journal.Record) (Snapshot, error) {
	seen, err := c.observe(ctx, record)
	now := c.Clock.Now()
	c.before.outage = c.before.outage.next(now, err)
	if err != nil {
		return Snapshot{}, err
	}
	seen.At, seen.Unseen, seen.Outage = now, c.before.outage.before, c.before.outage.recent(now)
	c.before.hadCCM = c.before.hadCCM || seen.Reading.Down.CCM != nil
	seen.HadCCM = c.before.hadCCM
	return seen, nil
}

func (c *Core) observe(ctx context.Context, record journal.Record) (Snapshot, error) {
	seen := Snapshot{Record: record, Back: c.back, InstallMethod: c.Options.InstallMethod}
	var err error
	if seen.Config, err = c.Side.Look(ctx, record); err != nil {
		return seen, err
	}
	down, err := c.readCluster(ctx)
	if err != nil {
		return seen, err
	}
	if down.Record, err = c.recordLeft(ctx, record, down); err != nil {
		return seen, err
	}
	reading := seen.Config.Combine(down)
	reading.Stale, reading.Down = c.before.found, down
	if seen.Reading, err = c.observeLeases(ctx, reading); err != nil {
		return seen, err
	}
	seen.Result = position.Compute(seen.Reading.Evidence())
	if c.back {
		seen.InstallMethod = seen.Config.InstalledAs(record)
		if c.before.found == nil {
			c.before.found = seen.renamed()
		}
		seen.Reading.Stale = c.before.found
	}
	return seen, nil
}

// observeLeases takes the leases of a reading into the window. Where the position
// rests on a holder that was not yet looked at for long enough, it looks on: after the
// first reading of a run, or one that follows an outage.
func (c *Core) observeLeases(ctx context.Context, r Reading) (Reading, error) {
	deadline := r.RenewDeadline()
	for {
		c.before.leases = c.before.leases.Add(r.Down.Leases.Taken(c.Clock.Since(c.before.started)), deadline+beyondDeadline)
		if r.Leases = c.before.leases.Leases(); !r.awaitsCCM() || r.LeaseVerdict().Life != lease.Silent {
			return r, nil
		}
		if err := retry.Pause(ctx, c.Clock, leaseTick); err != nil {
			return r, err
		}
		var err error
		if r.Down.Leases, err = c.readLeases(ctx); err != nil {
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

// Judge implements runner.Procedure.
func (c *Core) Judge(seen Snapshot) (runner.Observation, error) {
	if err := seen.Config.Supported(); err != nil {
		return runner.Observation{}, err
	}
	return c.standing(seen).judge(c.order())
}

func (c *Core) order() []journal.StepID {
	return order(c.Options.InstallMethod, c.Options.KubernetesVersion != "")
}

func (c *Core) standing(seen Snapshot) standing {
	return standing{
		Snapshot: seen, Options: c.Options, Cordon: planCordon(seen.Reading).without(seen.newPlanes()),
		AtTarget: seen.AtTarget(c.Options.KubernetesVersion), Rolls: c.Side.Rolls,
	}
}

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

// RequireRest stops before a write unless everything is where it should be.
func (c *Core) RequireRest(seen Snapshot) error {
	return seen.Reading.Rest(c.Side.Tell)
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
