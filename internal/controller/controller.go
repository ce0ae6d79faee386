package controller

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/awsmigrate/awsmigrate/internal/controller/rollouts"
	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/fleet"
	"github.com/awsmigrate/awsmigrate/pkg/fleet/status"
	awsmigrate "github.com/awsmigrate/awsmigrate/pkg/generated/controllers/awsmigrate.io"
	generated "github.com/awsmigrate/awsmigrate/pkg/generated/controllers/awsmigrate.io/v1alpha1"
)

// Controller is one process that decides about, and works on, the clusters of a Rancher.
type Controller struct {
	o         Options
	kube      kubernetes.Interface
	rancher   dynamic.Interface
	factories []*awsmigrate.Factory
	objects   map[string]generated.ClusterMigrationController // by namespace
	watched   map[string]cache.Store                          // the Clusters without their content, by namespace
	rollouts  map[string]*rollouts.Namespace                  // by namespace; empty where the kind is not served
	appeared  chan struct{}                                   // signals a new Cluster
	pool      *pool
	events    *events

	leads    atomic.Bool     // this process is the leader
	ready    atomic.Bool     // the caches are filled
	outdated atomic.Bool     // the served CRD may drop fields, or has not been read
	work     context.Context // of jobs, which outlive the handler that started them

	mu       sync.Mutex
	clusters map[Key]*cluster
}

// New returns a controller. It contacts no server.
func New(o Options) (*Controller, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	o = o.withDefaults()
	o.Config = rest.CopyConfig(o.Config)
	o.Config.QPS, o.Config.Burst, o.Config.UserAgent, o.Config.WarningHandler = 50, 100, "awsmigrate", rest.NoWarnings{}
	c := &Controller{o: o, pool: newPool(o.Runs, o.Audits), objects: map[string]generated.ClusterMigrationController{}, clusters: map[Key]*cluster{},
		watched: map[string]cache.Store{}, rollouts: map[string]*rollouts.Namespace{}, appeared: make(chan struct{}, 1)}
	c.outdated.Store(true)
	var err error
	if c.kube, err = kubernetes.NewForConfig(o.Config); err != nil {
		return nil, fmt.Errorf("make a client of the management cluster: %w", err)
	}
	if c.rancher, err = dynamic.NewForConfig(o.Config); err != nil {
		return nil, fmt.Errorf("make a client of the management cluster: %w", err)
	}
	for _, namespace := range o.Namespaces {
		factory, err := awsmigrate.NewFactoryFromConfigWithNamespace(o.Config, namespace)
		if err != nil {
			return nil, fmt.Errorf("make a client of namespace %s: %w", namespace, err)
		}
		c.factories = append(c.factories, factory)
		c.objects[namespace] = factory.Awsmigrate().V1alpha1().ClusterMigration()
		c.rollouts[namespace] = &rollouts.Namespace{Name: namespace, Rollouts: factory.Awsmigrate().V1alpha1().MigrationRollout(), Migrations: c.objects[namespace],
			Clusters: members{c}, AuditsOnly: o.AuditsOnly, Clock: o.Clock, Log: o.Log, Meter: o.Meter.RolledOut}
	}
	return c, nil
}

// Ready reports whether the caches are filled.
func (c *Controller) Ready() bool { return c.ready.Load() }

// Leads reports whether this process is the leader.
func (c *Controller) Leads() bool { return c.leads.Load() }

func (c *Controller) cluster(key Key) *cluster {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := c.clusters[key]
	if k == nil {
		k = &cluster{key: key}
		c.clusters[key] = k
	}
	return k
}

// forget discards what is known about a cluster. The caller holds k.mu.
func (c *Controller) forget(k *cluster) {
	k.dropAudit()
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.clusters, k.key)
}

func (c *Controller) enqueue(key Key) { c.enqueueAfter(key, 0) }

func (c *Controller) enqueueAfter(key Key, pause time.Duration) {
	if objects := c.objects[key.Namespace]; objects != nil {
		objects.EnqueueAfter(key.Namespace, key.Name, pause)
	}
}

// begin starts a job; afterwards the cluster is decided about again. The caller holds k.mu.
func (c *Controller) begin(k *cluster, j *job, work func(context.Context, *job) error) {
	if j.interrupt == nil {
		j.interrupt = func() {}
	}
	k.job = j
	if j.kind != kindLook {
		k.dropAudit()
	}
	of := workOf(k, j)
	if !c.pool.begin(c.work, k.key, j, func(ctx context.Context) error { c.o.Meter.Began(k.key, of); return work(ctx, j) }, func(err error) { c.finishJob(k, j, err) }) {
		k.job = nil
	}
}

func (c *Controller) finishJob(k *cluster, j *job, err error) {
	c.o.Meter.Ended(k.key, err)
	if err != nil {
		c.log(k.key).Error("the "+string(j.kind)+" ended", "error", err.Error())
	}
	k.mu.Lock()
	k.job = nil
	k.mu.Unlock()
	c.enqueue(k.key)
}

// decide is the handler. It reads, decides, starts work, and writes the status. m is nil if the
// object does not exist.
func (c *Controller) decide(key Key, m *v1alpha1.ClusterMigration) error {
	if !c.o.Scope.covers(key.Name) {
		return nil
	}
	if m == nil {
		c.o.Meter.Gone(key)
	}
	next := c.newStatus(key, m)
	c.rolloutsChanged(key.Namespace)
	return c.write(next) // the handler does not hold k.mu during the write
}

// newStatus returns the object with a new status, or nil if the status is unchanged.
func (c *Controller) newStatus(key Key, m *v1alpha1.ClusterMigration) *v1alpha1.ClusterMigration {
	k := c.cluster(key)
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case k.job != nil && k.job.kind != kindLook:
		return c.decided(k, m, status.Moment{State: k.job.state()})
	case k.job != nil || !c.leads.Load():
		return nil // the end of the job enqueues the cluster; or another process leads
	case m == nil && !k.suspect():
		c.forget(k)
		return nil
	case c.dueForLook(k, m):
		c.startLook(k, m)
		return c.showLooking(k, m)
	case k.look.err != nil:
		c.startAudit(k, m)
		c.enqueueAfter(key, c.pause(k.nextTry(m)))
		return c.decided(k, m, unreadable(k.look.err))
	}
	return c.act(k, m)
}

// act carries out the decision on the last look. The caller holds k.mu.
func (c *Controller) act(k *cluster, m *v1alpha1.ClusterMigration) *v1alpha1.ClusterMigration {
	object := m
	if object == nil {
		object = &v1alpha1.ClusterMigration{}
	}
	d := fleet.Decide(object, c.facts(k, m))
	switch d.Action {
	case fleet.Run:
		c.startRun(k, object)
	case fleet.Guard:
		if again := k.guarded.Add(minPause); again.After(c.o.Clock.Now()) {
			if d.Again = again; k.guardErr != nil {
				d.Shown.Message = "something rolls out and could not be watched: " + fault.Headline(k.guardErr)
			}
			break
		}
		k.guarded = c.o.Clock.Now()
		c.startGuard(k, m)
	case fleet.Nothing:
		if m == nil { // nothing rolls out, and no object requests anything
			c.forget(k)
			return nil
		}
		c.startAudit(k, m)
	}
	c.enqueueAfter(k.key, c.pause(d.Again))
	return c.decided(k, m, d.Shown)
}

// decided shows a decision, and keeps it for rollouts. The caller holds k.mu.
func (c *Controller) decided(k *cluster, m *v1alpha1.ClusterMigration, shown status.Moment) *v1alpha1.ClusterMigration {
	k.decided, k.known = decided{about: identityOf(m), shown: shown}, true
	return c.show(k, m, shown)
}

// nextTry returns when to read an unreadable cluster again. If waiting does not help, a person
// sees the error on the object, fixes it, and requests a retry.
func (k *cluster) nextTry(m *v1alpha1.ClusterMigration) time.Time {
	switch {
	case !k.wait.until.IsZero():
		return k.wait.until
	case m != nil && permanent(k.look.err):
		return k.look.at.Add(permanentPause)
	}
	return k.look.at.Add(maxLookAge)
}

// pause returns the time until the next decision, at most the audit interval.
func (c *Controller) pause(again time.Time) time.Duration {
	if again.IsZero() {
		return c.o.Interval
	}
	return min(max(again.Sub(c.o.Clock.Now()), time.Second), c.o.Interval)
}

// suspect reports whether a cluster without an object may be rolling.
func (k *cluster) suspect() bool {
	return k.moved || k.look != nil && (k.look.seen.UnderWay != "" || k.look.err != nil)
}

// dueForLook reports whether the last look is missing, outdated, or for another object.
func (c *Controller) dueForLook(k *cluster, m *v1alpha1.ClusterMigration) bool {
	now := c.o.Clock.Now()
	switch {
	case k.look == nil || k.look.object != identityOf(m):
		return true
	case !k.wait.until.IsZero():
		return !now.Before(k.wait.until)
	case k.moved:
		return true
	case k.audits.lookFor(k.look, now):
		return true
	case k.look.moves != "" && k.decided.shown.Reason == status.RancherNotAtRest: // nothing else keeps it from its next block
		return now.Sub(k.look.at) >= minPause
	case k.look.err != nil:
		return !now.Before(k.nextTry(m))
	case k.look.seen.UnderWay != "" || m != nil && m.Spec.Goal.OrDefault() != v1alpha1.GoalAudit && !k.look.reached():
		return now.Sub(k.look.at) >= maxLookAge
	}
	return now.Sub(k.look.at) >= c.o.Interval
}

// maxLookAge bounds the age of a look that may start work on a cluster with an open goal.
const maxLookAge = 5 * time.Minute

// permanentPause is the interval between looks at a cluster that only a person can make readable,
// in case no retry is requested.
const permanentPause = time.Hour

func (c *Controller) showLooking(k *cluster, m *v1alpha1.ClusterMigration) *v1alpha1.ClusterMigration {
	if m == nil || m.Status.Display != nil && m.Status.ObservedGeneration == m.Generation {
		return nil // the status stays until there is news
	}
	return c.show(k, m, status.Moment{State: status.Auditing})
}

func unreadable(err error) status.Moment {
	if permanent(err) {
		return status.Moment{State: status.Stalled, Reason: status.Failed, Message: fault.Headline(err)}
	}
	return status.Moment{State: status.Pending, Reason: status.Retrying, Message: fault.Headline(err)}
}

func (j *job) state() status.State {
	switch {
	case j.kind == kindGuard:
		return status.Guarding
	case j.undo:
		return status.Undoing
	}
	return status.Running
}
