package rancher

import (
	"context"
	"fmt"
	"hash/crc32"
	"math"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// fullReconcile goes through the tiers: the first etcd machine, the other etcd machines one at
// a time, the control planes, and then the workers. Source:
// rancher/rancher:pkg/capr/planner/planner.go@v2.8.5 (fullReconcile).
func (p *pass) fullReconcile(ctx context.Context) error {
	if err := p.electInit(ctx); err != nil {
		return err
	}
	up := p.spec.UpgradeStrategy
	notInit := func(e *entry) bool { return !e.InitNode }
	var ignored error
	run := func(t tier, role, include func(*entry) bool, join string) (err error) {
		ignored, err = keepIgnored(ignored, p.reconcileTier(ctx, t, role, include, join))
		return err
	}
	etcd, controlPlane, onlyWorker := byRole(target.etcd), byRole(target.controlPlane), byRole(target.onlyWorker)
	err := run(tier{Name: tierBootstrap, Required: true, Concurrency: "1", Drain: up.ControlPlaneDrainOptions}, etcd,
		func(e *entry) bool { return e.InitNode }, "-")
	p.status.bootstrapped = true
	if err != nil {
		return err
	}
	join := p.initJoinURL()
	if join == "" {
		if ignored != nil {
			return waitingf("%s and join url to be available on bootstrap node", ignored)
		}
		return waitError("waiting for join url to be available on bootstrap node")
	}
	if err := run(tier{Name: tierEtcd, Required: true, Concurrency: "1", Drain: up.ControlPlaneDrainOptions}, etcd, notInit, join); err != nil {
		return err
	}
	if err := run(tier{Name: tierControlPlane, Required: true, Concurrency: up.ControlPlaneConcurrency, Drain: up.ControlPlaneDrainOptions},
		controlPlane, notInit, join); err != nil {
		return err
	}
	if len(p.joinable()) == 0 {
		return waitError("waiting for control plane to be available")
	}
	if !p.status.initialized {
		p.status.initialized = true
		return waitError("marking control plane as initialized and ready")
	}
	if err := run(tier{Name: tierWorker, Concurrency: up.WorkerConcurrency, Drain: up.WorkerDrainOptions}, onlyWorker, notInit, ""); err != nil {
		return err
	}
	if ignored != nil {
		return waitError(ignored.Error())
	}
	return nil
}

func byRole(f func(target) bool) func(*entry) bool {
	return func(e *entry) bool { return f(e.target) }
}

// reconcileTier decides a tier and applies the decision.
func (p *pass) reconcileTier(ctx context.Context, t tier, role, include func(*entry) bool, join string) error {
	t.AgentConnected, t.KubernetesVersion, t.ClusterSize = boolean(p.cp, "status", "agentConnected"), p.spec.KubernetesVersion, len(p.entries)
	var candidates []*candidate
	for _, e := range p.entries {
		if !role(e) {
			continue
		}
		t.Matched++
		if e.Deleting || !include(e) {
			continue
		}
		url := join
		if url == "" {
			if url = p.workerJoin(e); url == "" {
				return fmt.Errorf("no suitable join URL found to join machine %s/%s in rkecluster %s/%s to", e.Namespace, e.Name, p.cp.GetNamespace(), p.cp.GetName())
			}
		}
		plan, err := p.desired(ctx, e, url)
		if err != nil {
			return err
		}
		raw, err := plan.encode()
		if err != nil {
			return err
		}
		candidates = append(candidates, &candidate{entry: e, Desired: plan, DesiredRaw: raw, JoinedTo: url})
	}
	v, err := decideTier(t, candidates)
	if err != nil {
		return err
	}
	if err := p.carryOut(ctx, v); err != nil {
		return err
	}
	if t.Required && t.Matched == 0 {
		return waitError("waiting for at least one " + t.Name + " node")
	}
	return p.writeReconciled(ctx, t, v)
}

func (p *pass) carryOut(ctx context.Context, v *verdict) error {
	for machine, options := range v.Annotate {
		if err := p.annotatePlan(ctx, p.cp.GetNamespace(), planSecretName(machine), map[string]string{annotationDrain: options}); err != nil {
			return err
		}
	}
	for _, machine := range v.Uncordon {
		e := p.entry(machine)
		if err := p.annotatePlan(ctx, e.Namespace, planSecretName(machine), map[string]string{annotationUncordon: e.Annotations[annotationDrain]}); err != nil {
			return err
		}
	}
	for _, c := range v.Deliver {
		if err := p.deliver(ctx, c.entry, c.DesiredRaw, c.JoinedTo, "1"); err != nil {
			return err
		}
	}
	return nil
}

// writeReconciled writes every machine's Reconciled condition and returns the first group that waits.
func (p *pass) writeReconciled(ctx context.Context, t tier, v *verdict) error {
	var first error
	for _, g := range []struct {
		prefix   string
		machines []string
		messages map[string][]string
	}{
		{"uncordoning " + t.Name + " node(s) ", v.Uncordoned, v.Messages},
		{"draining " + t.Name + " node(s) ", v.Draining, v.Messages},
		{"configuring " + t.Name + " node(s) ", v.OutOfSync, v.Messages},
		{"", v.Ready, nil},
	} {
		if err := p.setReconciled(ctx, g.machines, g.prefix, g.messages); err != nil && first == nil {
			first = err
		}
	}
	switch {
	case first != nil:
		return first
	case len(v.Failing) > 0:
		return ignoreError(groupMessage("failing "+t.Name+" machine(s) ", v.Failing, v.Messages))
	case len(v.NonReady) > 0:
		return ignoreError(groupMessage("non-ready "+t.Name+" machine(s) ", v.NonReady, v.Messages))
	}
	return nil
}

// setReconciled writes the condition Reconciled of machines. A change of it makes the planner
// wait, too. Source: rancher/rancher:pkg/capr/planner/planner.go@v2.8.5
// (setMachineConditionStatus).
func (p *pass) setReconciled(ctx context.Context, machines []string, prefix string, messages map[string][]string) error {
	waits := false
	for _, name := range machines {
		if !p.entry(name).InfraReady {
			waits = true
			continue
		}
		c := condition{Type: "Reconciled", Status: "True"}
		if m := messages[name]; len(m) > 0 {
			c = condition{Type: "Reconciled", Status: "Unknown", Reason: "Waiting", Message: strings.Join(m, ", ")}
			waits = true
		}
		machine := p.entry(name).machine
		if conditionOf(machine, "Reconciled") == c {
			continue
		}
		waits = true
		err := p.mutateStatus(ctx, gvrMachine, p.cp.GetNamespace(), name, func(o *object) error {
			return setCondition(o, c, p.cfg.Clock.Now(), true)
		})
		if err != nil {
			return err
		}
	}
	if waits {
		return waitError(groupMessage(prefix, machines, messages))
	}
	return nil
}

func (p *pass) entry(name string) *entry {
	for _, e := range p.entries {
		if e.Name == name {
			return e
		}
	}
	return nil // every name comes from an entry
}

// electInit chooses the first server: the marked one while it is eligible, or else the first
// that others could join, or else the first. Source:
// rancher/rancher:pkg/capr/planner/initnode.go@v2.8.5 (electInitNode).
func (p *pass) electInit(ctx context.Context) error {
	var able []*entry
	for _, e := range p.entries {
		can := e.target.etcd() && !e.Deleting && e.InfraReady
		if e.InitNode && can {
			return nil
		}
		if e.InitNode {
			if err := p.markInit(ctx, e, false); err != nil {
				return err
			}
		}
		if can {
			able = append(able, e)
		}
	}
	if len(able) == 0 {
		return waitError("waiting for viable init node")
	}
	chosen := able[0]
	for _, e := range able {
		if e.joinURL() != "" {
			chosen = e
			break
		}
	}
	return p.markInit(ctx, chosen, true)
}

func (p *pass) markInit(ctx context.Context, e *entry, on bool) error {
	secrets := p.mgmt.CoreV1().Secrets(e.Namespace)
	s, err := secrets.Get(ctx, planSecretName(e.Name), metav1.GetOptions{})
	if err != nil {
		return err
	}
	if on {
		metav1.SetMetaDataLabel(&s.ObjectMeta, labelInitNode, "true")
	} else {
		delete(s.Labels, labelInitNode)
	}
	e.InitNode = on
	_, err = secrets.Update(ctx, s, metav1.UpdateOptions{})
	return err
}

func (p *pass) initJoinURL() string {
	for _, e := range p.entries {
		if e.InitNode {
			return e.joinURL()
		}
	}
	return ""
}

func (p *pass) joinable() []*entry {
	var out []*entry
	for _, e := range p.entries {
		if e.target.controlPlane() && !e.Deleting && e.joinURL() != "" {
			out = append(out, e)
		}
	}
	return out
}

// workerJoin returns the server that a worker joins: its current one while that exists, or else
// one by a checksum of the Machine's UID. Source:
// rancher/rancher:pkg/capr/planner/planner.go@v2.8.5 (determineJoinURL, calculateJoinURL).
func (p *pass) workerJoin(e *entry) string {
	servers := p.joinable()
	for _, s := range servers {
		if s.joinURL() == e.Annotations[annotationJoinedTo] {
			return s.joinURL()
		}
	}
	if len(servers) == 0 {
		return ""
	}
	sum := uint64(min(crc32.ChecksumIEEE([]byte(e.target.UID)), math.MaxUint32-1))
	return servers[sum*uint64(len(servers))/math.MaxUint32].joinURL()
}
