package lock

// Place is the scope in which a process ID and a start tick identify one process. The zero value
// means that it is unknown.
type Place struct {
	Boot  string `json:"boot,omitempty"`  // ID of the kernel's boot
	PIDs  string `json:"pids,omitempty"`  // namespace of process IDs
	Times string `json:"times,omitempty"` // time namespace, which shifts ticks; empty before Linux 5.6
}

// known reports whether p is set. Two unset places must not count as equal.
func (p Place) known() bool { return p.Boot != "" && p.PIDs != "" }

// Processes reads the process table of this process.
type Processes interface {
	// Self returns the place of this process and the tick of its start, or zero values in any
	// doubt.
	Self() (at Place, start uint64)
	// Alive reports whether the process pid that started at tick start may still act; its place
	// is the one that Self returns. In any doubt known is false and alive is true.
	Alive(pid int, start uint64) (alive, known bool)
}

// ProvenDead reports whether the owner of a lock has certainly ended, regardless of its Lease: it
// ran in this process's place and is no longer there. ProvenDead compares the host name too,
// because a machine that is cloned while it runs keeps its boot ID. Clones may share the host
// name as well, so the lock asks a Witness first. If the death is not proven, the owner must be
// watched.
func ProvenDead(owner, ours Owner, table Processes) bool {
	if table == nil || !owner.Place.known() || owner.Tick == 0 || owner.PID <= 0 || owner.Host != ours.Host {
		return false
	}
	if here, _ := table.Self(); here != owner.Place {
		return false
	}
	alive, known := table.Alive(owner.PID, owner.Tick)
	return known && !alive
}
