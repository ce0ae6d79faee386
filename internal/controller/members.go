package controller

import (
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fleet/rollout"
)

// members gives rollouts access to the clusters of a controller.
type members struct{ c *Controller }

// Members implements rollouts.Clusters.
func (s members) Members(namespace string) []rollout.Member {
	return s.MembersOf(namespace, s.c.cachedObjects(namespace))
}

// MembersOf implements rollouts.Clusters. Clusters out of scope are no members, because no decision
// about them is ever made.
func (s members) MembersOf(namespace string, objects []*v1alpha1.ClusterMigration) []rollout.Member {
	var all []rollout.Member
	for _, m := range objects {
		key := Key{Namespace: namespace, Name: m.Name}
		if s.c.o.Scope.covers(m.Name) && m.DeletionTimestamp.IsZero() {
			all = append(all, s.c.member(key, m))
		}
	}
	return all
}

// Audit implements rollouts.Clusters.
func (s members) Audit(key types.NamespacedName, pause time.Duration) {
	k, now := s.c.cluster(key), s.c.o.Clock.Now()
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.audits.owed() {
		k.audits.wanted = now
	}
	if k.look == nil {
		return // it is being looked at
	}
	s.c.enqueueAfter(key, max(k.look.at.Add(minPause).Sub(now), pause))
}

// Decide implements rollouts.Clusters.
func (s members) Decide(namespace, name string) {
	for _, m := range s.c.cachedObjects(namespace) {
		if rollout.MarkOf(m).Rollout == name {
			s.c.enqueue(Key{Namespace: namespace, Name: m.Name})
		}
	}
}

// Leads implements rollouts.Clusters.
func (s members) Leads() bool { return s.c.leads.Load() }

// member returns what is known about an object.
func (c *Controller) member(key Key, m *v1alpha1.ClusterMigration) rollout.Member {
	member := rollout.Member{Name: m.Name, DisplayName: m.Status.DisplayName, Labels: c.labelsOf(key), Goal: m.Spec.Goal, Approved: m.Spec.ApprovedPlan,
		Mark: rollout.MarkOf(m)}
	k := c.cluster(key)
	k.mu.Lock()
	defer k.mu.Unlock()
	member.Working = k.job != nil && k.job.kind != kindLook || k.wait.locks
	member.Known = k.known
	if k.decided.about != identityOf(m) {
		return member
	}
	member.Seen, member.State, member.Message = true, k.decided.shown.State, k.decided.shown.Display().Message
	if k.job != nil && k.job.kind != kindLook {
		member.Message = k.job.inStep()
	}
	if last := k.audits.last; last != nil && last.failing() == 0 {
		member.Passed = last.At
	}
	if l := k.look; l != nil && l.err == nil && !l.gone {
		member.Plan, member.Reached = l.plan.Hash, l.reached()
		member.Ran, member.Ended = l.ran()
	}
	return member
}

// labelsOf returns the labels of a watched Cluster.
func (c *Controller) labelsOf(key Key) map[string]string {
	object, there, err := c.watched[key.Namespace].GetByKey(key.String())
	if err != nil || !there {
		return nil
	}
	cluster, is := object.(*unstructured.Unstructured)
	if !is {
		return nil
	}
	return cluster.GetLabels()
}

// rolloutsChanged asks for a decision about the rollouts of a namespace.
func (c *Controller) rolloutsChanged(namespace string) {
	if n := c.rollouts[namespace]; n != nil {
		n.Changed()
	}
}

// holdOf returns the hold of a rollout over an object.
func (c *Controller) holdOf(namespace string, m *v1alpha1.ClusterMigration, now time.Time) rollout.Hold {
	n := c.rollouts[namespace]
	if n == nil || m == nil {
		return rollout.Hold{}
	}
	mark := rollout.MarkOf(m)
	if mark.Rollout == "" {
		return rollout.Hold{}
	}
	return rollout.Gate(n.Get(mark.Rollout), m, now)
}
