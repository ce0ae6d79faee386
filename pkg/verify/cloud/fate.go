package cloud

import (
	"slices"
	"strings"
)

// Fate is the state of an instance in EC2.
type Fate string

// The fates. The zero value means that the state is not known.
const (
	Runs    Fate = "runs"
	Stopped Fate = "stopped"
	Gone    Fate = "gone" // terminated, or no longer known to EC2
)

// Fate returns the state of the instance with a ProviderID's zone and ID. An instance that EC2 does
// not return counts as gone only if its region was read and other instances of the cluster were
// found: credentials of another account see none of them.
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
