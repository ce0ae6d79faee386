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
	// runsOn is how long a holder that can no longer renew goes on: to its renew deadline,
	// which begins after the pause that follows a renewal (client-go:tools/leaderelection@v0.26).
	runsOn = 10*time.Second + renewEvery
)

// process is one running controller manager.
type process struct {
	id        string // as in leases: "<host>_<uuid>"
	component string // kcmName or ccmName
	node      string
	pod       string // name of its pod, "" where it is a container of its own
	provider  string
	migration bool
	user      string
	// ends is when a process that was replaced is ended; zero: it was not.
	ends time.Time
	// led and held are when it last renewed its main lease and the migration lease; zero:
	// it does not take itself for the holder. It does until its renew deadline, whatever
	// the lease says meanwhile.
	led, held time.Time
	// since are when it began to wait for its main lease, and for the migration lease.
	since struct{ main, migration time.Time }
}

// waits is since when it is a candidate: who begins to wait looks at a lease for the
// whole of its duration, however long that was silent before.
func (p *process) waits(lease string) time.Time {
	if lease == migrationLease {
		return p.since.migration
	}
	return p.since.main
}

// renewed is the place of one of the two.
func (p *process) renewed(lease string) *time.Time {
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

// start adds a process with an identity that was never used.
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
// (client-go:tools/leaderelection): a holder renews every 2 s, others take the
// lease once nobody wrote it for its duration, by their own clock. Who lost it to somebody
// else goes on until its renew deadline, ends, and is started again in place.
func (w *World) leaseTick() {
	for _, name := range []string{kcmMain, ccmMain, migrationLease} {
		w.elect(name)
	}
	w.stepDown()
}

// written is a version of a lease, and since when candidates have seen it.
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
		if mine := w.now.Sub(p.waits(name)); holder != "" && min(silent, mine) < leaseSeconds*time.Second {
			continue
		}
		if next == nil || !next.renewed(name).IsZero() { // who takes it from a living holder comes first: the worst case
			next = p
		}
	}
	if next != nil {
		w.writeLease(lease, name, next)
	}
}

// stepDown ends whoever could not renew until its deadline, and who fails for leading.
func (w *World) stepDown() {
	late := func(since time.Time) bool { return !since.IsZero() && w.now.Sub(since) >= runsOn }
	for _, p := range slices.Clone(w.processes) {
		if late(p.led) && !w.holds(p, p.mainLease()) || late(p.held) && !w.holds(p, migrationLease) ||
			w.ccmFails && p.component == ccmName && !p.held.IsZero() {
			w.restart(p)
		}
	}
}

// restart is what a kubelet does with a container that ended: the same pod, another process.
func (w *World) restart(p process) {
	w.stop(func(other process) bool { return other.id == p.id })
	w.countRestart(p)
	p.led, p.held, p.since.migration = time.Time{}, time.Time{}, time.Time{}
	w.start(p)
}

// countRestart shows it in the pod, where there is one.
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

// wants says whether a process is a candidate. The migration lease is for leaders
// under the flag alone (kubernetes:cmd/kube-controller-manager/app, MigrationReady),
// and only those that may use it.
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
	*p.renewed(name) = w.now
}

// runs says whether a process runs the cloud controllers at this moment: whether it takes
// itself for the holder, which is not what a lease says.
func (w *World) runs(p process) bool {
	if p.component == kcmName && p.provider != "aws" {
		return false
	}
	return !p.led.IsZero() && (!p.migration || !p.held.IsZero())
}
