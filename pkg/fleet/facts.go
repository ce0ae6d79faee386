package fleet

import (
	"time"
)

// Facts are what is known of one cluster at one time. What could not be read is for the
// caller: nothing is decided on half of it.
type Facts struct {
	Now time.Time
	// AuditsOnly: this installation writes nothing but what a guard does.
	AuditsOnly bool
	// Outdated: the served definition is older than this awsmigrate or not known, and may drop fields.
	Outdated bool
	// Gone: there is no Cluster of that name, or it is being deleted.
	Gone bool
	// Locked is who holds the cluster, for people; "": nobody else.
	Locked string
	// Braked is what the brake has stopped, and the cluster is still paused for it; "": nothing.
	Braked string
	// Refused says what this installation does not do for this object, and what to change;
	// empty if it does all.
	Refused string
	// Failed is what ended the last run, which waits for somebody; "": nothing.
	Failed string
	// Awaited is the edit that the last run left to whoever keeps the Cluster; "": none.
	Awaited string
	// Withdrawn says which fields of the object changed in the middle of the last block of
	// steps and ended it there; empty if none did.
	Withdrawn string
	// NotBefore is when what failed and may pass by itself is tried again, and Passing what
	// that was.
	NotBefore time.Time
	Passing   string
	// Crashed: the last three runs died within an hour, and nobody has asked for another try.
	Crashed bool
	// Rolling: an earlier run has begun something that no run has seen to its end, and that
	// Rancher may still carry out.
	Rolling bool
	// Reverted: somebody has put back what was done; by whom, as far as is known.
	Reverted   bool
	RevertedBy string
	// Reached: the goal is.
	Reached bool
	// Plan is what would be done now.
	Plan Plan
	// RancherMoves is why Rancher itself is not at rest; "": it is.
	RancherMoves string
	// Full: as many runs as may be are under way.
	Full bool
	// Failing is how many checks of the last audit failed; Audited: there was one.
	Failing int
	Audited bool
}

// Plan is what would be done now, as far as a decision needs it.
type Plan struct {
	Hash string
	// TooLarge: no ConfigMap holds it, so that nobody can approve it.
	TooLarge bool
	// Altered reports whether the text of the approved plan was changed since it was published.
	Altered bool
	// Restored: it is made on a journal that counts less than the cluster.
	Restored bool
	// Next is how long the next block is planned to take.
	Next time.Duration
	// Begun: a step of that block was taken already, so that its rest follows whatever
	// the window says.
	Begun bool
	// AtUntil: the step of spec.until was taken.
	AtUntil bool
}
