package checks

import (
	"fmt"
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// Managers returns the checks for stray controller managers.
func Managers() []verify.Check[evidence.Input] {
	return slices.DeleteFunc(all(), func(c verify.Check[evidence.Input]) bool { return !c.BeforeHandover })
}

// strays judges every kube-controller-manager besides the control plane's own.
func strays(in evidence.Input) []verify.Finding {
	found, out := seenStrays(in, "kube-controller-manager")
	for _, s := range found {
		if !s.CCM {
			out = append(out, strayFinding(in, s, "a kube-controller-manager", "only the control-plane nodes' own"))
		}
	}
	return out
}

// cloudStrays judges every process that runs cloud controllers besides the CCM's DaemonSet and
// the control plane's own. It leaves kube-controller-managers that only might run them to strays.
func cloudStrays(in evidence.Input) []verify.Finding {
	found, out := seenStrays(in, "cloud controllers")
	for _, s := range found {
		switch {
		case s.CCM && s.RunsClouds():
			out = append(out, strayFinding(in, s, "an aws-cloud-controller-manager", wantedManagers(in)))
		case !s.CCM && s.RunsClouds() && !s.Idle && s.Other == "":
			out = append(out, strayFinding(in, s, "the cloud controllers in a kube-controller-manager", wantedManagers(in)))
		}
	}
	return out
}

func wantedManagers(in evidence.Input) string {
	if own, has := in.OwnDaemonSet(); has {
		return "only the pods of " + own.String() + ", and the control-plane nodes' own kube-controller-managers"
	}
	return "only the control-plane nodes' own kube-controller-managers, and the DaemonSet of the CCM"
}

// seenStrays returns the strays, and a finding for each failed reading.
func seenStrays(in evidence.Input, object string) ([]downstream.Stray, []verify.Finding) {
	found, gaps := in.Strays()
	if len(gaps) == 0 {
		return found, nil
	}
	reason := strings.Join(gaps, ", ") + " could not be read"
	for _, err := range []error{in.Nodes.Err, in.StaticPods.Err, in.Workloads.Err, in.DaemonSets.Err, in.LoosePods.Err} {
		if err != nil {
			reason += ": " + err.Error()
			break
		}
	}
	return found, []verify.Finding{verify.Undecided(object, reason)}
}

// strayFinding returns the finding for one stray. A stray of another cluster is harmless here,
// and so is one that is scaled to zero, for now.
func strayFinding(in evidence.Input, s downstream.Stray, program, wanted string) verify.Finding {
	switch {
	case s.Other != "":
		return verify.Warning(s.String(), "runs "+program+" with the kubeconfig in "+s.Other+", next to an API server in its namespace: taken for another cluster's", wanted, "nothing, if it belongs to a cluster that this one hosts")
	case s.Idle:
		return verify.Warning(s.String(), "would run "+program+", and is scaled to zero or suspended", wanted, "remove it, so that it cannot be started again")
	}
	seen := "runs " + program
	if on, err := s.Flags.Bool("leader-elect", true); err == nil && !on {
		seen += " with --leader-elect=false, and waits for no lease"
	}
	if s.Pod.Waiting != "" {
		seen += fmt.Sprintf(" (%s now; it is started again)", s.Pod.Waiting)
	}
	return verify.Failure(s.String(), seen, wanted, stopStray(in, s))
}

// stopStray returns the remedy that stops a stray. It contains a command only if another process
// runs the same controllers meanwhile, and only if the command is reversible.
func stopStray(in evidence.Input, s downstream.Stray) string {
	first := firstOf(in, s)
	object := strings.ToLower(s.Kind) + "/" + s.Name
	switch {
	case s.Owner != "":
		return "it belongs to " + s.Owner + ": take it out there" + first
	case s.Pod.Mirror:
		return "take its manifest off Node " + s.Pod.Node + first
	case s.Pod.Controller != "":
		return "stop it at its " + s.Pod.Controller + " in namespace " + s.Namespace + first
	case first != "":
		return "stop it" + first
	}
	switch s.Kind {
	case "Deployment", "StatefulSet", "ReplicaSet", "ReplicationController":
		return fault.Command("kubectl", "-n", s.Namespace, "scale", object, "--replicas=0")
	case "Job", "CronJob":
		return fault.Command("kubectl", "-n", s.Namespace, "patch", object, "--type=merge", "-p", `{"spec":{"suspend":true}}`)
	}
	return "remove it where it comes from"
}

// firstOf returns what must exist before a manager may be stopped, or is empty if it exists. A
// self-hosted control plane has no other kube-controller-manager.
func firstOf(in evidence.Input, s downstream.Stray) string {
	kcms, _ := in.ManagersInForce()
	own := slices.ContainsFunc(kcms, func(k position.KCM) bool { return k.Mode != component.ModeUnknown })
	switch {
	case !s.CCM && !own:
		return ", unless it is the control plane's own: no other kube-controller-manager is seen"
	case !s.CCM, in.InTreeEverywhere(), in.CCM().Complete:
		return ""
	}
	return ", once the DaemonSet of a CCM has a ready pod on every control-plane node: until then no other process runs the cloud controllers"
}
