package rollout

import (
	"fmt"
	"sort"
	"strings"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Observation is one reading of the controller manager's DaemonSet.
type Observation struct {
	Now       time.Time
	DaemonSet *downstream.DaemonSet // nil if it does not exist
	// Existed reports whether the DaemonSet existed before, in this run. It is never recreated
	// automatically.
	Existed bool
	Pods    []downstream.Pod // with the DaemonSet's selector labels
	// Nodes holds all control-plane Nodes.
	Nodes  []downstream.Node
	Events []downstream.Event // of the DaemonSet and its pods
	// Outage reports whether the API was unreachable a few minutes ago. A process that ended
	// for that reason is in back-off for a while; without another cause in its log it is not at
	// fault.
	Outage bool
	// Logs holds the last lines by pod name, where they were read.
	Logs map[string]string
}

// State is the kind of a verdict.
type State string

const (
	// Ready means that every control-plane Node has a ready, current pod.
	Ready State = "ready"
	// Waiting means that pods are missing and that waiting may resolve this.
	Waiting State = "waiting"
	// Fault means that there is a known cause.
	Fault State = "fault"
)

// Verdict is the judgement of one Observation.
type Verdict struct {
	State State
	Seen  string
	// Token changes when a pod is created, removed, restarted or changes readiness. Two
	// readings with the same token saw the same pods with the same restarts.
	Token       string
	Done, Total int  // ready and current pods; control-plane Nodes
	Counted     bool // whether Seen contains Done and Total
	Err         error
}

// Judge decides whether the controller manager runs on every control-plane Node, and if not,
// why. It treats "0 desired, 0 ready" as a fault, which kubectl rollout status calls success.
func Judge(r Observation) Verdict {
	v := Verdict{Total: len(r.Nodes), Token: podToken(r.Pods)}
	switch {
	case r.DaemonSet == nil && r.Existed:
		return v.fault(&fault.Error{Class: fault.Check, Reason: "DaemonSetGone", Object: "DaemonSet " + wellknown.System + "/" + wellknown.CCM,
			Seen: "it existed and was deleted", Wanted: "the CCM on every control-plane node",
			Fix: "find out who deleted it, put it back, and run the same command again: helm -n " + wellknown.System + " get manifest " + wellknown.CCM + " | kubectl apply -f -"})
	case r.DaemonSet == nil:
		return v.waiting("DaemonSet " + wellknown.System + "/" + wellknown.CCM + " does not exist yet")
	}
	v.Done = len(r.Nodes) - len(missing(r, isRunning(r)))
	for _, look := range []func(Observation) error{checkNodes, checkSelector, checkTolerations, checkAdmission} {
		if err := look(r); err != nil {
			return v.fault(err)
		}
	}
	s := r.DaemonSet
	if s.Observed < s.Generation { // a fault of its pods may be that of the old version
		return v.waiting("the DaemonSet controller has not seen the new version yet")
	}
	if err := checkPods(r); err != nil {
		return v.fault(err)
	}
	switch {
	case int(s.Desired) != len(r.Nodes):
		return v.waiting(fmt.Sprintf("%d desired, %d control-plane Nodes%s", s.Desired, len(r.Nodes), nodesWithoutPod(r)))
	case s.Updated < s.Desired:
		v.Counted = true
		return v.waiting(fmt.Sprintf("%d/%d pods are of the new version%s", s.Updated, s.Desired, readyOf(v.Done, int(s.Updated))+ending(r)))
	case v.Done < v.Total || s.Ready < s.Desired:
		v.Counted = true
		return v.waiting(fmt.Sprintf("%d/%d ready%s", v.Done, v.Total, notReady(r)+ending(r)))
	}
	v.State, v.Counted = Ready, true
	v.Seen = fmt.Sprintf("%d/%d ready", v.Done, v.Total)
	return v
}

// readyOf describes how many of the new pods are ready, or is empty if all are.
func readyOf(ready, updated int) string {
	if ready >= updated { // the DaemonSet's status lags behind its pods
		return ""
	}
	return fmt.Sprintf(", %d of them ready", ready)
}

func (v Verdict) fault(err error) Verdict {
	v.State, v.Err, v.Seen = Fault, err, err.Error()
	return v
}

func (v Verdict) waiting(seen string) Verdict {
	v.State, v.Seen = Waiting, seen
	return v
}

// current reports whether a pod matches the DaemonSet in the fields that decide its behaviour;
// admission may add others.
func current(ds *downstream.DaemonSet, p downstream.Pod) bool {
	want, have := container(ds.Containers), container(p.Containers)
	if want == nil || have == nil {
		return false
	}
	return want.Image == have.Image && strings.Join(want.Args, "\x00") == strings.Join(have.Args, "\x00")
}

func container(list []downstream.Container) *downstream.Container {
	for i := range list {
		if list[i].Name == wellknown.CCM {
			return &list[i]
		}
	}
	return nil
}

func podToken(pods []downstream.Pod) string {
	var parts []string
	for _, p := range pods {
		parts = append(parts, fmt.Sprintf("%s:%d:%t:%t", p.UID, p.Restarts, p.Ready, p.Deleting))
	}
	sort.Strings(parts)
	return strings.Join(parts, " ")
}

// isRunning returns a function that reports whether a pod is ready and current.
func isRunning(r Observation) func(downstream.Pod) bool {
	return func(p downstream.Pod) bool { return current(r.DaemonSet, p) && p.Ready && !p.Deleting }
}

// nodesWithoutPod names the Nodes without a pod, for people.
func nodesWithoutPod(r Observation) string {
	return listNames("; no pod yet on ", missing(r, func(p downstream.Pod) bool { return !p.Deleting }))
}

// notReady names the Nodes without a ready, current pod.
func notReady(r Observation) string { return listNames("; waiting on ", missing(r, isRunning(r))) }

// ending names the Nodes whose deleted pod has not ended. Until then the DaemonSet controller makes
// no other there (kubernetes/kubernetes@v1.26.13:pkg/controller/daemon/daemon_controller.go,
// podsShouldBeOnNode), and a kubelet may need minutes for a pod that it cannot start.
func ending(r Observation) string {
	var nodes []string
	for _, p := range r.Pods {
		if p.Deleting {
			nodes = append(nodes, orUnknown(p.Node))
		}
	}
	return listNames("; a deleted pod has not ended on ", nodes)
}

// missing returns the control-plane Nodes without such a pod.
func missing(r Observation, such func(downstream.Pod) bool) []string {
	var c downstream.Coverage
	for _, n := range r.Nodes {
		c.Nodes = append(c.Nodes, n.Name)
	}
	for _, p := range r.Pods {
		if such(p) {
			c.Ready = append(c.Ready, p.Node)
		}
	}
	return c.Missing()
}

func listNames(intro string, names []string) string {
	if len(names) == 0 {
		return ""
	}
	sort.Strings(names)
	return intro + strings.Join(names, ", ")
}

// newFault returns a fault of the installation with a known cause.
func newFault(reason, object, seen, wanted, fix string) error {
	return &fault.Error{Class: fault.Check, Reason: reason, Object: object, Seen: seen, Wanted: wanted, Fix: fix}
}
