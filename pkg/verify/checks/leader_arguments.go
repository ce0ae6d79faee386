package checks

import (
	"fmt"
	"sort"
	"strings"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// program is a component whose arguments are visible.
type program struct {
	object string
	flags  component.Args
}

// programsOf returns the visible kube-controller-managers and CCMs, and a finding for each that
// should be visible and is not. RKE's kube-controller-managers are judged by its own files.
func programsOf(in evidence.Input) (all []program, gaps []verify.Finding) {
	if in.KCMs == nil {
		kcms, ok := in.Facts.KCMs()
		if !ok {
			gaps = append(gaps, verify.Undecided("kube-controller-manager", "nodes or pods could not be read"))
		} else if len(kcms) == 0 {
			gaps = append(gaps, verify.Undecided("kube-controller-manager", "no node carries a control-plane label"))
		}
		for _, k := range kcms {
			if k.Pod.Name == "" || k.Mirror.Frozen() != "" {
				gaps = append(gaps, verify.Undecided("kube-controller-manager on "+k.Machine, k.Why))
				continue
			}
			all = append(all, program{"kube-controller-manager on " + k.Machine, k.Flags})
		}
	}
	if !in.DaemonSets.OK() {
		gaps = append(gaps, verify.Unread(in.DaemonSets, wellknown.CCM)...)
	}
	for _, d := range in.DaemonSets.Value {
		if c, is := downstream.RunsCCM(d.Containers); is {
			all = append(all, program{d.String(), c.Flags()})
		}
	}
	return all, gaps
}

func election(in evidence.Input) []verify.Finding {
	programs, out := programsOf(in)
	for _, p := range programs {
		e, err := p.flags.Election()
		if err != nil {
			out = append(out, verify.Failure(p.object, err.Error(), "flags that can be read", "correct that flag in its arguments"))
			continue
		}
		if !e.Enabled {
			out = append(out, verify.Failure(p.object, "--leader-elect=false", "leader election on", "remove --leader-elect=false from its arguments"))
		}
		if e.Namespace != component.DefaultLockNamespace {
			out = append(out, verify.Failure(p.object, "--leader-elect-resource-namespace="+e.Namespace, component.DefaultLockNamespace, "remove --leader-elect-resource-namespace from its arguments"))
		}
		if e.Lock != "leases" {
			out = append(out, verify.Failure(p.object, "--leader-elect-resource-lock="+e.Lock, "leases", "remove --leader-elect-resource-lock from its arguments"))
		}
	}
	return out
}

func durations(in evidence.Input) []verify.Finding {
	programs, out := programsOf(in)
	type key struct{ lease, renew, retry time.Duration }
	by := map[key][]string{}
	var longest component.Election
	for _, p := range programs {
		e, err := p.flags.Election()
		if err != nil {
			continue // AWSM-202 reports it
		}
		k := key{e.LeaseDuration, e.RenewDeadline, max(e.RetryPeriod, component.DefaultRetryPeriod)} // a shorter retry period delays no other process
		by[k] = append(by[k], p.object)
		if e.LeaseDuration > longest.LeaseDuration {
			longest = e
		}
	}
	_, gap := longest.Gap()
	if len(by) > 1 {
		var lines []string
		for k, who := range by {
			sort.Strings(who)
			lines = append(lines, fmt.Sprintf("%s/%s/%s on %s", k.lease, k.renew, k.retry, evidence.Some(who)))
		}
		sort.Strings(lines)
		out = append(out, verify.Warning("leader election", strings.Join(lines, "; "), "the same lease duration, renew deadline and retry period everywhere", ""))
	}
	if longest.LeaseDuration > component.DefaultLeaseDuration {
		out = append(out, verify.Warning("leader election", fmt.Sprintf("lease duration %s: a hand-over can take %s", longest.LeaseDuration, gap.Round(time.Second)), "15s: 13 to 24 s", ""))
	}
	return out
}

func gates(in evidence.Input) []verify.Finding {
	programs, out := programsOf(in)
	versions, err := in.Versions()
	if err != nil {
		return append(out, verify.Undecided("Kubernetes", err.Error()))
	}
	for _, p := range programs {
		if strings.HasPrefix(p.object, wellknown.KCM) {
			out = append(out, fatalGates(p, versions)...)
		}
	}
	return out
}

// fatalGates returns the gates that stop a kube-controller-manager at start in one of
// the versions, by their own name or by an umbrella's.
func fatalGates(p program, versions []component.Version) []verify.Finding {
	var found []verify.Finding
	given := p.flags.Gates()
	for _, v := range versions {
		for _, gate := range component.MigrationGates() {
			if why := given.Fatal(gate, v); why != "" {
				found = append(found, gateFailure(p, fmt.Sprintf("%s=%t", gate, given[gate]), "no such gate: "+why))
			} else if pair := given.Off(gate, v); pair != "" && gate == component.GateLeaderMigration {
				found = append(found, gateFailure(p, pair, gate+" on: with enable-leader-migration "+v.String()+" exits"))
			}
		}
	}
	return found
}

func gateFailure(p program, pair, wanted string) verify.Finding {
	name, _, _ := strings.Cut(pair, "=")
	return verify.Failure(p.object, "--feature-gates="+pair, wanted, "remove the gate "+name+" from its --feature-gates")
}

func disabledControllers(in evidence.Input) []verify.Finding {
	programs, out := programsOf(in)
	for _, p := range programs {
		if p.flags.Last(component.CloudProvider) != component.ProviderAWS || !strings.HasPrefix(p.object, "kube-controller-manager") {
			continue
		}
		for _, c := range strings.Split(p.flags.Last(component.Controllers), ",") {
			switch strings.TrimSpace(c) {
			case "-service", "-route", "-cloud-node-lifecycle":
				out = append(out, verify.Failure(p.object, "--controllers="+p.flags.Last(component.Controllers), "without "+strings.TrimSpace(c), ""))
			}
		}
	}
	return out
}
