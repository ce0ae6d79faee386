package managed

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/util/retry"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/test/lab/rke"
)

// Clusters and Nodes return the resources of Rancher's own objects. A cluster's Nodes are in
// the namespace with its name.
func Clusters() schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "management.cattle.io", Version: "v3", Resource: "clusters"}
}

// Nodes returns the resource of its machines.
func Nodes() schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "management.cattle.io", Version: "v3", Resource: "nodes"}
}

// Timing holds the pauses of Rancher, which a test shortens.
type Timing struct {
	Poll         time.Duration // between passes; 500ms if 0
	FalseUpdated time.Duration // time for which Updated is True too early; 1s if 0
	WorkerDelay  time.Duration // from appliedSpec to the first worker; 2s if 0
	Backoff      time.Duration // after a failure of the same spec; 30s if 0
}

func (t Timing) withDefaults() Timing {
	for to, value := range map[*time.Duration]time.Duration{
		&t.Poll: 500 * time.Millisecond, &t.FalseUpdated: time.Second, &t.WorkerDelay: 2 * time.Second, &t.Backoff: 30 * time.Second,
	} {
		if *to == 0 {
			*to = value
		}
	}
	return t
}

// Controller manages one cluster.
type Controller struct {
	ID         string // name of the Cluster
	Management dynamic.Interface
	// Engine returns an rke for the cluster. Its files are Rancher's own.
	Engine func(planes rke.Planes) *rke.Engine
	Timing Timing
	Clock  clock.WithTicker
	Log    *slog.Logger

	failed   string // the last failed configuration
	failedAt time.Time
}

// Run repeats its pass until ctx ends, which is no error.
func (c *Controller) Run(ctx context.Context) error {
	c.Timing = c.Timing.withDefaults()
	for c.pause(ctx, c.Timing.Poll) {
		if err := c.pass(ctx); err != nil && ctx.Err() == nil {
			c.Log.Warn("managed cluster", "id", c.ID, "error", err.Error())
		}
	}
	return nil
}

// pause returns false if ctx ended first.
func (c *Controller) pause(ctx context.Context, d time.Duration) bool {
	timer := c.Clock.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C():
		return true
	}
}

func (c *Controller) pass(ctx context.Context) error {
	o, err := c.Management.Resource(Clusters()).Get(ctx, c.ID, metav1.GetOptions{})
	if err != nil {
		return err
	}
	nodes, err := c.nodes(ctx)
	if err != nil {
		return err
	}
	want, err := wantedConfig(o, nodes)
	if err != nil {
		return err
	}
	applied, _, _ := unstructured.NestedMap(o.Object, "status", "appliedSpec", configKey)
	raw, err := json.Marshal(want)
	if err != nil {
		return err
	}
	switch {
	case !equality.Semantic.DeepEqual(applied, want):
		if c.failed == string(raw) && c.Clock.Since(c.failedAt) < c.Timing.Backoff {
			return nil
		}
		return c.provision(ctx, want, applied == nil)
	case conditionStatus(o, "Upgraded") == "Unknown":
		return c.upgradeWorkers(ctx, want)
	}
	return nil
}

// provision does what Rancher calls an update: rke's control plane, then appliedSpec, then the
// workers.
func (c *Controller) provision(ctx context.Context, want map[string]any, create bool) error {
	updated := func(status, message string) error {
		return c.status(ctx, func(s map[string]any) { setCondition(s, "Updated", status, message) })
	}
	if !create {
		// The first True after an edit is too early.
		if err := updated("Unknown", ""); err != nil {
			return err
		}
		if err := updated("True", ""); err != nil || !c.pause(ctx, c.Timing.FalseUpdated) {
			return err
		}
	}
	if err := updated("Unknown", ""); err != nil {
		return err
	}
	planes := rke.ControlPlanes
	if create {
		planes = ""
	}
	if err := c.up(ctx, planes, want); err != nil {
		return c.fail(ctx, want, err)
	}
	c.failed = ""
	err := c.status(ctx, func(s map[string]any) {
		s["appliedSpec"] = map[string]any{configKey: want}
		delete(s, "failedSpec")
		s["driver"] = "rancherKubernetesEngine"
		if s["nodeVersion"] == nil {
			s["nodeVersion"] = int64(1)
		}
		for _, kind := range []string{"Updated", "Provisioned", "Ready"} {
			setCondition(s, kind, "True", "")
		}
	})
	if err != nil {
		return err
	}
	if create {
		return c.notePlans(ctx, want)
	}
	if !c.pause(ctx, c.Timing.WorkerDelay) {
		return nil
	}
	return c.upgradeWorkers(ctx, want)
}

func (c *Controller) fail(ctx context.Context, want map[string]any, cause error) error {
	raw, err := json.Marshal(want)
	if err != nil {
		return err
	}
	c.failed, c.failedAt = string(raw), c.Clock.Now()
	return c.status(ctx, func(s map[string]any) {
		s["failedSpec"] = map[string]any{configKey: want}
		setCondition(s, "Updated", "False", cause.Error())
	})
}

func (c *Controller) up(ctx context.Context, planes rke.Planes, want map[string]any) error {
	config, err := decode(want)
	if err != nil {
		return err
	}
	engine := c.Engine(planes)
	if err := engine.Init(config); err != nil {
		return err
	}
	return engine.Up(ctx)
}

// status changes the Cluster's status, and retries on a conflict.
func (c *Controller) status(ctx context.Context, change func(status map[string]any)) error {
	err := retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		o, err := c.Management.Resource(Clusters()).Get(ctx, c.ID, metav1.GetOptions{})
		if err != nil {
			return err
		}
		status, _, _ := unstructured.NestedMap(o.Object, "status")
		if status == nil {
			status = map[string]any{}
		}
		change(status)
		o.Object["status"] = status
		_, err = c.Management.Resource(Clusters()).UpdateStatus(ctx, o, metav1.UpdateOptions{})
		return err
	})
	if err != nil {
		return fmt.Errorf("status of Cluster %s: %w", c.ID, err)
	}
	return nil
}
