package rollout

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fleet/status"
)

// simulated is a fleet whose clusters end, fail, vanish and come back at random, and that begins
// what is decided.
type simulated struct {
	rand    *rand.Rand
	rollout *v1alpha1.MigrationRollout
	members []Member
	now     time.Time
	began   []string
}

func newSimulated(seed uint64) *simulated {
	s := &simulated{rand: rand.New(rand.NewPCG(seed, 1)), now: now}
	var waves []v1alpha1.Wave
	for i := range 1 + s.rand.IntN(4) {
		wave := v1alpha1.Wave{Name: fmt.Sprint("w", i), MaxConcurrent: s.rand.Int64N(4), FailuresAllowed: s.rand.Int64N(3), Deadline: "2h"}
		if s.rand.IntN(2) == 0 {
			wave.Soak = "30m"
		}
		for range s.rand.IntN(6) {
			name := fmt.Sprintf("c%02d", len(s.members))
			wave.Clusters = append(wave.Clusters, name)
			s.members = append(s.members, waiting(name))
		}
		wave.Clusters = append(wave.Clusters, "none") // a wave without names has all that are left
		waves = append(waves, wave)
	}
	s.rollout = rolloutOf(waves...)
	s.rollout.Spec.MaxConcurrent = s.rand.Int64N(4)
	return s
}

// step lets a random member change.
func (s *simulated) step() {
	s.now = s.now.Add(time.Duration(s.rand.IntN(20)) * time.Minute)
	if len(s.members) == 0 {
		return
	}
	m := &s.members[s.rand.IntN(len(s.members))]
	switch end := s.rand.IntN(10); {
	case end == 0:
		m.Seen = !m.Seen
	case end == 1 && m.Mark.Began.IsZero():
		m.Plan = planB
	case m.Mark.Began.IsZero():
	case end == 7 && m.Ran.IsZero():
		m.State, m.Plan = status.AwaitingApproval, planB
	case end == 8 && m.Plan == planB:
		m.State, m.Plan = status.Running, planA // changed back
	case m.turnedBack():
	case m.Ran.IsZero():
		m.Ran = s.now
	case end < 5 && m.State == status.Running:
		m.State, m.Reached, m.Ended, m.Passed = status.Succeeded, true, s.now, s.now
	case end == 5 && m.State == status.Running:
		m.State = status.Stalled
	case end == 6 && m.State == status.Stalled:
		m.State = status.Running // a person asked for a retry
	}
}

// apply writes what was decided, as the controller does.
func (s *simulated) apply(d Decision) {
	for i := range s.members {
		m := &s.members[i]
		if slices.Contains(d.Audit, m.Name) {
			m.Passed = s.now
		}
		if d.Begin != nil && d.Begin.Cluster == m.Name {
			m.Mark, m.State, m.Seen, m.Approved = d.Begin.Mark, status.Running, true, d.Begin.Plan
			s.began = append(s.began, m.Name)
		}
	}
}

// check returns what a beginning breaks, or "".
func (s *simulated) check(d Decision) string {
	if d.Begin == nil {
		return ""
	}
	groups, _, err := Approved(s.rollout, s.members)
	if err != nil {
		return err.Error()
	}
	atWork := 0
	for _, m := range s.members {
		if !m.Mark.Began.IsZero() && m.State == status.Running && s.now.Before(m.Mark.Deadline) {
			atWork++
		}
	}
	if atWork >= orDefault(s.rollout.Spec.MaxConcurrent, DefaultConcurrent) {
		return fmt.Sprintf("%d are at work in all", atWork)
	}
	for _, group := range groups {
		failures, inWave, left, mine := int64(0), 0, 0, false
		for _, e := range group.Entries {
			late := !s.now.Before(e.Now.Mark.Deadline)
			switch {
			case e.Member.Cluster == d.Begin.Cluster:
				mine = true
				if !e.Now.Mark.Began.IsZero() || e.Now.Plan != e.Member.Plan || d.Begin.Plan != e.Member.Plan {
					return "it began before, or by another plan"
				}
			case e.Now.Mark.Began.IsZero():
				if e.Now.Plan == e.Member.Plan {
					left++
				}
			case e.Now.State == status.Stalled, e.Now.State == status.Running && late:
				failures++
			case e.Now.State == status.Running:
				inWave++
			}
		}
		if failures > group.Wave.FailuresAllowed {
			return fmt.Sprintf("wave %s has %d failures", group.Wave.Name, failures)
		}
		if mine {
			if inWave >= orDefault(group.Wave.MaxConcurrent, DefaultInWave) {
				return fmt.Sprintf("%d are at work in wave %s", inWave, group.Wave.Name)
			}
			return ""
		}
		if left+inWave > 0 {
			return fmt.Sprintf("wave %s is not over", group.Wave.Name)
		}
	}
	return "it is in no wave"
}

// However clusters end, a beginning keeps every limit, no cluster begins twice, and no later wave
// begins before an earlier one is over.
func TestDecide_property(t *testing.T) {
	total := 0
	for seed := range uint64(2000) {
		s := newSimulated(seed)
		approve(t, s.rollout, s.members)
		for range 200 {
			s.step()
			d := Decide(Input{Rollout: s.rollout, Members: s.members, Now: s.now})
			if wrong := s.check(d); wrong != "" {
				t.Fatalf("seed %d: %s begins although %s", seed, d.Begin.Cluster, wrong)
			}
			s.apply(d)
		}
		total += len(s.began)
	}
	if total < 2000 {
		t.Errorf("only %d clusters began, so that little was tried", total)
	}
}
