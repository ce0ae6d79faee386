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
	DaemonSet *downstream.DaemonSet // nil: it does not exist
	// Existed: it was there before, in this run. Nobody makes it again by itself.
	Existed bool
	Pods    []downstream.Pod // with the DaemonSet's selector labels
	// Nodes are the control-plane Nodes, all of them.
	Nodes  []downstream.Node
	Events []downstream.Event // of the DaemonSet and its pods
	// Outage: the API did not answer a few minutes ago. A process that ended for want
	// of it is held back for a while; without a cause that it names it is not at fault.
	Outage bool
	// Logs are last lines by pod name, where somebody read them.
	Logs map[string]string
}

// State is the kind of verdict.
type State string

const (
	// Ready has a ready, current pod on every control-plane Node.
	Ready State = "ready"
	// Waiting is not there yet, and nothing is wrong that waiting does not mend.
	Waiting State = "waiting"
	// Fault has a named cause.
	Fault State = "fault"
)

// Verdict judges one Observation.
type Verdict struct {
	State State
	Seen  string
	// Token changes when a pod comes, goes, restarts or changes readiness. Two
	// readings with the same token saw the same pods with the same restarts.
	Token       string
	Done, Total int  // pods ready and current, control-plane Nodes
	Counted     bool // Seen says Done and Total itself
	Err         error
}

// Judge says whether the controller manager runs on every
// control-plane Node, and if not, why. "0 desired, 0 ready" is a fault here,
// which kubectl rollout status calls success.
func Judge(r Observation) Verdict {
	v := Verdict{Total: len(r.Nodes), Token: podToken(r.Pods)}
	switch {
	case r.DaemonSet == nil && r.Existed:
		return v.fault(&fault.Error{Class: fault.Check, Reason: "DaemonSetGone", Object: "DaemonSet " + wellknown.System + "/" + wellknown.CCM,
			Seen: "it was there and is gone: somebody deleted it", Wanted: "the CCM on every control-plane node",
			Fix: "find out who deleted it, put it back, and run the same command again: helm -n " + wellknown.System + " get manifest " + wellknown.CCM + " | kubectl apply -f -"})
	case r.DaemonSet == nil:
		return v.waiting("DaemonSet " + wellknown.System + "/" + wellknown.CCM + " does not exist yet")
	}
	v.Done = len(r.Nodes) - len(missing(r, good(r)))
	for _, look := range []func(Observation) error{noNodes, notSelected, notTolerated, refused, badPod} {
		if err := look(r); err != nil {
			return v.fault(err)
		}
	}
	s := r.DaemonSet
	switch {
	case s.Observed < s.Generation:
		return v.waiting("the DaemonSet controller has not seen the new version yet")
	case int(s.Desired) != len(r.Nodes):
		return v.waiting(fmt.Sprintf("%d desired, %d control-plane Nodes%s", s.Desired, len(r.Nodes), nodesWithoutPod(r)))
	case s.Updated < s.Desired:
		v.Counted = true
		return v.waiting(fmt.Sprintf("%d/%d pods are of the new version%s", s.Updated, s.Desired, readyOf(v.Done, int(s.Updated))))
	case v.Done < v.Total || s.Ready < s.Desired:
		v.Counted = true
		return v.waiting(fmt.Sprintf("%d/%d ready%s", v.Done, v.Total, notReady(r)))
	}
	v.State, v.Counted = Ready, true
	v.Seen = fmt.Sprintf("%d/%d ready", v.Done, v.Total)
	return v
}

// readyOf says how many of the new pods serve, where they are not all.
func readyOf(ready, updated int) string {
	if ready >= updated { // the DaemonSet's status is behind its pods
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

// current compares what decides behaviour; admission may add the rest.
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

// good is a pod that runs what it is to run.
func good(r Observation) func(downstream.Pod) bool {
	return func(p downstream.Pod) bool { return current(r.DaemonSet, p) && p.Ready && !p.Deleting }
}

// nodesWithoutPod names them, for people.
func nodesWithoutPod(r Observation) string {
	return named("; no pod yet on ", missing(r, func(p downstream.Pod) bool { return !p.Deleting }))
}

// notReady names the Nodes without a ready, current pod.
func notReady(r Observation) string { return named("; waiting on ", missing(r, good(r))) }

// missing are the control-plane Nodes without such a pod.
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

func named(intro string, names []string) string {
	if len(names) == 0 {
		return ""
	}
	sort.Strings(names)
	return intro + strings.Join(names, ", ")
}

// broken is a named fault of the installation.
func broken(reason, object, seen, wanted, fix string) error {
	return &fault.Error{Class: fault.Check, Reason: reason, Object: object, Seen: seen, Wanted: wanted, Fix: fix}
}
