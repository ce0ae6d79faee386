package node

import (
	"time"

	corev1 "k8s.io/api/core/v1"
)

// Status describes a machine for `lab status`.
type Status struct {
	Machine    string
	On         bool
	NodeName   string // empty while no kubelet runs
	Problem    string // of RKE2 or the kubelet, or empty
	Components []ComponentStatus
	Pods       []ComponentStatus
}

// ComponentStatus is one process, or one simulated component.
type ComponentStatus struct {
	Name     string // component, or namespace/pod/container
	PID      int    // 0 without a process
	Ready    bool
	Started  time.Time
	Restarts int
	Waiting  string // e.g. "CrashLoopBackOff: …"
	Manifest string // hash, static pods only
}

// Status reads the machine's state without a request.
func (a *Agent) Status() Status {
	a.mu.Lock()
	s := a.session
	a.mu.Unlock()
	out := Status{Machine: a.c.Name, On: s != nil}
	if s == nil {
		return out
	}
	if s.docker != nil {
		out.NodeName, out.Problem = s.docker.kubelet().status()
		out.Components = s.docker.components()
	} else {
		out.NodeName, out.Problem = s.rke2.status()
	}
	for _, pod := range s.static.list() {
		status := componentStatus(pod.manifest.Name, pod.task.snapshot())
		status.Manifest = string(pod.manifest.UID)
		out.Components = append(out.Components, status)
	}
	for _, worker := range s.pods.list() {
		for i, state := range worker.states() {
			out.Pods = append(out.Pods, componentStatus(containerName(worker.pod, i), state))
		}
	}
	return out
}

func containerName(pod *corev1.Pod, i int) string {
	return pod.Namespace + "/" + pod.Name + "/" + pod.Spec.Containers[i].Name
}

func componentStatus(name string, s taskState) ComponentStatus {
	out := ComponentStatus{Name: name, PID: s.PID, Ready: s.Ready, Started: s.Started, Restarts: s.Restarts, Waiting: s.Waiting}
	if s.Message != "" {
		out.Waiting += ": " + s.Message
	}
	return out
}

// Facts returns the machine's hidden facts.
func (a *Agent) Facts() Facts { return a.c.Facts }
