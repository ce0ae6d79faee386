package migration

import (
	"fmt"
	"slices"

	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Editing describes, for a Backend, a step that edits the configuration.
type Editing struct {
	ID     journal.StepID // key of the journal and of notes
	Undoes journal.StepID // the step whose edits it undoes; empty for a step of a migration
	Target Target
}

// Target describes the state of the machines after an editing step. A zero field means that
// the step does not change it.
type Target struct {
	ControlPlanes component.Mode // of every kube-controller-manager
	Kubelets      Kubelet        // of every machine
	Version       string         // of Kubernetes on every machine
	// Restarted reports whether every kube-controller-manager must restart after the edit. An
	// undo does not demand it, since an edit may be undone before it reached a machine.
	Restarted bool
}

// controlPlanesAlone reports whether the step does not change workers.
func (t Target) controlPlanesAlone() bool { return t.Kubelets == KubeletUnknown && t.Version == "" }

// Kubelet is the kind of provider that the kubelet of a machine runs with.
type Kubelet uint8

// The kinds of kubelets. ModeOther has no counterpart, since a worker may have another
// provider than aws, or none, before a migration.
const (
	KubeletUnknown Kubelet = iota // nothing shows it
	KubeletInTree                 // any provider but external
	KubeletExternal
)

// Missing describes how a machine differs from a target, or returns "". unrestarted holds the
// IDs of the kube-controller-managers that have not restarted since the edit. seen reports
// whether the reading shows the present state of the machine.
func (r Reading) Missing(t Target, m Member, unrestarted map[string]bool) (missing string, seen bool) {
	missing, seen = r.missing(t, m, unrestarted), t.Version != "" || !r.Recorded
	if missing == "" && !seen {
		missing = notShown
	}
	return missing, seen
}

// notShown is the text of Missing for a machine whose present state no reading shows.
const notShown = "nothing shows yet what it runs"

func (r Reading) missing(t Target, m Member, unrestarted map[string]bool) string {
	if missing := m.missing(t.Kubelets); missing != "" {
		return missing
	}
	if t.Version != "" {
		return r.kubeletBehind(m, t.Version)
	}
	k, there := r.kcmOf(m)
	switch {
	case t.ControlPlanes == component.ModeUnknown || !m.ControlPlane:
		return ""
	case !there:
		return "nothing shows its " + wellknown.KCM
	case !k.Ready:
		return wellknown.KCM + " is not Ready"
	case k.Mode() != t.ControlPlanes:
		return wellknown.KCM + " " + k.Runs()
	case t.Restarted && unrestarted[k.ID]:
		return wellknown.KCM + " has not restarted since the edit"
	}
	return ""
}

// missing describes how the kubelet of a machine differs from wanted, or returns "". A
// machine that never joined or is being deleted needs no undo.
func (m Member) missing(wanted Kubelet) string {
	switch {
	case wanted == KubeletUnknown || wanted == m.Kubelet:
		return ""
	case m.Kubelet == KubeletExternal:
		return "its kubelet still runs with the external provider"
	case wanted == KubeletInTree && len(m.Nodes) == 0 && (m.Deleting || m.NeverJoined):
		return ""
	}
	return OrElse(m.Why, "nothing shows the provider of its kubelet")
}

// kubeletBehind describes a kubelet of another version, or returns "".
func (r Reading) kubeletBehind(m Member, version string) string {
	for _, name := range m.Nodes {
		if node := r.Down.Node(name); node != nil && !sameVersion(node.Kubelet, version) {
			return "kubelet runs " + node.Kubelet
		}
	}
	return ""
}

// kcmOf returns the kube-controller-manager of a member.
func (r Reading) kcmOf(m Member) (k KCM, there bool) {
	at := slices.IndexFunc(r.KCMs, func(k KCM) bool { return k.Member == m.Name })
	if at < 0 {
		return KCM{}, false
	}
	return r.KCMs[at], true
}

// Reached describes the distance of a cluster's machines from a target.
type Reached struct {
	Open        []string // the differences, in words
	Done, Total int      // Done of Total are at the target
	Machines    []runner.Machine
}

// Reach compares the machines of a reading with a target. unrestarted is the same as for
// Missing. doing describes, by member, the current activity on a machine.
func (r Reading) Reach(t Target, unrestarted map[string]bool, doing map[string]string) Reached {
	var out Reached
	hidden := 0
	for _, m := range r.Members {
		if t.controlPlanesAlone() && !m.ControlPlane {
			continue
		}
		missing, seen := r.Missing(t, m, unrestarted)
		out.Total++
		switch missing {
		case "":
			out.Done++
		case notShown:
			hidden++
		default:
			out.Open = append(out.Open, m.Kind+" "+m.Name+": "+missing)
		}
		out.Machines = append(out.Machines, r.machine(m, missing, seen, doing[m.Name]))
	}
	if hidden > 0 {
		out.Open = append(out.Open, fmt.Sprintf("%d of %d machines cannot be seen yet", hidden, out.Total))
	}
	if t.Version != "" {
		out.Open = append(out.Open, r.strayNodesBehind(t.Version)...)
	}
	return out
}

// machine returns a member's state for display.
func (r Reading) machine(m Member, missing string, seen bool, doing string) runner.Machine {
	one := runner.Machine{Name: m.Name, Group: runner.Workers, State: runner.MachineWaits}
	if m.ControlPlane {
		one.Group = runner.ControlPlanes
	}
	switch at := OrElse(r.restarting(m), doing); {
	case at != "":
		one.State, one.Doing = runner.MachineChanging, at
	case !seen:
		one.State = runner.MachineUnseen
	case missing == "":
		one.State = runner.MachineDone
	}
	return one
}

// strayNodesBehind describes the Nodes without a member whose kubelet has another version.
func (r Reading) strayNodesBehind(version string) []string {
	var open []string
	for i := range r.Down.Nodes {
		node := &r.Down.Nodes[i]
		if sameVersion(node.Kubelet, version) || slices.ContainsFunc(r.Members, func(m Member) bool { return slices.Contains(m.Nodes, node.Name) }) {
			continue
		}
		open = append(open, fmt.Sprintf("Node %s: kubelet runs %s", node.Name, node.Kubelet))
	}
	return open
}

// restarting names a component of a member that is not running, or returns "".
func (r Reading) restarting(m Member) string {
	for _, name := range m.Nodes {
		if node := r.Down.Node(name); node != nil && !node.IsReady() {
			return "kubelet restarting"
		}
	}
	if k, there := r.kcmOf(m); there && m.ID != "" && !k.Ready {
		return wellknown.KCM + " restarting"
	}
	return ""
}
