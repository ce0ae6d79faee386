package plans

import (
	"context"
	"fmt"
	"time"

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
}

// Settle says which plan an approval of now would be one of, and writes down a new one.
// The approved plan stays the one in force as long as what would be done is what is left
// of it.
func (p Store) Settle(ctx context.Context, seen session.Assessment, approvedHash string) (Planned, error) {
	hash, err := seen.Plan.Hash()
	if err != nil || !seen.Says.Pending() {
		return Planned{}, err
	}
	stored, err := p.load(ctx)
	if err != nil {
		return Planned{}, err
	}
	if approved := p.find(stored, approvedHash, seen.Target); settled(approved, seen) {
		return Planned{Hash: approvedHash, InForce: approved, Ref: p.ref(stored, approvedHash)}, nil
	}
	if p.find(stored, hash, seen.Target) == nil {
		if stored, err = p.add(ctx, stored, document{APIVersion: "awsmigrate.io/v1", Kind: "Plan", Target: seen.Target, Hash: hash, Made: p.Now().UTC().Truncate(time.Second), WholePlan: seen.Plan}, approvedHash); err != nil {
			return Planned{TooLarge: fault.HasReason(err, reasonPlanTooLarge)}, onlyOthers(err)
		}
	}
	now := Planned{Hash: hash, Ref: p.ref(stored, hash)}
	if hash == approvedHash {
		now.InForce = p.find(stored, hash, seen.Target)
	}
	return now, nil
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

// find is the plan of a hash, of which somebody may have changed a character; nil: there
// is none that is what its hash says, for this cluster.
func (p Store) find(stored *corev1.ConfigMap, hash string, target journal.Target) *runner.WholePlan {
	if hash == "" {
		return nil
	}
	doc, err := read(stored, keyOf(hash))
	if err != nil || doc.Target != target {
		return nil
	}
	if is, err := doc.WholePlan.Hash(); err != nil || is != hash {
		return nil
	}
	return &doc.WholePlan
}

// add writes a plan down and leaves out the oldest, but never the approved one.
func (p Store) add(ctx context.Context, stored *corev1.ConfigMap, doc document, approved string) (*corev1.ConfigMap, error) {
	next := stored.DeepCopy()
	p.prune(next, keyOf(approved))
	if err := put(next, doc); err != nil {
		return stored, err
	}
	if size := sizeOf(next); size > mostPlans {
		return stored, &fault.Error{Class: fault.Check, Reason: reasonPlanTooLarge, Object: p.object(), Seen: fmt.Sprintf("the plans have %d bytes", size), Wanted: fmt.Sprintf("at most %d", mostPlans)}
	}
	return p.write(ctx, stored, next)
}
