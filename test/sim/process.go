package sim

import (
	"fmt"
	"slices"
	"time"
)

const (
	kcmName        = "kube-controller-manager"
	ccmName        = "aws-cloud-controller-manager"
	kcmMain        = "kube-controller-manager"
	ccmMain        = "cloud-controller-manager"
	migrationLease = "cloud-provider-extraction-migration"
	kubeSystem     = "kube-system"
	kcmUser        = "system:kube-controller-manager"
	leasesResource = "leases.coordination.k8s.io"

	leaseSeconds = 15
	renewEvery   = 2 * time.Second
	// maxOverrun is the time for which a holder keeps running after its last renewal: until its
	// renew deadline, which begins after the pause that follows a renewal
	// (client-go:tools/leaderelection@v0.26).
	maxOverrun = 10*time.Second + renewEvery
)

// process is one running controller manager.
type process struct {
	id        string // as in leases: "<host>_<uuid>"
	component string // kcmName or ccmName
	node      string
	pod       string // name of its pod; empty if it is a plain container
	provider  string
	migration bool
	user      string
	// ends is the end of a replaced process, or zero.
	ends time.Time
	// led and held are the times of the last renewal of its main lease and of the migration lease.
	// They are zero if the process is not the holder in its own view. The process keeps that view
	// until its renew deadline, regardless of the lease.
	led, held time.Time
	// since holds the times at which it became a candidate for its main lease and for the
	// migration lease.
	since struct{ main, migration time.Time }
}

// candidateSince returns the time at which the process became a candidate. A candidate watches a
// lease for its whole duration, even if the lease was unchanged before.
func (p *process) candidateSince(lease string) time.Time {
	if lease == migrationLease {
		return p.since.migration
	}
	return p.since.main
}

// lastRenewal returns the field with the time of the last renewal of a lease.
func (p *process) lastRenewal(lease string) *time.Time {
	if lease == migrationLease {
		return &p.held
	}
	return &p.led
}

func (p process) mainLease() string {
	if p.component == kcmName {
		return kcmMain
	}
	return ccmMain
}

// start adds a process with a new identity.
func (w *World) start(p process) {
	w.started++
	p.since.main = w.now
	p.id = fmt.Sprintf("%s_%08d-0000-4000-8000-000000000000", p.node, w.started)
	w.processes = append(w.processes, p)
}

func (w *World) stop(which func(process) bool) {
	w.processes = slices.DeleteFunc(w.processes, which)
}

// leaseTick renews and takes the three leases as client-go's leader election does
// (client-go:tools/leaderelection). A holder renews every 2 s. Others take a lease that was
// unchanged for its duration, by their own clocks. A process that lost its lease to another one
// keeps running until its renew deadline, ends, and is restarted in place.
func (w *World) leaseTick() {
	for _, name := range []string{kcmMain, ccmMain, migrationLease} {
		w.elect(name)
	}
	w.stepDown()
}

// written is a version of a lease, with the time at which candidates first saw it.
type written struct {
	version string
	since   time.Time
}

func (w *World) elect(name string) {
	lease := w.down.get(leasesResource, kubeSystem, name)
	if version := text(lease, "metadata", "resourceVersion"); w.written[name].version != version {
		w.written[name] = written{version, w.now}
	}
	holder, silent := text(lease, "spec", "holderIdentity"), w.now.Sub(w.written[name].since)
	var next *process
	for i := range w.processes {
		p := &w.processes[i]
		if !w.wants(*p, name) {
			continue
		}
		if p.id == holder {
			if silent >= renewEvery {
				w.writeLease(lease, name, p)
			}
			return
		}
		if mine := w.now.Sub(p.candidateSince(name)); holder != "" && min(silent, mine) < leaseSeconds*time.Second {
			continue
		}
		if next == nil || !next.lastRenewal(name).IsZero() { // the worst case: a process that takes it from a living holder
			next = p
		}
	}
	if next != nil {
		w.writeLease(lease, name, next)
	}
}

// stepDown ends each process that could not renew until its deadline, or that fails while it
// leads.
func (w *World) stepDown() {
	late := func(since time.Time) bool { return !since.IsZero() && w.now.Sub(since) >= maxOverrun }
	for _, p := range slices.Clone(w.processes) {
		if late(p.led) && !w.holds(p, p.mainLease()) || late(p.held) && !w.holds(p, migrationLease) ||
			w.ccmFails && p.component == ccmName && !p.held.IsZero() {
			w.restart(p)
		}
	}
}

// restart acts as a kubelet does after a container's end: the same pod, another process.
func (w *World) restart(p process) {
	w.stop(func(other process) bool { return other.id == p.id })
	w.countRestart(p)
	p.led, p.held, p.since.migration = time.Time{}, time.Time{}, time.Time{}
	w.start(p)
}

// countRestart shows the restart in the pod, if one exists.
func (w *World) countRestart(p process) {
	name := p.pod
	if p.component == kcmName {
		name = kcmName + "-" + p.node
	}
	pod := w.down.get(pods, kubeSystem, name)
	if pod == nil {
		return
	}
	at := w.clockOf(p.node)
	now := at.Format(time.RFC3339)
	for _, one := range list(pod, "status", "containerStatuses") {
		status := one.(object)
		status["restartCount"] = number(status, "restartCount") + 1
		status["lastState"] = object{"terminated": object{"exitCode": int64(1), "reason": "Error", "finishedAt": now, "containerID": status["containerID"]}}
		status["containerID"] = containerID(status["name"], at)
		status["state"] = object{"running": object{"startedAt": now}}
	}
	w.down.put(pods, pod, w.now)
}

// wants reports whether a process is a candidate. Only leaders with the flag compete for the
// migration lease (kubernetes:cmd/kube-controller-manager/app, MigrationReady), and only if they
// may use it.
func (w *World) wants(p process, lease string) bool {
	if lease != migrationLease {
		return p.mainLease() == lease
	}
	return p.migration && w.holds(p, p.mainLease()) && w.mayUse(p.user)
}

func (w *World) mayUse(user string) bool {
	for _, verb := range []string{"get", "update"} {
		if !w.down.allowed(user, object{"namespace": kubeSystem, "group": "coordination.k8s.io", "resource": "leases", "name": migrationLease, "verb": verb}) {
			return false
		}
	}
	return true
}

func (w *World) holds(p process, lease string) bool {
	return text(w.down.peek(leasesResource, kubeSystem, lease), "spec", "holderIdentity") == p.id
}

const microTime = "2006-01-02T15:04:05.000000Z07:00"

func (w *World) writeLease(lease object, name string, p *process) {
	now := w.clockOf(p.node).Format(microTime)
	if lease == nil {
		lease = object{"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": object{"name": name, "namespace": kubeSystem}}
	}
	spec := mapAt(lease, "spec")
	if spec["holderIdentity"] != p.id {
		spec["holderIdentity"], spec["acquireTime"] = p.id, now
		spec["leaseTransitions"] = number(spec, "leaseTransitions") + 1
	}
	spec["renewTime"], spec["leaseDurationSeconds"] = now, int64(leaseSeconds)
	mapAt(lease, "metadata")["managedFields"] = []any{object{"manager": p.component, "operation": "Update", "apiVersion": "coordination.k8s.io/v1",
		"time": w.now.UTC().Format(time.RFC3339), "fieldsType": "FieldsV1", "fieldsV1": object{"f:spec": object{"f:renewTime": object{}}}}}
	w.down.put(leasesResource, lease, w.now)
	if name == p.mainLease() && p.led.IsZero() {
		p.since.migration = w.now
	}
	*p.lastRenewal(name) = w.now
}

// runs reports whether a process runs the cloud controllers now: whether it is the holder in its
// own view, regardless of the lease.
func (w *World) runs(p process) bool {
	if p.component == kcmName && p.provider != "aws" {
		return false
	}
	return !p.led.IsZero() && (!p.migration || !p.held.IsZero())
}
