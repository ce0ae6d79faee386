package rancher

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Phases of status.etcdSnapshotCreatePhase
// (rancher/rancher:pkg/apis/rke.cattle.io/v1/etcd.go@v2.8.5).
const (
	phaseStarted  = "Started"
	phaseRestart  = "RestartCluster"
	phaseFinished = "Finished"
	phaseFailed   = "Failed"
)

// createSnapshot takes a snapshot on every etcd machine when spec.etcdSnapshotCreate differs
// from the status: each gets a plan that saves one, then the servers get their ordinary plans
// again. Every change of phase waits, so that the status is written in between. Source:
// rancher/rancher:pkg/capr/planner/etcdcreate.go@v2.8.5 (createEtcdSnapshot).
func (p *pass) createSnapshot(ctx context.Context) error {
	want := mapAt(p.cp, "spec", "etcdSnapshotCreate")
	if want == nil {
		if p.status.snapshot == nil && p.status.phase == "" {
			return nil
		}
		return p.setSnapshot(nil, "")
	}
	if !p.status.initialized || !p.status.bootstrapped {
		return nil
	}
	if p.status.snapshot == nil || !equality.Semantic.DeepEqual(p.status.snapshot, want) {
		return p.setSnapshot(want, phaseStarted)
	}
	switch p.status.phase {
	case phaseStarted:
		return p.saveSnapshots(ctx, want)
	case phaseRestart:
		return p.redeliver(ctx, want)
	case phaseFinished, phaseFailed:
		return nil
	}
	return p.setSnapshot(want, phaseStarted)
}

func (p *pass) setSnapshot(s map[string]any, phase string) error {
	p.status.snapshot, p.status.phase = s, phase
	return waitError("refreshing etcd create state")
}

func (p *pass) reportSnapshot(o *object) error {
	if p.status.snapshot == nil {
		unstructured.RemoveNestedField(o.Object, "status", "etcdSnapshotCreate")
		unstructured.RemoveNestedField(o.Object, "status", "etcdSnapshotCreatePhase")
		return nil
	}
	return errors.Join(
		unstructured.SetNestedMap(o.Object, p.status.snapshot, "status", "etcdSnapshotCreate"),
		unstructured.SetNestedField(o.Object, p.status.phase, "status", "etcdSnapshotCreatePhase"))
}

func (p *pass) saveSnapshots(ctx context.Context, want map[string]any) error {
	join := p.initJoinURL()
	if join == "" {
		return nil
	}
	var waits []string
	for _, e := range p.entries {
		if !e.target.etcd() {
			continue
		}
		t := e.target
		t.Join = join
		if e.InitNode {
			t.Join = "-"
		}
		plan, err := snapshotPlan(p.spec, p.release, t, p.secret(ctx), p.cp.GetName(), p.cp.GetNamespace())
		if err != nil {
			return err
		}
		what := "etcd snapshot on machine " + e.Namespace + "/" + e.Name
		if e.NodeRef != "" {
			what = "etcd snapshot on node " + e.NodeRef
		}
		switch err := p.assign(ctx, what, e, plan, t.Join, "3"); {
		case err == nil:
			if err := p.recordSnapshot(ctx, e, want); err != nil {
				return err
			}
		case ignoreWait(err) == nil:
			waits = append(waits, err.Error())
		default:
			p.status.snapshot, p.status.phase = want, phaseFailed
			waits = append(waits, err.Error())
		}
	}
	if len(waits) > 0 {
		return waitError(strings.Join(waits, ", "))
	}
	return p.setSnapshot(want, phaseRestart)
}

// assign delivers a plan unless the machine has it, and returns nil once it is applied and
// healthy. Source: rancher/rancher:pkg/capr/planner/store.go@v2.8.5 (assignAndCheckPlan).
func (p *pass) assign(ctx context.Context, what string, e *entry, plan nodePlan, join, threshold string) error {
	raw, err := plan.encode()
	if err != nil {
		return err
	}
	switch {
	case e.Plan == nil || e.Plan.Raw != raw:
		if err := p.deliver(ctx, e, raw, join, threshold); err != nil {
			return err
		}
		return waitError("starting " + what)
	case e.Plan.Failed:
		return fmt.Errorf("operation %s failed", what)
	case !e.Plan.InSync:
		return waitError("waiting for " + what)
	case !e.Plan.Healthy:
		return waitingf("waiting for %s probes", what)
	}
	return nil
}

// redeliver delivers the ordinary plans of the etcd machines again, the first server before the
// others, regardless of drain options and concurrency. No process restarts, because the restart
// stamp is unchanged.
func (p *pass) redeliver(ctx context.Context, want map[string]any) error {
	const what = "etcd snapshot creation management plane restart"
	join := p.initJoinURL()
	for _, first := range []bool{true, false} {
		for _, e := range p.entries {
			if !e.target.etcd() || e.Deleting || e.InitNode != first {
				continue
			}
			url := join
			if first {
				url = "-"
			}
			plan, err := p.desired(ctx, e, url)
			if err != nil {
				return err
			}
			if err := p.assign(ctx, what, e, plan, url, "-1"); err != nil {
				return err
			}
		}
	}
	return p.setSnapshot(want, phaseFinished)
}

// recordSnapshot creates the object that lists the file, one per machine and generation.
func (p *pass) recordSnapshot(ctx context.Context, e *entry, want map[string]any) error {
	file := fmt.Sprintf("on-demand-%s-%v", e.NodeRef, want["generation"])
	o := newObject(gvrSnapshot, "ETCDSnapshot", e.Namespace, p.cp.GetName()+"-"+file+"-local")
	o.SetLabels(map[string]string{labelClusterName: p.cp.GetName(), labelMachineName: e.Name})
	o.SetAnnotations(map[string]string{"etcdsnapshot.rke.io/snapshot-file-name": file, "etcdsnapshot.rke.io/storage": "local"})
	o.Object["spec"] = map[string]any{"clusterName": p.cp.GetName()}
	o.Object["snapshotFile"] = map[string]any{
		"name": file, "nodeName": e.NodeRef, "location": "file:///var/lib/rancher/rke2/server/db/snapshots/" + file,
		"createdAt": p.cfg.Clock.Now().UTC().Format("2006-01-02T15:04:05Z"), "status": "successful",
	}
	_, err := p.ensure(ctx, gvrSnapshot, o)
	return err
}
