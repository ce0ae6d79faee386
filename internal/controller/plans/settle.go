package plans

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
)

// Planned is what may be approved, or was.
type Planned struct {
	Hash     string // "": there is no plan
	InForce  *runner.WholePlan
	Ref      *v1alpha1.Reference
	TooLarge bool // no ConfigMap holds it
	// Altered: the text of the approved plan is not the one that was published.
	Altered bool
}

// Settle says which plan an approval of now would be one of, and publishes a new one. A plan
// that a run was begun by stays the one in force as long as what would be done is what is
// left of it. Any other is in force only if its text is, to the byte, what would be
// published now.
func (p Store) Settle(ctx context.Context, seen session.Assessment, approvedHash string) (Planned, error) {
	if !seen.Says.Pending() {
		return Planned{}, nil
	}
	now, err := documentOf(seen)
	if err != nil {
		return Planned{}, err
	}
	stored, err := p.load(ctx)
	if err != nil {
		return Planned{}, err
	}
	if approved := p.find(stored, approvedHash, seen.Target); begun(seen.Journal, approvedHash) && settled(approved, seen) {
		return Planned{Hash: approvedHash, InForce: approved, Ref: p.ref(stored, approvedHash)}, nil
	}
	stored, hash, err := p.publish(ctx, stored, now, approvedHash)
	if err != nil {
		return Planned{TooLarge: fault.HasReason(err, reasonPlanTooLarge)}, onlyOthers(err)
	}
	planned := Planned{Hash: hash, Ref: p.ref(stored, hash), Altered: altered(stored, approvedHash)}
	if hash == approvedHash {
		planned.InForce = p.find(stored, hash, seen.Target)
	}
	return planned, nil
}

// begun reports whether a run was begun by the plan of a hash.
func begun(state journal.State, hash string) bool {
	return hash != "" && slices.ContainsFunc(state.Approvals, func(a journal.Approval) bool { return a.Plan == hash })
}

// altered reports whether the text under a hash is not the one that was published.
func altered(stored *corev1.ConfigMap, hash string) bool {
	if _, plain := stored.Data[keyOf(hash)]; !plain {
		if _, binary := stored.BinaryData[keyOf(hash)+packed]; !binary {
			return false
		}
	}
	_, err := read(stored, keyOf(hash))
	return err != nil
}

// publish returns the hash of a plan, and writes it down if it is not there yet. Where its
// text was changed, a person may have approved the changed one: the next edition has
// another hash.
func (p Store) publish(ctx context.Context, stored *corev1.ConfigMap, doc document, approved string) (*corev1.ConfigMap, string, error) {
	text, hash, err := doc.published()
	for ; err == nil && altered(stored, hash); text, hash, err = doc.published() {
		doc.Edition++
	}
	if err != nil || p.find(stored, hash, doc.Target) != nil {
		return stored, hash, err
	}
	stored, err = p.add(ctx, stored, hash, text, approved)
	return stored, hash, err
}

const reasonPlanTooLarge = "PlanTooLarge"

// onlyOthers leaves out what the status has a reason for.
func onlyOthers(err error) error {
	if fault.HasReason(err, reasonPlanTooLarge) {
		return nil
	}
	return err
}

// settled says whether what would be done now is what is left of the approved plan.
func settled(approved *runner.WholePlan, now session.Assessment) bool {
	return approved != nil && approved.Allows(now.Plan) == nil
}

func (p Store) ref(stored *corev1.ConfigMap, hash string) *v1alpha1.Reference {
	key := keyOf(hash)
	if _, is := stored.BinaryData[key+packed]; is {
		key += packed
	}
	return &v1alpha1.Reference{Name: p.name(), Key: key}
}

// find returns the plan of a hash for a cluster, or nil if there is none whose text is what
// the hash covers.
func (p Store) find(stored *corev1.ConfigMap, hash string, target journal.Target) *runner.WholePlan {
	if hash == "" {
		return nil
	}
	doc, err := read(stored, keyOf(hash))
	if err != nil || doc.Target != target {
		return nil
	}
	doc.ApprovedAs = hash
	return &doc.WholePlan
}

// add writes a plan down and leaves out the oldest, but never the approved one.
func (p Store) add(ctx context.Context, stored *corev1.ConfigMap, hash string, text []byte, approved string) (*corev1.ConfigMap, error) {
	next := stored.DeepCopy()
	p.prune(next, keyOf(approved))
	if err := put(next, hash, text); err != nil {
		return stored, err
	}
	next.Data = ordered(next, keyOf(hash))
	if size := sizeOf(next); size > mostPlans {
		return stored, &fault.Error{Class: fault.Check, Reason: reasonPlanTooLarge, Object: p.object(), Seen: fmt.Sprintf("the plans have %d bytes", size), Wanted: fmt.Sprintf("at most %d", mostPlans)}
	}
	return p.write(ctx, stored, next)
}
