// Package verify is the read-only half of awsmigrate: checks as data, their verdicts, the
// ProviderID audit and the lease verdicts.
//
// It must not write, and imports no package that writes. A check takes no client: it judges a
// value that was read earlier.
package verify

import (
	"slices"

	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Status is the result of a check.
type Status string

const (
	// OK means that the check ran and found its title true.
	OK Status = "ok"
	// Warn means that the check found something that the user should know.
	Warn Status = "warn"
	// Fail means that the check found a defect to fix before the migration.
	Fail Status = "fail"
	// Skip means that the check does not apply; Reason holds the cause.
	Skip Status = "skip"
	// Unknown means that evidence is missing. It blocks like Fail, under another exit code.
	Unknown Status = "unknown"
	// Pending means that the check found a defect in what a running step changes. It blocks
	// nothing: after the step it is judged again.
	Pending Status = "pending"
)

// Meta describes a check without a cluster: its documentation, and where and when it runs. IDs
// are stable and never reused.
type Meta struct {
	ID       string `json:"id"`       // "AWSM-201"
	Title    string `json:"title"`    // "kube-controller-manager may use the migration lease"
	Category string `json:"category"` // "cluster", "leader migration", "nodes", "aws", "storage, images", "ccm", "rke", "services"
	Why      string `json:"why"`      // whose cluster breaks, and how
	Source   string `json:"source"`   // upstream document or code, with version
	Fix      string `json:"fix"`      // general remedy; a finding may name a sharper one

	Mandatory    bool `json:"notSkippable,omitempty"`
	DecidesNames bool `json:"decidesNames,omitempty"` // unknown, never skip, without its evidence

	// Applies holds the positions at which the check runs, or is empty for all positions.
	Applies []position.Position `json:"-"`
	// NotFor holds the distributions whose own checks answer the question, from better evidence
	// than the API has.
	NotFor []wellknown.Distribution `json:"-"`
	// NeedsControlPlane marks a check without meaning for a hosted control plane. A check that
	// applies at certain positions always needs the control plane.
	NeedsControlPlane bool `json:"-"`
	// LiveOnly marks a check that cannot be repeated on a bundle: it judges actions that were tried on the
	// cluster, or whole texts that may hold secrets. A bundle keeps its findings.
	LiveOnly bool `json:"-"`
	// BeforeHandover marks a check that runs again right before a step that changes which process
	// runs the cloud controllers. It judges only what kube.ReadManagers reads.
	BeforeHandover bool `json:"-"`
	// AfterHandover marks the check that the step of the hand-over anticipates: if the user skips the
	// check, a change of a load balancer does not stop the step.
	AfterHandover bool `json:"-"`
	// Unsupported marks a check whose failure rules out a migration of this cluster, whatever else
	// is fixed. It runs before a run leaves any trace.
	Unsupported bool `json:"-"`
	// Urgent marks a check whose finding gets worse with time. If several checks fail, it is
	// reported first.
	Urgent bool `json:"-"`
	// Subjects holds what the check judges of the parts that steps of a migration change.
	Subjects []Subject `json:"-"`
	// NoPlan marks a check whose failure invalidates every edit that is computed without the
	// cluster, as Unsupported does.
	NoPlan bool `json:"-"`
}

// Variant holds what one distribution contributes to a shared check: the reasons and the remedy
// in its own terms, and where and when it runs the check. Whether a check decides safety belongs
// to the question, and is the same for all distributions.
type Variant struct {
	Why, Source, Fix string

	Applies               []position.Position
	LiveOnly, Unsupported bool
}

// Vary returns the shared check with the contributions of v's distribution.
func (m Meta) Vary(v Variant) Meta {
	m.Why, m.Source, m.Fix = v.Why, v.Source, v.Fix
	m.Applies, m.LiveOnly, m.Unsupported = v.Applies, v.LiveOnly, v.Unsupported
	return m
}

// Skippable reports whether a user may skip the check, with a reason.
func (m Meta) Skippable() bool { return !m.Mandatory && !m.DecidesNames }

// Finding is a judgement of one object.
type Finding struct {
	Status Status `json:"status"`
	Object string `json:"object,omitempty"`
	Seen   string `json:"seen,omitempty"`
	Wanted string `json:"wanted,omitempty"`
	Fix    string `json:"fix,omitempty"`
	Reason string `json:"reason,omitempty"` // for Skip and Unknown
}

// Check judges a T. A check without findings is OK.
type Check[T any] struct {
	Meta
	Judge func(T) []Finding
	// Release judges a T on one release of its distribution, as an upgrade brings it there after
	// the migration. It is nil if the answer does not depend on the release.
	Release func(of T, release string) []Finding
}

// Bound is a check together with the value that it judges.
type Bound struct {
	Meta
	judge   func() []Finding
	release func(release string) []Finding // or nil
}

// JudgesReleases reports whether the answer depends on the release.
func (b Bound) JudgesReleases() bool { return b.release != nil }

// ReleaseIDs returns the IDs of the checks whose answers depend on the release.
func ReleaseIDs[T any](checks ...Check[T]) []string {
	var ids []string
	for _, c := range checks {
		if c.Release != nil {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

// OnRelease returns the findings on one release, or none if the answer does not depend on it.
func (b Bound) OnRelease(release string) []Finding {
	if b.release == nil {
		return nil
	}
	return judgeSafely(Bound{Meta: b.Meta, judge: func() []Finding { return b.release(release) }})
}

// Bind binds checks to the value that they judge.
func Bind[T any](facts T, checks ...Check[T]) []Bound {
	bound := make([]Bound, 0, len(checks))
	for _, c := range checks {
		one := Bound{Meta: c.Meta, judge: func() []Finding { return c.Judge(facts) }}
		if c.Release != nil {
			one.release = func(release string) []Finding { return c.Release(facts, release) }
		}
		bound = append(bound, one)
	}
	return bound
}

// Merge returns the checks with each ID once. If two sides answer one question, the check
// has the Meta of the first and the findings of both, so that neither hides the other.
func Merge(checks []Bound) []Bound {
	var merged []Bound
	index := map[string]int{}
	for _, c := range checks {
		i, asked := index[c.ID]
		if !asked {
			index[c.ID] = len(merged)
			merged = append(merged, c)
			continue
		}
		first := merged[i].judge
		merged[i].judge = func() []Finding { return joinFindings(first(), c.judge()) }
		if merged[i].release == nil {
			merged[i].release = c.release
		}
	}
	return merged
}

// joinFindings returns the findings of both sides, or of one if the other skips.
func joinFindings(a, b []Finding) []Finding {
	switch {
	case worst(b) == Skip:
		return a
	case worst(a) == Skip:
		return b
	}
	return slices.Concat(a, b)
}

// Read holds a value that was read, or the error of reading it. The zero value means that no read
// was tried.
type Read[T any] struct {
	Value  T
	Err    error
	Looked bool
}

// Got returns a successful reading.
func Got[T any](v T) Read[T] { return Read[T]{Value: v, Looked: true} }

// Failed returns a failed reading.
func Failed[T any](err error) Read[T] { return Read[T]{Err: err, Looked: true} }

// ReadOf returns the reading that a function's value and error describe.
func ReadOf[T any](v T, err error) Read[T] {
	if err != nil {
		return Failed[T](err)
	}
	return Got(v)
}

// OK reports whether there is a value.
func (r Read[T]) OK() bool { return r.Looked && r.Err == nil }
