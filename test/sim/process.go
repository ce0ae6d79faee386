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
	p.id = fmt.Sprintf("%s_%08d-0000-4000-8000-000000000000", p.node, w.started)
	w.processes = append(w.processes, p)
}

func (w *World) stop(which func(process) bool) {
	w.processes = slices.DeleteFunc(w.processes, which)
}

// leaseTick renews and takes the three leases as client-go's leader election does
// (client-go:tools/leaderelection): a holder renews every 2 s, others take the
// lease once it was not renewed for its duration.
func (w *World) leaseTick() {
	for _, name := range []string{kcmMain, ccmMain, migrationLease} {
		w.elect(name)
	}
}

func (w *World) elect(name string) {
	lease := w.down.get(leasesResource, kubeSystem, name)
	holder := text(lease, "spec", "holderIdentity")
	renewed, _ := time.Parse(microTime, text(lease, "spec", "renewTime"))
	var next *process
	for i := range w.processes {
		p := &w.processes[i]
		if !w.wants(*p, name) {
			continue
		}
		if p.id == holder {
			if w.now.Sub(renewed) >= renewEvery {
				w.writeLease(lease, name, *p)
			}
			return
		}
		if next == nil {
			next = p
		}
	}
	if next != nil && (holder == "" || w.now.Sub(renewed) >= leaseSeconds*time.Second) {
		w.writeLease(lease, name, *next)
	}
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

func (w *World) writeLease(lease object, name string, p process) {
	now := w.now.UTC().Format(microTime)
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
}

// runs says whether a process runs the cloud controllers at this moment.
func (w *World) runs(p process) bool {
	if p.component == kcmName && p.provider != "aws" {
		return false
	}
	return w.holds(p, p.mainLease()) && (!p.migration || w.holds(p, migrationLease))
}
