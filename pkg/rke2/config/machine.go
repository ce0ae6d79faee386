package config

import (
	"maps"

	"github.com/rancher/wrangler/v3/pkg/name"
)

// Machine holds the part of a machines.cluster.x-k8s.io object that the merge needs.
type Machine struct {
	Name   string
	UID    string
	Labels map[string]string
}

// ControlPlane reports whether the machine runs the control plane.
func (m Machine) ControlPlane() bool { return m.Labels[LabelControlPlane] == "true" }

// Etcd reports whether the machine runs etcd.
func (m Machine) Etcd() bool { return m.Labels[LabelEtcd] == "true" }

// Worker reports whether the machine runs workloads.
func (m Machine) Worker() bool { return m.Labels[LabelWorker] == "true" }

// Server reports whether the machine runs rke2-server, and thus gets server keys.
func (m Machine) Server() bool { return m.ControlPlane() || m.Etcd() }

// Windows reports whether the machine's operating system is Windows.
func (m Machine) Windows() bool { return m.Labels[labelOS] == "windows" }

// PoolMachines returns one machine for each machine pool, with the labels that Rancher would give
// the next machine of the pool (rancher/rancher:pkg/controllers/
// provisioningv2/provisioningcluster/template.go, the same at v2.7.5, v2.8.5, v2.12.3
// and v2.15.0). With these machines, edits also cover pools that are empty today. Labels that
// Cluster API adds for each MachineSet cannot be predicted.
func (s Spec) PoolMachines() []Machine {
	var out []Machine
	for _, p := range s.Pools {
		labels := map[string]string{
			"cluster.x-k8s.io/cluster-name":    s.Name,
			"rke.cattle.io/cluster-name":       s.Name,
			"cluster.x-k8s.io/deployment-name": name.SafeConcatName(s.Name, p.Name),
			labelPool:                          p.Name,
			labelOS:                            p.OS,
		}
		if p.ControlPlane {
			labels["cluster.x-k8s.io/control-plane"] = "true"
		}
		for label, held := range map[string]bool{LabelControlPlane: p.ControlPlane, LabelEtcd: p.Etcd, LabelWorker: p.Worker} {
			if held {
				labels[label] = "true"
			}
		}
		maps.Copy(labels, p.Labels)
		out = append(out, Machine{Name: "next of pool " + p.Name, Labels: labels})
	}
	return out
}
