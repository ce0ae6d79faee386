package rke2

import (
	"fmt"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// newUndoSwitch makes every component in-tree again, the kube-controller-managers
// with the flag: one that starts without it runs the controllers beside the CCM.
// No restart is demanded, as it is forwards: an edit that is taken back before
// Rancher has reached a machine changes nothing there.
func newUndoSwitch(b base) *undoEdit {
	s := &undoEdit{base: b, of: StepSwitch, wait: "every machine to run with the in-tree provider",
		compute: takeBack(StepSwitch, config.SwitchBack)}
	s.edit.compute = s.compute
	s.allowed = migration.Snapshot.MayComeBack
	s.open = func(r *roll, seen migration.Snapshot) {
		for _, k := range seen.Reading.KCMs {
			switch {
			case !k.Ready:
				r.Wait("%s is not Ready", k.Name())
			case k.Provider() == position.External:
				r.Wait("%s is external still", k.Name())
			case !k.Flagged():
				r.Wait("%s has no flag", k.Name())
			}
		}
		for _, m := range seen.Reading.Members {
			if m.Lacks == "" {
				r.Wait("%s runs with the external provider still", m.Name)
				continue
			}
			r.Done++
		}
		owner := seen.Reading.LeaseVerdict()
		if owner.Owner == lease.Nobody || owner.Life != lease.Alive {
			r.Wait("migration lease: %s, %s", owner.Owner, owner.Life)
		}
		r.Evidence = []string{
			fmt.Sprintf("%d of %d machines run with the in-tree provider, every kube-controller-manager with the flag", r.Done, r.Total),
			fmt.Sprintf("migration lease: %s (%s), renewing", lease.Host(owner.Holder), owner.Owner),
		}
	}
	return s
}

// newUndoEnable takes the flag away, once nothing but kube-controller-managers can
// run the controllers.
func newUndoEnable(b base) *undoEdit {
	s := &undoEdit{base: b, of: StepEnable, wait: "every control plane to run without the flag",
		compute: takeBack(StepEnable, config.DisableLeaderMigration)}
	s.edit.compute = s.compute
	s.allowed = migration.Snapshot.RequireNoCCM
	s.open = func(r *roll, seen migration.Snapshot) {
		for _, k := range seen.Reading.KCMs {
			switch {
			case !k.Ready:
				r.Wait("%s is not Ready", k.Name())
			case k.Flagged():
				r.Wait("%s has the flag still", k.Name())
			default:
				r.Done++
			}
		}
		r.Total = seen.Reading.Planes()
		main := lease.JudgeMain(seen.Reading.Leases.KCM, seen.Reading.RenewDeadline())
		if main.Life != lease.Alive {
			r.Wait("Lease kube-system/kube-controller-manager: %s", main.Life)
		}
		r.Evidence = []string{fmt.Sprintf("%d of %d control planes run without enable-leader-migration", r.Done, r.Total),
			"kube-controller-manager leads: " + lease.Host(main.Holder)}
	}
	return s
}
