package lock

// Pod identifies the container whose main program is this process. The zero value means that it
// is unknown.
type Pod struct {
	UID       string `json:"uid,omitempty"`
	Container string `json:"container,omitempty"` // its name: a pod may have several containers
}

func (p Pod) known() bool { return p.UID != "" && p.Container != "" }

// mainPID is the process ID of a container's main process. A process that `kubectl exec` starts has
// the same environment but another ID. If the pod's containers share process IDs, so do all their
// processes.
const mainPID = 1

// succeeds reports whether the kubelet started the process ours in the same container after the
// owner's process. The kubelet starts a container's next process only after the last one has
// ended (kubernetes/kubernetes:pkg/kubelet/kuberuntime/kuberuntime_manager.go@v1.26.13,
// computePodActions). A pod never moves to another machine, and only the last boot of a machine
// runs. Within one boot, the process with the later start is the successor. An earlier process
// never takes a later owner for dead.
func succeeds(ours, owner Owner) bool {
	switch {
	case !owner.Pod.known() || owner.Pod != ours.Pod,
		owner.PID != mainPID || ours.PID != mainPID,
		!owner.Place.known() || !ours.Place.known() || owner.Tick == 0 || ours.Tick == 0:
		return false
	case owner.Place.Boot != ours.Place.Boot:
		return true
	}
	return owner.Place.Times == ours.Place.Times && owner.Tick < ours.Tick
}
