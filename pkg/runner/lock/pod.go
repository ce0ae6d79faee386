package lock

// Pod is the container of a pod that a process is the program of. The zero value is a
// process that is not known to be one's.
type Pod struct {
	UID       string `json:"uid,omitempty"`
	Container string `json:"container,omitempty"` // its name: a pod may have several
}

func (p Pod) known() bool { return p.UID != "" && p.Container != "" }

// first is the id of a container's own process in its namespace of process ids. One
// that somebody starts beside it, with `kubectl exec`, has another, and the same
// environment; so has every process of a pod that shares its process ids.
const first = 1

// succeeds says whether ours is the process that the kubelet started in a container
// after the owner's: it starts none before the last one has ended
// (kubernetes/kubernetes:pkg/kubelet/kuberuntime/kuberuntime_manager.go@v1.26.13,
// computePodActions). A pod never moves to another machine. Of two boots of its machine
// only one runs; within one, the later start is the successor's, so that an owner is
// never taken for dead by one that came before it.
func succeeds(ours, owner Owner) bool {
	switch {
	case !owner.Pod.known() || owner.Pod != ours.Pod,
		owner.PID != first || ours.PID != first,
		!owner.Place.known() || !ours.Place.known() || owner.Tick == 0 || ours.Tick == 0:
		return false
	case owner.Place.Boot != ours.Place.Boot:
		return true
	}
	return owner.Place.Times == ours.Place.Times && owner.Tick < ours.Tick
}
