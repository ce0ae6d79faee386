package migration

import (
	"context"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
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
	leases  map[string][]lease.Observation
}

// Begin sets what New of a procedure cannot: the start of its lease readings.
func (c *Core) Begin() {
	c.started, c.leases = c.Clock.Now(), map[string][]lease.Observation{}
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
	reading.Stale = c.found
	reading.Down, reading.Leases = down, c.observeLeases(down, c.Clock.Since(c.started))
	c.Reading, c.Result = reading, position.Compute(reading.Evidence())
	return nil
}

// leaseWindow is how far back lease readings are compared: longer than a renew
// deadline, so that a holder which has not written for one is known to be dead.
const leaseWindow = 15 * time.Second

func (c *Core) observeLeases(down Downstream, at time.Duration) lease.Leases {
	series := func(name string) lease.Series {
		readings := append(c.leases[name], observeLease(down.Leases[name], at))
		for len(readings) > 1 && (at-readings[0].At > leaseWindow || at < readings[0].At) { // a clock that was put back orders nothing
			readings = readings[1:]
		}
		readings = sinceMade(readings)
		c.leases[name] = readings
		return lease.Series{First: readings[0], Last: readings[len(readings)-1]}
	}
	return lease.Leases{Migration: series(wellknown.MigrationLease), KCM: series(wellknown.KCMLease), CCM: series(wellknown.CCMLease)}
}

// sinceMade leaves out what was read before the lease that is there now existed: that
// time is no time without a renewal.
func sinceMade(readings []lease.Observation) []lease.Observation {
	for i := len(readings) - 2; i >= 0 && readings[i+1].Exists; i-- {
		if !readings[i].Exists {
			return readings[i+1:]
		}
	}
	return readings
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

func atVersion(nodes []corev1.Node, version string) bool {
	if version == "" {
		return true
	}
	for i := range nodes {
		if !SameVersion(nodes[i].Status.NodeInfo.KubeletVersion, version) {
			return false
		}
	}
	return len(nodes) > 0
}

// Switched says whether the cluster is past the switch of its provider.
func (c *Core) Switched() bool {
	return c.Result.Position >= position.P4 && c.Result.Position != position.Unknown
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
