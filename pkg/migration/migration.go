package migration

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Access is how the cluster to migrate is reached, and what its user chose.
type Access struct {
	Kube         kubernetes.Interface
	Config       *rest.Config // the same cluster, for Helm's own clients
	Clock        clock.WithTicker
	Options      Options
	Distribution wellknown.Distribution
}

// Migration is a migration, or the undo of one, of a cluster that a Backend configures.
// It implements runner.Procedure.
type Migration struct {
	Access
	Backend Backend
	Guard   Guard

	target journal.Target
	back   bool // this is an undo
	before history
}

// New makes a migration. Nothing is read before Open.
func New(access Access, backend Backend) *Migration {
	return &Migration{Access: access, Backend: backend, before: history{started: access.Clock.Now()}}
}

// Open observes the cluster once, and makes it the target: kind and names are the
// Backend's, the UID is that of the cluster's kube-system.
func (m *Migration) Open(ctx context.Context, target journal.Target) (Snapshot, error) {
	var err error
	if target.UID, err = m.clusterUID(ctx); err != nil {
		return Snapshot{}, err
	}
	m.target = target
	return m.Observe(ctx, journal.Record{})
}

// clusterUID is the cluster's identity: the UID of its kube-system.
func (a Access) clusterUID(ctx context.Context) (string, error) {
	system, err := a.Kube.CoreV1().Namespaces().Get(ctx, wellknown.System, metav1.GetOptions{})
	if err != nil {
		return "", CouldNotRead("Namespace kube-system of the cluster to migrate", err)
	}
	return string(system.UID), nil
}

// Target implements runner.Procedure.
func (m *Migration) Target() journal.Target { return m.target }

// Judge implements runner.Procedure.
func (m *Migration) Judge(seen Snapshot) (runner.Observation, error) {
	if m.back {
		return m.standing(seen).judgeUndo(m.order())
	}
	if err := seen.Config.Supported(); err != nil {
		return runner.Observation{}, err
	}
	return m.standing(seen).judge(m.forward())
}

// Header implements runner.Procedure.
func (m *Migration) Header(seen Snapshot) []string {
	lines := m.Backend.Header(seen)
	if m.back {
		return undoHeader(lines)
	}
	return lines
}

// Paused says who keeps the cluster from being rolled; "": nobody.
func (m *Migration) Paused(seen Snapshot) string { return m.Backend.Paused(seen) }

// Brake implements runner.Procedure.
func (m *Migration) Brake(ctx context.Context, tx *runner.Tx, seen Snapshot, _ error) (string, error) {
	return m.Backend.Brake(ctx, tx, seen, func(ctx context.Context) (Snapshot, error) { return m.Observe(ctx, tx.Record()) })
}

// Steps implements runner.Procedure.
func (m *Migration) Steps() []Step {
	ids := m.order()
	steps := make([]Step, 0, len(ids))
	for _, id := range ids {
		steps = append(steps, rowOf(id).make(base{Migration: m, ID: id}))
	}
	return steps
}

func (m *Migration) order() []journal.StepID {
	if m.back {
		return undoOrder()
	}
	return m.forward()
}

// forward are the steps of the migration, whichever way m goes.
func (m *Migration) forward() []journal.StepID {
	return order(m.Options.InstallMethod, m.Options.KubernetesVersion != "")
}

func (m *Migration) standing(seen Snapshot) standing {
	return standing{
		Snapshot: seen, Options: m.Options, Cordon: planCordon(seen.Reading).without(seen.newPlanes()),
		AtTarget: seen.AtTarget(m.Options.KubernetesVersion), Rolls: m.Backend.Rolls,
	}
}
