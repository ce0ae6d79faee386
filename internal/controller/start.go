package controller

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/rancher/wrangler/v3/pkg/start"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"

	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// workers is the number of concurrent decisions per namespace; none takes long.
const workers = 4

// stopTimeout is the maximum time for a clean stop of jobs.
const stopTimeout = 75 * time.Second

// Run decides and works until ctx ends. Then it asks every run and guard to stop cleanly and to
// release its lock, and finally gives up the leadership.
func (c *Controller) Run(ctx context.Context) error {
	c.o.Log.Info("starting", "version", c.o.Version, "server", fault.Server(c.o.Config.Host), "namespaces", c.o.Namespaces, "auditsOnly", c.o.AuditsOnly)
	outlives := context.WithoutCancel(ctx)
	work, cancel := context.WithCancel(outlives)
	defer cancel()
	c.work = work
	c.events = newEvents(work, c.kube)
	defer c.events.stop()
	handlers, stop := context.WithCancel(outlives)
	defer stop()
	filled := make(chan error, 1)
	go func() { filled <- c.fill(handlers) }()
	select {
	case <-ctx.Done(): // do not wait for a server without an answer
		return nil
	case err := <-filled:
		if err != nil {
			return err
		}
	}
	c.ready.Store(true)
	go c.runDiscovery(handlers)
	elected, resign := context.WithCancel(outlives)
	defer resign()
	over := make(chan error, 1)
	go func() { over <- c.lead(elected) }()
	select {
	case <-ctx.Done():
	case err := <-over:
		return err
	}
	bounded, free := context.WithTimeout(outlives, stopTimeout)
	defer free()
	c.leads.Store(false) // nothing else begins
	c.pool.stop(bounded)
	resign()
	return <-over
}

// fill starts the handlers and waits until the caches are filled. wrangler keeps waiting for a
// server after ctx has ended.
func (c *Controller) fill(ctx context.Context) error {
	if err := c.requireKinds(ctx); err != nil {
		return err
	}
	for namespace, objects := range c.objects {
		objects.OnChange(ctx, "decide", func(key string, m *v1alpha1.ClusterMigration) (*v1alpha1.ClusterMigration, error) {
			return m, c.decide(keyOfName(namespace, key), m)
		})
	}
	for namespace, handler := range c.rollouts {
		handler.Events = c.events.recorder
		handler.Rollouts.OnChange(ctx, "waves", func(key string, r *v1alpha1.MigrationRollout) (*v1alpha1.MigrationRollout, error) {
			return r, handler.Handle(keyOfName(namespace, key).Name, r)
		})
	}
	for _, factory := range c.factories {
		if err := start.All(ctx, workers, factory); err != nil {
			return fmt.Errorf("fill the caches: %w", err)
		}
	}
	return c.watchClusters(ctx)
}

func keyOfName(namespace, key string) Key {
	name := key
	if i := len(namespace) + 1; len(key) > i && key[:i] == namespace+"/" {
		name = key[i:]
	}
	return Key{Namespace: namespace, Name: name}
}

// electionName is the Lease of the election in the first namespace, for a release of any name. It
// cannot collide with a cluster's lock: see journal.Name.
const electionName = "awsmigrate"

// candidate returns the identity of this process in the election. The next process of a container
// has the same identity and leads at once. Outside of pods, two processes always have different
// identities; otherwise both would lead.
func candidate(who session.Actor, pid int) string {
	if who.Pod.UID != "" {
		return who.Host + "_" + who.Pod.UID + "_" + who.User
	}
	return fmt.Sprintf("%s_%d_%s", who.Host, pid, who.User)
}

// lead runs for leadership until ctx ends, and decides while elected.
func (c *Controller) lead(ctx context.Context) error {
	if c.o.Election.Off {
		c.startDeciding(ctx)
		<-ctx.Done()
		return nil
	}
	identity := candidate(c.o.Actor, os.Getpid())
	for ctx.Err() == nil {
		elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
			Name: electionName, LeaseDuration: c.o.Election.Lease, RenewDeadline: c.o.Election.Renew, RetryPeriod: c.o.Election.Retry, ReleaseOnCancel: true,
			Lock: &resourcelock.LeaseLock{LeaseMeta: metav1.ObjectMeta{Namespace: c.o.Namespaces[0], Name: electionName}, Client: c.kube.CoordinationV1(),
				LockConfig: resourcelock.ResourceLockConfig{Identity: identity}},
			Callbacks: leaderelection.LeaderCallbacks{
				OnStartedLeading: c.startDeciding,
				OnStoppedLeading: func() {
					c.leads.Store(false)
					c.o.Log.Info("no longer the leader: " + stoppedText(ctx.Err() != nil))
				},
			},
		})
		if err != nil {
			return fmt.Errorf("prepare the leader election: %w", err)
		}
		elector.Run(ctx) // returns when the Lease is lost
	}
	return nil
}

// stoppedText describes what continues after this process stopped leading.
func stoppedText(ending bool) string {
	if ending {
		return "this process ends; Rancher's rollouts continue, neither watched nor paused until a controller leads"
	}
	return "another process may decide; runs and guards of this process continue"
}

// startDeciding enqueues every object, and every cluster whose journal has an unfinished run.
func (c *Controller) startDeciding(ctx context.Context) {
	c.leads.Store(true)
	c.o.Log.Info("decides from now on", "namespaces", c.o.Namespaces, "auditsOnly", c.o.AuditsOnly)
	if err := c.readSchema(ctx); err != nil {
		go c.retrySchema(ctx, err)
	}
	c.signalCluster()
	for _, namespace := range c.o.Namespaces {
		if err := c.openJournals(ctx, namespace); err != nil {
			c.o.Log.Error("the journals could not be listed: a rollout that no object names is not watched", "namespace", namespace, "error", err.Error())
		}
	}
	c.enqueueKnown()
}

func (c *Controller) enqueueKnown() {
	for _, namespace := range c.o.Namespaces {
		for _, m := range c.cachedObjects(namespace) {
			c.enqueue(Key{Namespace: namespace, Name: m.Name})
		}
		c.rolloutsChanged(namespace)
	}
}

// permanent reports whether waiting cannot resolve an error.
func permanent(err error) bool {
	class := fault.ClassOf(err)
	return class != fault.CouldNotLook && class != fault.Locked && class != fault.NoProgress
}
