package rollouts

import (
	"log/slog"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fleet/rollout"
	generated "github.com/awsmigrate/awsmigrate/pkg/generated/controllers/awsmigrate.io/v1alpha1"
)

// Namespace handles the rollouts of one namespace.
type Namespace struct {
	Name       string
	Rollouts   generated.MigrationRolloutController
	Migrations generated.ClusterMigrationClient
	Clusters   Clusters
	AuditsOnly bool
	Clock      clock.PassiveClock
	Log        *slog.Logger
	Events     events.EventRecorder
	// Meter receives the status of a rollout, or nil when it is deleted.
	Meter func(types.NamespacedName, *v1alpha1.MigrationRolloutStatus)

	mu    sync.Mutex
	known map[string]int64 // generation of the rollouts that were decided about
}

// Clusters provides the clusters of a namespace, as the controller knows them.
type Clusters interface {
	// Members returns the members of a namespace, as the caches have them.
	Members(namespace string) []rollout.Member
	// MembersOf returns the members of these objects.
	MembersOf(namespace string, objects []*v1alpha1.ClusterMigration) []rollout.Member
	// Audit asks for an audit of a cluster after a pause.
	Audit(key types.NamespacedName, pause time.Duration)
	// Decide asks for a decision about every cluster with a mark of a rollout.
	Decide(namespace, rollout string)
	// Leads reports whether this process may write.
	Leads() bool
}

// askInterval is the time after which an audit that was not made is asked for again.
const askInterval = time.Minute

// auditSpacing is the time between the audits of a wave. Each begins with a look, and looks have no limit.
const auditSpacing = time.Second

// settle is the time in which several changes of members lead to one decision.
const settle = time.Second

// Changed asks for a decision about every rollout.
func (n *Namespace) Changed() {
	for _, r := range n.cached() {
		n.Rollouts.EnqueueAfter(n.Name, r.Name, settle)
	}
}

func (n *Namespace) cached() []*v1alpha1.MigrationRollout {
	all, err := n.Rollouts.Cache().List(n.Name, labels.Everything())
	if err != nil {
		return nil // cannot happen with a filled cache
	}
	return all
}

// Get returns a rollout, or nil if it does not exist.
func (n *Namespace) Get(name string) *v1alpha1.MigrationRollout {
	r, err := n.Rollouts.Cache().Get(n.Name, name)
	if err != nil {
		return nil
	}
	return r
}

// Handle is the handler. r is nil if the rollout does not exist.
func (n *Namespace) Handle(name string, r *v1alpha1.MigrationRollout) error {
	gone := r == nil || !r.DeletionTimestamp.IsZero()
	if gone {
		n.Meter(types.NamespacedName{Namespace: n.Name, Name: name}, nil)
	}
	if !n.Clusters.Leads() {
		return nil
	}
	if n.isNews(name, r) {
		n.Clusters.Decide(n.Name, name)
	}
	if gone {
		return nil
	}
	d := rollout.Decide(n.input(r, n.Clusters.Members(n.Name)))
	for _, goal := range d.Goals {
		if err := n.setGoal(r, goal); err != nil {
			return err
		}
	}
	if d.Begin != nil {
		if err := n.begin(r); err != nil {
			return err
		}
	}
	for i, name := range d.Audit {
		n.Clusters.Audit(types.NamespacedName{Namespace: n.Name, Name: name}, time.Duration(i)*auditSpacing)
	}
	if len(d.Audit) > 0 {
		n.Rollouts.EnqueueAfter(n.Name, name, askInterval)
	}
	if !d.Again.IsZero() {
		n.Rollouts.EnqueueAfter(n.Name, name, max(d.Again.Sub(n.Clock.Now()), settle))
	}
	if !d.Shown.Complete() && r.Status.ObservedGeneration == r.Generation {
		n.Meter(types.NamespacedName{Namespace: n.Name, Name: name}, &r.Status)
		return nil
	}
	return n.show(r, d.Shown)
}

// isNews reports whether a rollout is new, changed or gone.
func (n *Namespace) isNews(name string, r *v1alpha1.MigrationRollout) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if r == nil {
		delete(n.known, name)
		return true
	}
	if n.known[name] == r.Generation {
		return false
	}
	if n.known == nil {
		n.known = map[string]int64{}
	}
	n.known[name] = r.Generation
	return true
}

func (n *Namespace) input(r *v1alpha1.MigrationRollout, members []rollout.Member) rollout.Input {
	in := rollout.Input{Rollout: r, Members: members, Others: map[types.UID]string{}, AuditsOnly: n.AuditsOnly, Now: n.Clock.Now()}
	for _, other := range n.cached() {
		in.Others[other.UID] = other.Name
	}
	return in
}

// begin begins a member. It decides again from what the API server has now: the caches may lack
// the last member that began, and the limits hold at every moment.
func (n *Namespace) begin(r *v1alpha1.MigrationRollout) error {
	now, err := n.Rollouts.Get(n.Name, r.Name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	list, err := n.Migrations.List(n.Name, metav1.ListOptions{})
	if err != nil {
		return err
	}
	var objects []*v1alpha1.ClusterMigration
	for i := range list.Items {
		objects = append(objects, &list.Items[i])
	}
	if d := rollout.Decide(n.input(now, n.Clusters.MembersOf(n.Name, objects))); d.Begin != nil && now.UID == r.UID {
		return n.setTurn(now, *d.Begin)
	}
	return nil
}
