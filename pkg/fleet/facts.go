package fleet

import (
	"time"
)

// Facts holds the readings of one cluster at one time. Callers must not decide on partial
// Facts.
type Facts struct {
	Now time.Time
	// AuditsOnly reports whether this installation only audits and guards.
	AuditsOnly bool
	// Outdated reports whether the served CRD may drop fields: it is older than this awsmigrate,
	// or unknown.
	Outdated bool
	// Gone reports whether the cluster does not exist or is being deleted.
	Gone bool
	// Locked names another holder of the cluster's lock, for people, or is empty.
	Locked string
	// PausedRollout describes the paused rollout, while the cluster is still paused, or is
	// empty.
	PausedRollout string
	// Refused names an unsupported setting of the object, and the fix, or is
	// empty.
	Refused string
	// Failed is the error of the last run that needs a person, or empty.
	Failed string
	// Awaited is the edit that the last run handed off to the owner of the Cluster, or empty.
	Awaited string
	// Withdrawn names the changed fields of the object that ended the last block early, or is
	// empty.
	Withdrawn string
	// NotBefore is the time of the next try after a transient failure, which Passing describes.
	NotBefore time.Time
	Passing   string
	// Crashed reports whether the last three runs died within an hour, and no retry was
	// requested.
	Crashed bool
	// Rolling reports whether an earlier run has begun something that was not seen completed, and
	// that Rancher may still carry out.
	Rolling bool
	// Reverted reports whether a foreign writer has undone the edits. RevertedBy names it if
	// known.
	Reverted   bool
	RevertedBy string
	// Reached reports whether the goal is reached.
	Reached bool
	// Plan is the current plan.
	Plan Plan
	// Held says why a rollout keeps the next block from beginning, or is empty. HeldUntil is when
	// that may change without an event, or zero.
	Held      string
	HeldUntil time.Time
	// RancherMoves says why Rancher itself is not at rest, or is empty.
	RancherMoves string
	// Full reports whether the limit of concurrent runs is reached.
	Full bool
	// Failing is the number of checks that failed in the last audit. Audited reports whether
	// there was an audit, at a reached goal one made there. Unaudited says why it could not be
	// made, or is empty.
	Failing   int
	Audited   bool
	Unaudited string
}

// Plan holds the parts of the current plan that a decision needs.
type Plan struct {
	Hash string
	// TooLarge reports whether the plan fits into no ConfigMap, so that it cannot be approved.
	TooLarge bool
	// Altered reports whether the text of the approved plan was changed since it was published.
	Altered bool
	// Restored reports whether the plan's journal counts less than the cluster.
	Restored bool
	// Next is the planned time of the next block.
	Next time.Duration
	// Begun reports whether a step of that block was run already. Then the rest follows outside
	// windows too.
	Begun bool
	// AtUntil reports whether the step of spec.until was run.
	AtUntil bool
}
