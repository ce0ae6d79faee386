package status

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
)

// Lengths in characters, and of lists, as the schema of a status has them.
const (
	longMessage  = 512
	shortMessage = 256 // of a condition; the whole is in display
	wordLength   = 64
	hashLength   = 71
	nameLength   = 253
	stepsLength  = 16
	failsLength  = 12
	runsLength   = 10
)

// Fit cuts a status to what its schema takes and to v1alpha1.StatusLimit bytes: texts by
// characters, lists with the number of what is missing, of the runs the oldest. Texts of
// others become one line without control characters.
func Fit(s *v1alpha1.ClusterMigrationStatus) {
	s.Position = word(s.Position, 16)
	fitPlan(s.Plan)
	fitRun(s.Run)
	fitAudit(s.Audit)
	if h := s.Handoff; h != nil {
		h.Step, h.Owner = word(h.Step, wordLength), prose(h.Owner, 128)
		fitReference(h.Ref)
	}
	if f := s.Failure; f != nil {
		f.Reason, f.Object, f.Seen = word(f.Reason, wordLength), prose(f.Object, shortMessage), prose(f.Seen, longMessage)
		f.Wanted, f.Fix = prose(f.Wanted, shortMessage), prose(f.Fix, longMessage)
	}
	s.History = s.History[:min(len(s.History), runsLength)]
	for i := range s.History {
		fitPastRun(&s.History[i])
	}
	if d := s.Display; d != nil {
		d.State, d.Message = word(d.State, 32), prose(d.Message, longMessage)
	}
	s.Conditions = fitConditions(s.Conditions)
}

func fitPlan(p *v1alpha1.Plan) {
	if p == nil {
		return
	}
	p.Hash, p.Version = word(p.Hash, hashLength), word(p.Version, wordLength)
	fitReference(p.Ref)
	if missing := len(p.Steps) - stepsLength; missing > 0 {
		p.Steps, p.More = p.Steps[:stepsLength], p.More+int64(missing)
	}
	for i := range p.Steps {
		step := &p.Steps[i]
		step.ID, step.State, step.Summary = word(step.ID, wordLength), word(step.State, 32), prose(step.Summary, 160)
	}
}

func fitRun(r *v1alpha1.Run) {
	if r == nil {
		return
	}
	r.ID, r.Direction = word(r.ID, wordLength), word(r.Direction, 16)
	if step := r.Step; step != nil {
		step.ID, step.WaitingFor, step.Seen = word(step.ID, wordLength), prose(step.WaitingFor, shortMessage), prose(step.Seen, shortMessage)
	}
}

func fitAudit(a *v1alpha1.Audit) {
	if a == nil {
		return
	}
	if missing := len(a.Failing) - failsLength; missing > 0 {
		a.Failing, a.More = a.Failing[:failsLength], a.More+int64(missing)
	}
	for i := range a.Failing {
		check := &a.Failing[i]
		check.ID, check.Title, check.Object = word(check.ID, 8), prose(check.Title, 96), prose(check.Object, 160)
	}
}

func fitReference(r *v1alpha1.Reference) {
	if r != nil {
		r.Name, r.Key = word(r.Name, nameLength), word(r.Key, nameLength)
	}
}

func fitPastRun(r *v1alpha1.PastRun) {
	r.ID, r.Direction, r.Result = word(r.ID, wordLength), word(r.Direction, 16), word(r.Result, wordLength)
	r.Plan, r.Version = word(r.Plan, hashLength), word(r.Version, wordLength)
}

// fitConditions are those that Conditions makes.
func fitConditions(all []metav1.Condition) []metav1.Condition {
	ours := []string{v1alpha1.ConditionReady, v1alpha1.ConditionReconciling, v1alpha1.ConditionStalled, v1alpha1.ConditionOwnerAgrees}
	var kept []metav1.Condition
	for _, c := range all {
		if i := slices.Index(ours, c.Type); i >= 0 {
			ours = slices.Delete(ours, i, i+1) // each once
			c.Reason, c.Message = word(c.Reason, wordLength), prose(c.Message, shortMessage)
			kept = append(kept, c)
		}
	}
	return kept
}
