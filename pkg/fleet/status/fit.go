package status

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
)

// Maximum lengths in characters, and of lists, as in the schema of a status.
const (
	maxMessage          = 512
	maxConditionMessage = 256 // of a condition; display has the full text
	maxWord             = 64
	maxHash             = 71
	maxName             = 253
	maxSteps            = 16
	maxFails            = 12
	maxRuns             = 10
)

// Fit cuts a status to its schema and to v1alpha1.StatusLimit bytes. It cuts texts by characters,
// counts the removed list items, and removes the oldest runs first. Foreign texts become one line
// without control characters.
func Fit(s *v1alpha1.ClusterMigrationStatus) {
	s.DisplayName, s.Position = prose(s.DisplayName, maxName), word(s.Position, 16)
	fitPlan(s.Plan)
	fitRun(s.Run)
	fitAudit(s.Audit)
	if h := s.Handoff; h != nil {
		h.Step, h.Owner = word(h.Step, maxWord), prose(h.Owner, 128)
		fitReference(h.Ref)
	}
	if f := s.Failure; f != nil {
		f.Reason, f.Object, f.Seen = word(f.Reason, maxWord), prose(f.Object, maxConditionMessage), prose(f.Seen, maxMessage)
		f.Wanted, f.Fix = prose(f.Wanted, maxConditionMessage), prose(f.Fix, maxMessage)
	}
	s.History = s.History[:min(len(s.History), maxRuns)]
	for i := range s.History {
		fitPastRun(&s.History[i])
	}
	if d := s.Display; d != nil {
		d.State, d.Message = word(d.State, 32), prose(d.Message, maxMessage)
	}
	s.Conditions = fitConditions(s.Conditions)
}

// maxNotes is the maximum number of notes of a rollout.
const maxNotes = 50

// FitRollout cuts the status of a rollout to its schema and to v1alpha1.StatusLimit bytes. It removes the
// last notes first, and counts them.
func FitRollout(s *v1alpha1.MigrationRolloutStatus) {
	if missing := len(s.Notes) - maxNotes; missing > 0 {
		s.Notes, s.More = s.Notes[:maxNotes], s.More+int64(missing)
	}
	for i := range s.Notes {
		note := &s.Notes[i]
		note.Cluster, note.DisplayName, note.Message = word(note.Cluster, maxName), prose(note.DisplayName, maxName), prose(note.Message, maxConditionMessage)
	}
	if d := s.Display; d != nil {
		d.State, d.Message = word(d.State, 32), prose(d.Message, maxMessage)
	}
	s.Conditions = fitConditions(s.Conditions)
	for len(s.Notes) > 0 && size(s) > v1alpha1.StatusLimit {
		s.Notes, s.More = s.Notes[:len(s.Notes)-1], s.More+1
	}
}

func fitPlan(p *v1alpha1.Plan) {
	if p == nil {
		return
	}
	p.Hash, p.Version = word(p.Hash, maxHash), word(p.Version, maxWord)
	fitReference(p.Ref)
	if missing := len(p.Steps) - maxSteps; missing > 0 {
		p.Steps, p.More = p.Steps[:maxSteps], p.More+int64(missing)
	}
	for i := range p.Steps {
		step := &p.Steps[i]
		step.ID, step.State, step.Summary = word(step.ID, maxWord), word(step.State, 32), prose(step.Summary, 160)
	}
}

func fitRun(r *v1alpha1.Run) {
	if r == nil {
		return
	}
	r.ID, r.Direction = word(r.ID, maxWord), word(r.Direction, 16)
	if step := r.Step; step != nil {
		step.ID, step.WaitingFor, step.Seen = word(step.ID, maxWord), prose(step.WaitingFor, maxConditionMessage), prose(step.Seen, maxConditionMessage)
	}
}

func fitAudit(a *v1alpha1.Audit) {
	if a == nil {
		return
	}
	if missing := len(a.Failing) - maxFails; missing > 0 {
		a.Failing, a.More = a.Failing[:maxFails], a.More+int64(missing)
	}
	for i := range a.Failing {
		check := &a.Failing[i]
		check.ID, check.Title, check.Object = word(check.ID, 8), prose(check.Title, 96), prose(check.Object, 160)
	}
}

func fitReference(r *v1alpha1.Reference) {
	if r != nil {
		r.Name, r.Key = word(r.Name, maxName), word(r.Key, maxName)
	}
}

func fitPastRun(r *v1alpha1.PastRun) {
	r.ID, r.Direction, r.Result = word(r.ID, maxWord), word(r.Direction, 16), word(r.Result, maxWord)
	r.Plan, r.Version = word(r.Plan, maxHash), word(r.Version, maxWord)
}

// fitConditions returns the conditions that Conditions creates, each once.
func fitConditions(all []metav1.Condition) []metav1.Condition {
	ours := []string{v1alpha1.ConditionReady, v1alpha1.ConditionReconciling, v1alpha1.ConditionStalled, v1alpha1.ConditionOwnerAgrees}
	var kept []metav1.Condition
	for _, c := range all {
		if i := slices.Index(ours, c.Type); i >= 0 {
			ours = slices.Delete(ours, i, i+1)
			c.Reason, c.Message = word(c.Reason, maxWord), prose(c.Message, maxConditionMessage)
			kept = append(kept, c)
		}
	}
	return kept
}
