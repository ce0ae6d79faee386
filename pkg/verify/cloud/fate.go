package cloud

import (
	"slices"
	"strings"
)

// Fate is what EC2 says became of an instance.
type Fate string

// Fates. The zero value: EC2 was not asked, or did not say.
const (
	Runs    Fate = "runs"
	Stopped Fate = "stopped"
	Gone    Fate = "gone" // terminated, or no longer known to EC2
)

// Fate returns what became of the instance of a ProviderID's zone and id. An instance
// that EC2 does not show is gone only if EC2 was asked for it where others of the
// cluster were found: credentials of another account see none of them.
func (f Facts) Fate(zone, id string) Fate {
	if !f.On || !f.Instances.OK() {
		return ""
	}
	if i, ok := f.Instances.Value[id]; ok {
		return i.fate()
	}
	if at := slices.IndexFunc(f.Unclaimed.Value, func(i Instance) bool { return i.ID == id }); at >= 0 {
		return f.Unclaimed.Value[at].fate()
	}
	region := RegionOf(zone)
	asked := region != "" && slices.Contains(strings.Split(f.Region, ", "), region)
	if !asked || len(f.Instances.Value) == 0 || f.MissedIn(zone) != "" {
		return ""
	}
	return Gone
}

func (i Instance) fate() Fate {
	switch i.State {
	case "running", "pending":
		return Runs
	case "stopped", "stopping":
		return Stopped
	case "terminated", "shutting-down":
		return Gone
	}
	return ""
}
