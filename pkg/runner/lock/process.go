package lock

// Place is where a process id and a start tick mean one process and no other.
// The zero value is a place that is not known.
type Place struct {
	Boot  string `json:"boot,omitempty"`  // id of the boot of the kernel
	PIDs  string `json:"pids,omitempty"`  // namespace of process ids
	Times string `json:"times,omitempty"` // namespace of clocks, in which ticks are told; empty before Linux 5.6
}

// known says whether p is a place at all: the one thing that two processes
// must not agree about is that neither knows where it is.
func (p Place) known() bool { return p.Boot != "" && p.PIDs != "" }

// Processes is the process table that this process sees.
type Processes interface {
	// Self is where this process lives and the tick of its start; zero values
	// where that cannot be told beyond doubt.
	Self() (at Place, start uint64)
	// Alive says whether the process pid that began at tick start, in the place
	// that Self names, may still act. known is false in every doubt; then alive
	// is true.
	Alive(pid int, start uint64) (alive, known bool)
}

// ProvenDead says whether the owner of a lock is certain to be gone, whatever
// its Lease says: it lived where we live, and is not there any more. The host
// name is compared too, because a machine that is cloned while it runs keeps
// its boot id. Clones of one name look the same: the lock asks a Witness first.
// No proof is no verdict: such an owner has to be watched.
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
