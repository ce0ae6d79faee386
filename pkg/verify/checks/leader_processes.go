package checks

import (
	"fmt"
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

const migrationLease = "Lease kube-system/" + wellknown.MigrationLease

// GrantCommands create a grant under a name that awsmigrate's own grant does not have.
const GrantCommands = "kubectl -n kube-system create role leader-migration --verb=get,update,patch --resource=leases.coordination.k8s.io --resource-name=" + wellknown.MigrationLease +
	" && kubectl -n kube-system create rolebinding leader-migration --role=leader-migration --user=" + wellknown.KCMUser

func grant(in evidence.Input) []verify.Finding {
	return verify.Judge(in.Rights, migrationLease, func(r downstream.Rights) []verify.Finding {
		if r.Get && r.Update {
			return nil
		}
		return []verify.Finding{verify.Failure(migrationLease, fmt.Sprintf("%s: get %s, update %s", wellknown.KCMUser, yes(r.Get), yes(r.Update)), "get yes, update yes", GrantCommands)}
	})
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func holderPlaced(in evidence.Input) []verify.Finding {
	if !in.Leases.OK() {
		return verify.Unread(in.Leases, "Lease kube-system/"+wellknown.KCMLease)
	}
	if !in.Nodes.OK() {
		return verify.Unread(in.Nodes, "nodes")
	}
	holder := in.Leases.Value.KCM.Last.Holder
	if holder == "" {
		return []verify.Finding{verify.Failure("Lease kube-system/"+wellknown.KCMLease, "no holder", "a kube-controller-manager of a control-plane node", "look why none takes it: the logs of the control planes' kube-controller-managers; leave the Lease as it is")}
	}
	host := lease.Host(holder)
	machines := onHost(in, host)
	for _, n := range in.Nodes.Value {
		if !isHost(n, machines, host) {
			continue
		}
		if n.ControlPlane() {
			return nil
		}
		return []verify.Finding{verify.Failure("Lease kube-system/"+wellknown.KCMLease, "held from "+host+", which is Node "+n.Name+" and no control plane", "a control-plane node", "once a kube-controller-manager of the control plane runs: stop the one on Node "+n.Name)}
	}
	for _, m := range in.Machines {
		if m.ControlPlane && (strings.EqualFold(m.Name, host) || lease.NamedBy(host, m.Infrastructure)) {
			return nil
		}
	}
	return []verify.Finding{verify.Warning("Lease kube-system/"+wellknown.KCMLease, "held from host "+host+", which matches no Node or machine name", "a control-plane node; the operating system's host name may differ from the Node's", "find the machine with that host name: a control plane may keep the lease; stop any other holder once the control plane's own runs")}
}

// sameHost reports whether two names, short or long, may belong to one host.
func sameHost(name, host string) bool {
	short, _, _ := strings.Cut(strings.ToLower(host), ".")
	first, _, _ := strings.Cut(strings.ToLower(name), ".")
	return first != "" && (strings.EqualFold(name, host) || first == short)
}

// onHost returns the machines of that host name: "node " and their Node, "uid " and their UID.
func onHost(in evidence.Input, host string) map[string]bool {
	on := map[string]bool{}
	for _, m := range in.Machines {
		if sameHost(m.Name, host) || lease.NamedBy(host, m.Infrastructure) {
			on["node "+m.Node], on["uid "+m.UID] = true, m.UID != ""
		}
	}
	return on
}

// isHost reports whether the node may have that host name. The API has no host name, so isHost
// tries every name that it does have, short and long.
func isHost(n downstream.Node, machines map[string]bool, host string) bool {
	names := []string{n.Name, n.Labels[downstream.LabelHostname], n.Annotations[downstream.AnnotationHost]}
	for _, a := range n.Addresses {
		names = append(names, a.Address)
	}
	return machines["node "+n.Name] || machines["uid "+n.MachineUID()] ||
		slices.ContainsFunc(names, func(name string) bool { return sameHost(name, host) })
}

func leaseOwner(in evidence.Input) []verify.Finding {
	v, ok := in.MigrationLease()
	if !ok {
		return verify.Unread(in.Leases, migrationLease)
	}
	wanted := map[position.Position][]lease.Owner{
		position.P2: {lease.KCM}, position.P3: {lease.KCM, lease.CCM}, position.P4: {lease.CCM},
	}[in.Position.Position]
	switch {
	case runsExternal(in) && v.Life == lease.Alive:
		wanted = []lease.Owner{lease.CCM} // only a CCM could renew it among the visible processes
	case wanted == nil:
		wanted = []lease.Owner{lease.KCM, lease.CCM}
	}
	if slices.Contains(wanted, v.Owner) {
		return nil
	}
	if v.Owner == lease.HandingOver && v.Life != lease.Dead {
		return []verify.Finding{verify.Warning(migrationLease, v.Why, "held by one of those who wait, within half a minute", "look again then")}
	}
	seen := "held by " + string(v.Owner)
	if v.Owner == lease.NoLease || v.Owner == lease.NoHolder {
		seen = string(v.Owner)
	}
	names := make([]string, len(wanted))
	for i, o := range wanted {
		names[i] = string(o)
	}
	fix := ""
	if v.Owner == lease.HandingOver {
		fix = "find in the logs of the cloud controller manager and of kube-controller-manager why no candidate acquires it; do not delete the lease"
	}
	return []verify.Finding{verify.Failure(migrationLease, seen+": "+v.Why, "held by "+strings.Join(names, " or "), fix)}
}

// runsExternal reports whether every kube-controller-manager visibly runs external.
func runsExternal(in evidence.Input) bool {
	kcms, ok := in.ManagersInForce()
	for _, k := range kcms {
		ok = ok && k.Mode.IsExternal()
	}
	return ok
}

func leaseRenewing(in evidence.Input) []verify.Finding {
	v, ok := in.MigrationLease()
	if !ok {
		return verify.Unread(in.Leases, migrationLease)
	}
	switch {
	case v.Owner == lease.HandingOver && v.Life != lease.Dead:
		return nil // the other check reports it
	case v.Life == lease.Alive:
		return nil
	case v.Life == lease.NotHeld:
		return []verify.Finding{verify.Failure(migrationLease, v.Why, "a holder that renews it", "")}
	}
	return []verify.Finding{verify.Failure(migrationLease, fmt.Sprintf("%s did not renew it in %.1f s (%s)", v.Holder, v.Looked.Seconds(), v.Life), "renewed every 2 s", "")}
}

func doubleRunning(in evidence.Input) []verify.Finding {
	kcms, ccm, gaps := managersOf(in)
	if ccm.Seen != position.Yes {
		return gaps
	}
	for _, k := range kcms {
		object := "kube-controller-manager on " + k.Machine
		switch {
		case k.Mode == component.InTree:
			gaps = append(gaps, verify.Failure(object, "--cloud-provider=aws without enable-leader-migration, next to a CCM", "the flag on every kube-controller-manager before a CCM runs", exclude(in, "put the flag on this kube-controller-manager, and on the CCM")))
		case k.Mode == component.InTreeMigrating && (!ccm.Migration || ccm.PodsWithout > 0):
			gaps = append(gaps, verify.Failure(object, "--cloud-provider=aws next to a CCM without enable-leader-migration", "the flag on the CCM as well", exclude(in, "put the flag on the CCM")))
		}
	}
	return gaps
}

// exclude returns how an in-tree manager and a CCM must exclude each other: by the flag on both,
// or by running only one of them, if that one carries on.
func exclude(in evidence.Input, flag string) string {
	if in.InTreeEverywhere() {
		return flag + ", or take the CCM away"
	}
	return flag + "; leave the CCM, and the flag off those that are external"
}

func starvation(in evidence.Input) []verify.Finding {
	kcms, ok := in.ManagersInForce()
	if !ok {
		return []verify.Finding{verify.Undecided("kube-controller-manager", "none could be seen")}
	}
	var out []verify.Finding
	for _, k := range kcms {
		object := "kube-controller-manager on " + k.Machine
		switch k.Mode { //nolint:exhaustive // the other modes block no process
		case component.ModeUnknown:
			out = append(out, verify.Undecided(object, k.Why))
		case component.ExternalMigrating:
			out = append(out, verify.Failure(object, "--cloud-provider=external with enable-leader-migration", "external without the flag", ""))
		}
	}
	return out
}

func defaultNames(in evidence.Input) []verify.Finding {
	kcms, ccm, gaps := managersOf(in)
	if ccm.Seen != position.Yes {
		return gaps
	}
	if !ccm.DefaultUnsafe || ccm.ConfigFile {
		return append(gaps, beforeOtherNames(in)...)
	}
	finding := verify.Warning("CCM image "+ccm.Image, "v1.28 or later, or no readable version, without --leader-migration-config", "the file, as long as anything relies on the migration lease", "")
	for _, k := range kcms {
		if k.Mode == component.ModeUnknown || k.Mode.IsInTree() {
			finding.Status = verify.Fail
		}
	}
	if finding.Status == verify.Warn && !ccm.Migration {
		return gaps
	}
	return append(gaps, finding)
}

// beforeOtherNames reports each CCM with leader migration and without the file if its next update
// takes it beyond 1.27. While its pods are replaced, an old one runs service and route under the
// migration lease, and a new one, whose controllers have other names, under the main lease.
func beforeOtherNames(in evidence.Input) []verify.Finding {
	versions, err := in.Versions()
	if err != nil || !versions[0].AtLeast(1, 27) {
		return nil
	}
	var out []verify.Finding
	for _, d := range in.DaemonSets.Value {
		c, is := downstream.RunsCCM(d.Containers)
		on, err := c.Flags().Bool(component.EnableLeaderMigration, false)
		if !is || err != nil || !on || c.Flags().Last(component.LeaderMigrationConfig) != "" || downstream.DefaultUnsafe(c.Image) {
			continue
		}
		finding := verify.Warning(d.String(), c.Image+" with enable-leader-migration and without --leader-migration-config: from v1.28 on its service and route controllers have other names and do not wait for the migration lease",
			"the file, or no leader migration, before its image goes beyond v1.27",
			"run awsmigrate without --kubernetes-version and --keep-leader-migration: disable-leader-migration turns the flag off; or give the CCM --leader-migration-config with both families of controller names")
		if in.Target != "" && versions[1].AtLeast(1, 28) {
			finding.Status = verify.Fail
		}
		out = append(out, finding)
	}
	return out
}

// managersOf returns both sides, and a finding for each that is not visible.
func managersOf(in evidence.Input) ([]position.KCM, position.CCM, []verify.Finding) {
	var gaps []verify.Finding
	kcms, ok := in.ManagersInForce()
	if !ok {
		gaps = append(gaps, verify.Undecided("kube-controller-manager", "none could be seen"))
	}
	ccm := in.CCM()
	if ccm.Seen == position.Unseen {
		gaps = append(gaps, verify.Undecided(wellknown.CCM, ccm.Why))
	}
	for _, k := range kcms {
		if k.Mode == component.ModeUnknown {
			gaps = append(gaps, verify.Undecided("kube-controller-manager on "+k.Machine, k.Why))
		}
	}
	return kcms, ccm, gaps
}

func positionKnown(in evidence.Input) []verify.Finding {
	p := in.Position
	switch {
	case p.HandMade:
		return []verify.Finding{verify.Failure("cluster", p.Summary, "one of the positions P0 to P5", "")}
	case !p.Known():
		return []verify.Finding{verify.Undecided("cluster", p.Summary)}
	case p.Mixed:
		return []verify.Finding{verify.Warning("cluster", p.Summary, "one of the positions P0 to P5", "resume the run that is under way, or wait until Rancher has applied the last change")}
	}
	return []verify.Finding{verify.Notice("cluster", fmt.Sprintf("%s %s", p.Position, p.Summary))}
}
