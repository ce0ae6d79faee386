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

// Planned describes the plan that can be approved or is approved.
type Planned struct {
	Hash     string // empty if there is no plan
	InForce  *runner.WholePlan
	Ref      *v1alpha1.Reference
	TooLarge bool // no ConfigMap can hold it
	// Altered reports whether the text of the approved plan differs from the published one.
	Altered bool
}

// Settle returns the plan that an approval would refer to now, and publishes it if it is new. A
// plan with which a run was started stays in force while it covers the remaining changes. Any
// other plan is in force only if its text equals, byte for byte, what would be published now.
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
	if approved := p.find(stored, approvedHash, seen.Target); begun(seen.Journal, approvedHash) && allowsRest(approved, seen) {
		return Planned{Hash: approvedHash, InForce: approved, Ref: p.ref(stored, approvedHash)}, nil
	}
	stored, hash, err := p.publish(ctx, stored, now, approvedHash)
	if err != nil {
		return Planned{TooLarge: fault.HasReason(err, reasonPlanTooLarge)}, ignoreTooLarge(err)
	}
	planned := Planned{Hash: hash, Ref: p.ref(stored, hash), Altered: altered(stored, approvedHash)}
	if hash == approvedHash {
		planned.InForce = p.find(stored, hash, seen.Target)
	}
	return planned, nil
}

// begun reports whether a run was started with the plan of this hash.
func begun(state journal.State, hash string) bool {
	return hash != "" && slices.ContainsFunc(state.Approvals, func(a journal.Approval) bool { return a.Plan == hash })
}

// altered reports whether the text under a hash differs from the published one.
func altered(stored *corev1.ConfigMap, hash string) bool {
	if _, plain := stored.Data[keyOf(hash)]; !plain {
		if _, binary := stored.BinaryData[keyOf(hash)+packedSuffix]; !binary {
			return false
		}
	}
	_, err := read(stored, keyOf(hash))
	return err != nil
}

// publish returns the hash of a plan, and stores the plan if it is missing. If the stored text
// was altered, a person may have approved the altered text, so publish stores the next edition
// under another hash.
func (p Store) publish(ctx context.Context, stored *corev1.ConfigMap, doc document, approved string) (*corev1.ConfigMap, string, error) {
	text, hash, err := doc.encode()
	for ; err == nil && altered(stored, hash); text, hash, err = doc.encode() {
		doc.Edition++
	}
	if err != nil || p.find(stored, hash, doc.Target) != nil {
		return stored, hash, err
	}
	stored, err = p.add(ctx, stored, hash, text, approved)
	return stored, hash, err
}

const reasonPlanTooLarge = "PlanTooLarge"

// ignoreTooLarge removes the error for which the status has its own reason.
func ignoreTooLarge(err error) error {
	if fault.HasReason(err, reasonPlanTooLarge) {
		return nil
	}
	return err
}

// allowsRest reports whether the current changes are the remaining part of the approved plan.
func allowsRest(approved *runner.WholePlan, now session.Assessment) bool {
	return approved != nil && approved.Allows(now.Plan) == nil
}

func (p Store) ref(stored *corev1.ConfigMap, hash string) *v1alpha1.Reference {
	key := keyOf(hash)
	if _, is := stored.BinaryData[key+packedSuffix]; is {
		key += packedSuffix
	}
	return &v1alpha1.Reference{Name: p.name(), Key: key}
}

// find returns the plan of a hash for a cluster, or nil if none has a text that matches the hash.
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

// add stores a plan and removes the oldest, but never the approved one.
func (p Store) add(ctx context.Context, stored *corev1.ConfigMap, hash string, text []byte, approved string) (*corev1.ConfigMap, error) {
	next := stored.DeepCopy()
	p.prune(next, keyOf(approved))
	if err := put(next, hash, text); err != nil {
		return stored, err
	}
	next.Data = orderedData(next, keyOf(hash))
	if size := sizeOf(next); size > maxPlansSize {
		return stored, &fault.Error{Class: fault.Check, Reason: reasonPlanTooLarge, Object: p.object(), Seen: fmt.Sprintf("the plans have %d bytes", size), Wanted: fmt.Sprintf("at most %d", maxPlansSize)}
	}
	return p.write(ctx, stored, next)
}
