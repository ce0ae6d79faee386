// Package verify is the read-only half of awsmigrate: checks as data, the
// verdicts they give, the ProviderID audit and the lease verdicts.
//
// It may not write, and imports nothing that writes. What a check judges is a
// value that was read before: a check takes no client.
package verify

import (
	"slices"

	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Status is the result of a check.
type Status string

const (
	// OK looked, and it is as wanted.
	OK Status = "ok"
	// Warn looked, and somebody should know.
	Warn Status = "warn"
	// Fail looked, and it must be mended first.
	Fail Status = "fail"
	// Skip does not apply; Reason says why.
	Skip Status = "skip"
	// Unknown could not look. It blocks like Fail, under another exit code.
	Unknown Status = "unknown"
)

// Of is a check's title beside a result. A title says what ought to be; where it is not
// so, or nobody knows, a word before it says that.
func (s Status) Of(title string) string {
	switch s {
	case Fail:
		return "failed: " + title
	case Unknown:
		return "unknown: " + title
	case Warn:
		return "warning: " + title
	case OK, Skip:
	}
	return title
}

// Meta is all that is known of a check without a cluster: what a document says of
// it, and where and when it is made. IDs are stable and never used again for another
// check.
type Meta struct {
	ID       string `json:"id"`       // "AWSM-201"
	Title    string `json:"title"`    // "kube-controller-manager may use the migration lease"
	Category string `json:"category"` // "cluster", "leader migration", "nodes", "aws", "storage, images", "ccm", "rke", "services"
	Why      string `json:"why"`      // whose cluster breaks, and how
	Source   string `json:"source"`   // upstream document or code, with version
	Fix      string `json:"fix"`      // general remedy; a finding may name a sharper one

	Mandatory    bool `json:"notSkippable,omitempty"`
	DecidesNames bool `json:"decidesNames,omitempty"` // unknown, never skip, without its evidence

	// Applies are the positions at which it is made; empty: everywhere.
	Applies []position.Position `json:"-"`
	// NotFor are the distributions whose own checks answer the question, by evidence
	// that is better or that the API does not have.
	NotFor []wellknown.Distribution `json:"-"`
	// NeedsControlPlane: it says nothing of a cluster whose control plane is hosted
	// elsewhere. One that applies at certain positions only needs it anyway.
	NeedsControlPlane bool `json:"-"`
	// LiveOnly: of a bundle it cannot be made anew, since it judges what was tried on
	// the cluster, or whole texts in which any secret may be. Its findings are kept.
	LiveOnly bool `json:"-"`
	// BeforeHandover: made once more right before a step that changes who runs the
	// cloud controllers. It judges nothing but what kube.ReadManagers reads.
	BeforeHandover bool `json:"-"`
	// Unsupported: where it fails, the cluster cannot be migrated as it is, whatever
	// else is put right. Asked before a run leaves any trace.
	Unsupported bool `json:"-"`
	// Urgent: what it finds gets worse while somebody waits. Where several fail, it is
	// the one to read first.
	Urgent bool `json:"-"`
	// NoPlan: where it fails, no edit that is computed without the cluster is right, as
	// where it is Unsupported.
	NoPlan bool `json:"-"`
}

// Variant holds what one distribution gives a check that several make: its reasons and
// remedy in its own terms, and where and when it makes the check. Whether a check decides
// safety belongs to its question, and is the same for all.
type Variant struct {
	Why, Source, Fix string

	Applies               []position.Position
	LiveOnly, Unsupported bool
}

// Vary returns the check of a shared question as the distribution of v makes it.
func (m Meta) Vary(v Variant) Meta {
	m.Why, m.Source, m.Fix = v.Why, v.Source, v.Fix
	m.Applies, m.LiveOnly, m.Unsupported = v.Applies, v.LiveOnly, v.Unsupported
	return m
}

// Skippable says whether somebody may leave the check out, with a reason.
func (m Meta) Skippable() bool { return !m.Mandatory && !m.DecidesNames }

// Finding is one judgement about one object.
type Finding struct {
	Status Status `json:"status"`
	Object string `json:"object,omitempty"`
	Seen   string `json:"seen,omitempty"`
	Wanted string `json:"wanted,omitempty"`
	Fix    string `json:"fix,omitempty"`
	Reason string `json:"reason,omitempty"` // for Skip and Unknown
}

// Check judges a T. A check without findings is ok.
type Check[T any] struct {
	Meta
	Judge func(T) []Finding
}

// Bound is a check together with what it judges.
type Bound struct {
	Meta
	judge func() []Finding
}

// Bind ties checks to the value they judge.
func Bind[T any](facts T, checks ...Check[T]) []Bound {
	bound := make([]Bound, 0, len(checks))
	for _, c := range checks {
		bound = append(bound, Bound{Meta: c.Meta, judge: func() []Finding { return c.Judge(facts) }})
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
	}
	return merged
}

// joinFindings returns the findings of two sides, without those of one that skips.
func joinFindings(a, b []Finding) []Finding {
	switch {
	case worst(b) == Skip:
		return a
	case worst(a) == Skip:
		return b
	}
	return slices.Concat(a, b)
}

// Read is something that was read, or why it could not be. The zero value
// means that nobody looked.
type Read[T any] struct {
	Value  T
	Err    error
	Looked bool
}

// Got is a successful reading.
func Got[T any](v T) Read[T] { return Read[T]{Value: v, Looked: true} }

// Failed is a reading that could not be had.
func Failed[T any](err error) Read[T] { return Read[T]{Err: err, Looked: true} }

// ReadOf is the reading that a function made which gives a value or an error.
func ReadOf[T any](v T, err error) Read[T] {
	if err != nil {
		return Failed[T](err)
	}
	return Got(v)
}

// OK says whether there is a value.
func (r Read[T]) OK() bool { return r.Looked && r.Err == nil }
