package rollout

import (
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fleet/status"
)

var now = time.Date(2026, 11, 28, 2, 0, 0, 0, time.UTC)

const (
	planA = "sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	planB = "sha256:bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
)

func rolloutOf(waves ...v1alpha1.Wave) *v1alpha1.MigrationRollout {
	return &v1alpha1.MigrationRollout{ObjectMeta: metav1.ObjectMeta{Name: "eu", UID: "eu-uid"}, Spec: v1alpha1.MigrationRolloutSpec{Waves: waves}}
}

// waiting is a member whose goal the rollout has set.
func waiting(name string) Member {
	return Member{Name: name, Goal: v1alpha1.GoalMigrate, Mark: Mark{Rollout: "eu", UID: "eu-uid", Goal: v1alpha1.GoalMigrate}, Seen: true, State: status.AwaitingTurn, Plan: planA}
}

// begun is a member that began an hour ago, with a run since.
func begun(name string) Member {
	m := waiting(name)
	m.Mark.Began, m.Mark.Deadline, m.State, m.Approved = now.Add(-time.Hour), now.Add(time.Hour), status.Running, planA
	m.Ran = m.Mark.Began.Add(time.Second)
	return m
}

// turnedBack is a member with another plan than the approved one, which began without a run since.
func turnedBack(name string) Member {
	m := begun(name)
	m.Ran, m.State, m.Plan = now.Add(-48*time.Hour), status.AwaitingApproval, planB
	return m
}

func done(name string) Member {
	m := begun(name)
	m.State, m.Plan, m.Reached, m.Ended, m.Passed = status.Succeeded, "", true, now.Add(-10*time.Minute), now.Add(-9*time.Minute)
	return m
}

func failed(name string) Member {
	m := begun(name)
	m.State, m.Message = status.Stalled, "check AWSM-204 fails"
	return m
}

// change returns a member with one difference.
func change(m Member, with func(*Member)) Member {
	with(&m)
	return m
}

// approve approves the members of a rollout as they are.
func approve(t *testing.T, r *v1alpha1.MigrationRollout, members []Member) {
	t.Helper()
	proposal, _, err := Propose(Input{Rollout: r, Members: members})
	if err != nil {
		t.Fatal(err)
	}
	for i := range proposal.Members {
		proposal.Members[i].Plan = planA
	}
	r.Spec.Approved = &proposal
}

// Every state of a member, and its standing.
func TestStandings(t *testing.T) {
	other := Mark{Rollout: "us", UID: "us-uid", Goal: v1alpha1.GoalMigrate}
	for name, tt := range map[string]struct {
		member Member
		want   Standing
		why    string
	}{
		"waits":                      {waiting("a"), Waiting, ""},
		"is not seen":                {change(waiting("a"), func(m *Member) { m.Seen = false }), Looking, "being looked at"},
		"has no goal yet":            {Member{Name: "a", Goal: v1alpha1.GoalAudit, Seen: true, State: status.AuditPassed, Plan: planA}, Looking, "about to be set"},
		"has the goal already":       {change(waiting("a"), func(m *Member) { m.Mark = Mark{} }), Waiting, ""},
		"runs":                       {begun("a"), Active, ""},
		"began and is not seen":      {change(begun("a"), func(m *Member) { m.Seen = false }), Looking, ""},
		"is audited at the goal":     {change(done("a"), func(m *Member) { m.State = status.Auditing }), Looking, ""},
		"is done":                    {done("a"), Done, ""},
		"was done before":            {change(done("a"), func(m *Member) { m.Mark = Mark{} }), Done, ""},
		"fails":                      {failed("a"), Failed, "AWSM-204"},
		"fails the audit at the end": {change(done("a"), func(m *Member) { m.State, m.Message = status.Findings, "checks fail" }), Failed, "checks fail"},
		"failed an audit before":     {change(waiting("a"), func(m *Member) { m.State, m.Reached, m.Message = status.Findings, true, "checks fail" }), Withdrawn, "before its turn"},
		"misses its deadline":        {change(begun("a"), func(m *Member) { m.Mark.Deadline = now }), Failed, "deadline"},
		"has another plan":           {change(waiting("a"), func(m *Member) { m.Plan = planB }), Withdrawn, "its plan is not the one"},
		"does not answer":            {change(waiting("a"), func(m *Member) { m.State, m.Plan = status.Pending, "" }), Waiting, ""},
		"has an invalid object":      {change(waiting("a"), func(m *Member) { m.State, m.Plan = status.Stalled, "" }), Withdrawn, "its plan is not the one"},
		"runs by another plan":       {change(begun("a"), func(m *Member) { m.Plan = planB }), Active, ""},
		"was turned back":            {turnedBack("a"), Withdrawn, "its plan is not the one"},
		"was, and is late":           {change(turnedBack("a"), func(m *Member) { m.State, m.Mark.Deadline = status.AwaitingTurn, now }), Withdrawn, "its plan is not the one"},
		"was, and is approved":       {change(turnedBack("a"), func(m *Member) { m.Plan, m.Approved = planA, planB }), Waiting, ""},
		"was, and a person ends it":  {change(turnedBack("a"), func(m *Member) { m.Goal = v1alpha1.GoalUndo }), Withdrawn, "a person set goal Undo"},
		"waits for its first run":    {change(turnedBack("a"), func(m *Member) { m.Plan = planA }), Active, ""},
		"has no plan before it":      {change(turnedBack("a"), func(m *Member) { m.State, m.Plan = status.Pending, "" }), Active, ""},
		"failed before it":           {change(turnedBack("a"), func(m *Member) { m.Mark.Retried = true }), Failed, "approve the rollout again"},
		"stalls before it":           {change(turnedBack("a"), func(m *Member) { m.State = status.Stalled }), Failed, ""},
		"works by another plan":      {change(turnedBack("a"), func(m *Member) { m.State, m.Working = status.Running, true }), Active, ""},
		"needs an approval again":    {change(begun("a"), func(m *Member) { m.State, m.Plan = status.AwaitingApproval, planB }), Failed, "approve the rollout again"},
		"has it":                     {change(begun("a"), func(m *Member) { m.State, m.Approved = status.AwaitingApproval, planB }), Active, ""},
		"is of another rollout":      {change(waiting("a"), func(m *Member) { m.Mark = other }), Withdrawn, "rollout us"},
		"of a deleted rollout":       {change(waiting("a"), func(m *Member) { m.Mark.UID = "gone" }), Waiting, ""},
		"has a person's goal":        {Member{Name: "a", Goal: v1alpha1.GoalUndo, Seen: true, State: status.Succeeded, Reached: true, Plan: planA}, Withdrawn, "a person set goal Undo"},
		"is withdrawn before":        {change(waiting("a"), func(m *Member) { m.Goal = v1alpha1.GoalAudit }), Withdrawn, "a person set goal Audit"},
		"is withdrawn at work":       {change(begun("a"), func(m *Member) { m.Goal = v1alpha1.GoalUndo }), Failed, "a person set goal Undo"},
		"a person approved":          {change(waiting("a"), func(m *Member) { m.Mark, m.Approved = Mark{}, planA }), Withdrawn, "a person approved"},
	} {
		r := rolloutOf(v1alpha1.Wave{Name: "all"})
		r.Spec.Approved = &v1alpha1.RolloutApproval{Goal: v1alpha1.GoalMigrate}
		entry := Entry{Member: v1alpha1.RolloutMember{Cluster: "a", Wave: "all", Plan: planA}, Now: &tt.member}
		got := place(r, map[types.UID]string{"eu-uid": "eu", "us-uid": "us"}, entry, now)
		if got.Standing != tt.want || !strings.Contains(got.Why, tt.why) {
			t.Errorf("%s: %s (%s), wanted %s (%s)", name, got.Standing, got.Why, tt.want, tt.why)
		}
	}
	if got := place(rolloutOf(), nil, Entry{}, now); got.Standing != Withdrawn {
		t.Errorf("a member that is gone: %+v", got)
	}
}

// twoWaves has a wave with the clusters a and b, and one with the others.
func twoWaves(with func(*v1alpha1.Wave)) *v1alpha1.MigrationRollout {
	one := v1alpha1.Wave{Name: "one", Clusters: []string{"a", "b"}}
	with(&one)
	return rolloutOf(one, v1alpha1.Wave{Name: "two"})
}

func TestDecide(t *testing.T) {
	plain := func(*v1alpha1.Wave) {}
	for name, tt := range map[string]struct {
		wave    func(*v1alpha1.Wave)
		members []Member
		begins  string
		state   status.State
		reason  status.Reason
		wave2   string // that has its turn
	}{
		"the first":                            {plain, []Member{waiting("a"), waiting("b"), waiting("c")}, "a", status.Running, "", "one"},
		"one at a time":                        {plain, []Member{begun("a"), waiting("b"), waiting("c")}, "", status.Running, "", "one"},
		"the second":                           {plain, []Member{done("a"), waiting("b"), waiting("c")}, "b", status.Running, "", "one"},
		"two at a time":                        {func(w *v1alpha1.Wave) { w.MaxConcurrent = 2 }, []Member{begun("a"), waiting("b"), waiting("c")}, "b", status.Running, "", "one"},
		"the second wave":                      {plain, []Member{done("a"), done("b"), waiting("c")}, "c", status.Running, "", "two"},
		"not while a wave works":               {func(w *v1alpha1.Wave) { w.MaxConcurrent = 2 }, []Member{done("a"), begun("b"), waiting("c")}, "", status.Running, "", "one"},
		"stops":                                {plain, []Member{failed("a"), waiting("b"), waiting("c")}, "", status.Stalled, status.WaveStopped, "one"},
		"stops at the end of a wave":           {plain, []Member{done("a"), failed("b"), waiting("c")}, "", status.Stalled, status.WaveStopped, "one"},
		"a failure is allowed":                 {func(w *v1alpha1.Wave) { w.FailuresAllowed = 1 }, []Member{failed("a"), waiting("b"), waiting("c")}, "b", status.Running, "", "one"},
		"and the next wave begins":             {func(w *v1alpha1.Wave) { w.FailuresAllowed = 1 }, []Member{failed("a"), done("b"), waiting("c")}, "c", status.Running, "", "two"},
		"two failures are too many":            {func(w *v1alpha1.Wave) { w.FailuresAllowed = 1 }, []Member{failed("a"), failed("b"), waiting("c")}, "", status.Stalled, status.WaveStopped, "one"},
		"not while one is unseen":              {func(w *v1alpha1.Wave) { w.MaxConcurrent = 2 }, []Member{change(begun("a"), func(m *Member) { m.Seen = false }), waiting("b")}, "", status.Running, "", "one"},
		"past one that is unseen":              {plain, []Member{change(waiting("a"), func(m *Member) { m.Seen = false }), waiting("b")}, "b", status.Running, "", "one"},
		"past one that withdrew":               {plain, []Member{change(waiting("a"), func(m *Member) { m.Plan = planB }), waiting("b")}, "b", status.Running, "", "one"},
		"not past a wave that withdrew":        {plain, []Member{change(waiting("a"), func(m *Member) { m.Plan = planB }), change(waiting("b"), func(m *Member) { m.Plan = planB }), waiting("c")}, "", status.AwaitingApproval, status.PlanMoved, "one"},
		"past a wave that a person took":       {plain, []Member{change(waiting("a"), func(m *Member) { m.Goal = v1alpha1.GoalAudit }), waiting("c")}, "c", status.Running, "", "two"},
		"a failed one that works fills a turn": {func(w *v1alpha1.Wave) { w.FailuresAllowed = 1 }, []Member{change(failed("a"), func(m *Member) { m.Working = true }), waiting("b")}, "", status.Running, "", "one"},
		"past one that was turned back":        {plain, []Member{turnedBack("a"), waiting("b")}, "b", status.Running, "", "one"},
		"one that was, by the limits":          {plain, []Member{change(turnedBack("a"), func(m *Member) { m.Plan, m.Approved = planA, planB }), begun("b")}, "", status.Running, "", "one"},
		"not past a wave that was turned back": {plain, []Member{turnedBack("a"), turnedBack("b"), waiting("c")}, "", status.AwaitingApproval, status.PlanMoved, "one"},
		"one whose new plan was approved":      {plain, []Member{change(begun("a"), func(m *Member) { m.State, m.Approved = status.AwaitingApproval, planB }), waiting("b")}, "a", status.Running, "", "one"},
		"is over":                              {plain, []Member{done("a"), done("b"), done("c")}, "", status.Succeeded, "", ""},
		"soaks":                                {func(w *v1alpha1.Wave) { w.Soak = "1h" }, []Member{done("a"), done("b"), waiting("c")}, "", status.Pending, status.Soaking, "one"},
		"awaits the audits after a soak":       {func(w *v1alpha1.Wave) { w.Soak = "5m" }, []Member{done("a"), done("b"), waiting("c")}, "", status.Pending, status.Soaking, "one"},
		"an audit after a soak": {func(w *v1alpha1.Wave) { w.Soak = "5m" }, []Member{change(done("a"), func(m *Member) { m.Passed = now.Add(-time.Minute) }), change(done("b"), func(m *Member) { m.Passed = now.Add(-time.Minute) }), waiting("c")},
			"c", status.Running, "", "two"},
		"clusters at the goal soak not": {func(w *v1alpha1.Wave) { w.Soak = "1h" }, []Member{change(done("a"), func(m *Member) { m.Mark.Began = time.Time{} }), waiting("c")}, "c", status.Running, "", "two"},
	} {
		r := twoWaves(tt.wave)
		approve(t, r, tt.members)
		d := Decide(Input{Rollout: r, Members: tt.members, Others: map[types.UID]string{"eu-uid": "eu"}, Now: now})
		begins := ""
		if d.Begin != nil {
			begins = d.Begin.Cluster
		}
		if begins != tt.begins || d.Shown.Moment.State != tt.state || d.Shown.Moment.Reason != tt.reason || d.Shown.Wave != tt.wave2 {
			t.Errorf("%s: begins %q, %+v, wave %s", name, begins, d.Shown.Moment, d.Shown.Wave)
		}
		if begins != "" && (d.Begin.Plan != planA || d.Begin.Mark.Began.IsZero() || !d.Begin.Mark.Deadline.Equal(now.Add(DefaultDeadline))) {
			t.Errorf("%s: %+v", name, d.Begin)
		}
	}
}

// A stopped wave names its failed clusters as people know them, and the reasons of three.
func TestDecide_stopped_namesTheFailed(t *testing.T) {
	members := []Member{change(failed("c-abcde"), func(m *Member) { m.DisplayName = "legacy" }), failed("d"), failed("e"), failed("f"), waiting("g")}
	r := rolloutOf(v1alpha1.Wave{Name: "all"})
	approve(t, r, members)
	got := Decide(Input{Rollout: r, Members: members, Now: now}).Shown.Moment.Message
	if want := "c-abcde (legacy) failed: check AWSM-204 fails; d failed: check AWSM-204 fails; e failed: check AWSM-204 fails; and 1 more"; !strings.HasSuffix(got, want) {
		t.Errorf("%q, wanted it to end with %q", got, want)
	}
}

// A rollout that is paused, not approved, or of an installation that only audits begins no cluster.
func TestDecide_keepsStill(t *testing.T) {
	for name, tt := range map[string]struct {
		bend  func(*Input)
		state status.State
		goals int
	}{
		"paused":                {func(in *Input) { in.Rollout.Spec.Paused = true }, status.Paused, 0},
		"not approved":          {func(in *Input) { in.Rollout.Spec.Approved = nil }, status.AwaitingApproval, 0},
		"approved another goal": {func(in *Input) { in.Rollout.Spec.Goal = v1alpha1.GoalUndo }, status.Pending, 1},
		"audits only":           {func(in *Input) { in.AuditsOnly = true }, status.Paused, 0},
		"invalid":               {func(in *Input) { in.Rollout.Spec.Waves[0].Name = "" }, status.Stalled, 0},
		"no members":            {func(in *Input) { in.Members, in.Rollout.Spec.Approved = nil, nil }, status.Pending, 0},
		"not planned yet":       {func(in *Input) { in.Members[0].Seen, in.Rollout.Spec.Approved = false, nil }, status.Pending, 0},
		"without a goal": {func(in *Input) {
			in.Members[0].Goal, in.Members[0].Mark, in.Rollout.Spec.Approved = v1alpha1.GoalAudit, Mark{}, nil
		}, status.Pending, 1},
	} {
		in := Input{Rollout: rolloutOf(v1alpha1.Wave{Name: "all"}), Members: []Member{waiting("a")}, Now: now}
		approve(t, in.Rollout, in.Members)
		tt.bend(&in)
		d := Decide(in)
		if d.Begin != nil || d.Shown.Moment.State != tt.state || len(d.Goals) != tt.goals {
			t.Errorf("%s: begins %v, sets %v, %+v", name, d.Begin, d.Goals, d.Shown.Moment)
		}
	}
}

// An undo takes the waves from the last to the first, and keeps an approved list of its own.
func TestDecide_undo(t *testing.T) {
	undoing := func(name string) Member {
		m := waiting(name)
		m.Goal, m.Mark.Goal = v1alpha1.GoalUndo, v1alpha1.GoalUndo
		return m
	}
	members := []Member{undoing("a"), undoing("b"), undoing("c")}
	r := twoWaves(func(*v1alpha1.Wave) {})
	r.Spec.Goal = v1alpha1.GoalUndo
	approve(t, r, members)
	d := Decide(Input{Rollout: r, Members: members, Now: now})
	if d.Begin == nil || d.Begin.Cluster != "c" || d.Shown.Wave != "two" || d.Shown.Moment.State != status.Undoing {
		t.Errorf("%+v", d)
	}
}

// The limit for all waves counts clusters that a person runs, too.
func TestDecide_limitInAll(t *testing.T) {
	byHand := change(begun("z"), func(m *Member) { m.Mark, m.Approved, m.Working = Mark{}, planA, true })
	members := []Member{waiting("a"), byHand}
	r := rolloutOf(v1alpha1.Wave{Name: "all", MaxConcurrent: 2})
	approve(t, r, members)
	for limit, begins := range map[int64]bool{1: false, 2: true} {
		r.Spec.MaxConcurrent = limit
		if d := Decide(Input{Rollout: r, Members: members, Now: now}); (d.Begin != nil) != begins {
			t.Errorf("limit %d: begins %v", limit, d.Begin)
		}
	}
}

// A cluster that joins after the approval begins with the next one alone.
func TestDecide_joined(t *testing.T) {
	r := rolloutOf(v1alpha1.Wave{Name: "all"})
	approve(t, r, []Member{done("a")})
	members := []Member{done("a"), change(waiting("new"), func(m *Member) { m.DisplayName = "legacy" })}
	d := Decide(Input{Rollout: r, Members: members, Now: now})
	notes := d.Shown.Status().Notes
	if d.Begin != nil || len(notes) != 1 || notes[0].Cluster != "new" || notes[0].DisplayName != "legacy" || notes[0].State != NotApproved {
		t.Errorf("begins %v, %+v", d.Begin, notes)
	}
	approve(t, r, members)
	if d := Decide(Input{Rollout: r, Members: members, Now: now}); d.Begin == nil || d.Begin.Cluster != "new" {
		t.Errorf("%+v", d.Begin)
	}
}

// Between two blocks of steps a cluster is looked at, and counts as active. Before a controller has
// looked at every cluster, what it would show is not complete.
func TestShown(t *testing.T) {
	unseen := func(m *Member) { m.Seen = false }
	members := []Member{done("a"), begun("b"), change(begun("c"), unseen), failed("d"), waiting("e"), change(waiting("f"), unseen)}
	r := rolloutOf(v1alpha1.Wave{Name: "all", FailuresAllowed: 1})
	approve(t, r, members)
	for i := range members {
		members[i].Known = true
	}
	shown := Decide(Input{Rollout: r, Members: members, Now: now}).Shown
	if want := (v1alpha1.RolloutCounts{Total: 6, Done: 1, Active: 2, Failed: 1, Waiting: 2}); shown.Status().Counts != want || !shown.Complete() {
		t.Errorf("complete %t: %+v, wanted %+v", shown.Complete(), shown.Status().Counts, want)
	}
	members[5].Known = false
	if Decide(Input{Rollout: r, Members: members, Now: now}).Shown.Complete() {
		t.Error("complete without f")
	}
}

// A proposal keeps the plans of members that have begun, and leaves out those that are left alone.
func TestPropose(t *testing.T) {
	members := []Member{change(begun("a"), func(m *Member) { m.Approved, m.Plan = planB, "" }), waiting("b"), turnedBack("f"),
		change(begun("e"), func(m *Member) { m.State, m.Approved = status.AwaitingApproval, planB }),
		change(waiting("c"), func(m *Member) { m.Goal = v1alpha1.GoalUndo }), change(waiting("d"), func(m *Member) { m.Labels = map[string]string{"env": "dev"} })}
	r := rolloutOf(v1alpha1.Wave{Name: "dev", Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"env": "dev"}}}, v1alpha1.Wave{Name: "rest"})
	got, _, err := Propose(Input{Rollout: r, Members: members})
	want := []v1alpha1.RolloutMember{{Cluster: "d", Wave: "dev", Plan: planA}, {Cluster: "a", Wave: "rest", Plan: planB}, {Cluster: "b", Wave: "rest", Plan: planA}, {Cluster: "e", Wave: "rest", Plan: planA}, {Cluster: "f", Wave: "rest", Plan: planB}}
	if err != nil || !slices.Equal(got.Members, want) {
		t.Errorf("%v: %+v", err, got.Members)
	}
}

func TestGate(t *testing.T) {
	for name, tt := range map[string]struct {
		bend func(*v1alpha1.MigrationRollout, *Mark, *v1alpha1.ClusterMigration)
		why  string
	}{
		"in its turn":     {func(*v1alpha1.MigrationRollout, *Mark, *v1alpha1.ClusterMigration) {}, ""},
		"before its turn": {func(_ *v1alpha1.MigrationRollout, m *Mark, _ *v1alpha1.ClusterMigration) { m.Began = time.Time{} }, "waits for its turn"},
		"paused":          {func(r *v1alpha1.MigrationRollout, _ *Mark, _ *v1alpha1.ClusterMigration) { r.Spec.Paused = true }, "is paused"},
		"late":            {func(_ *v1alpha1.MigrationRollout, m *Mark, _ *v1alpha1.ClusterMigration) { m.Deadline = now }, "rollout retry"},
		"late with another plan": {func(_ *v1alpha1.MigrationRollout, mark *Mark, m *v1alpha1.ClusterMigration) {
			mark.Deadline, m.Spec.ApprovedPlan, m.Status.Plan, m.Status.Display = now, planA, &v1alpha1.Plan{Hash: planB}, status.Moment{State: status.AwaitingTurn}.Display()
		}, "rollout approve"},
		"late after a run": {func(_ *v1alpha1.MigrationRollout, mark *Mark, m *v1alpha1.ClusterMigration) {
			mark.Deadline, m.Spec.ApprovedPlan, m.Status.Plan, m.Status.Display = now, planA, &v1alpha1.Plan{Hash: planB}, status.Moment{State: status.AwaitingTurn}.Display()
			m.Status.History = []v1alpha1.PastRun{{StartedAt: metav1.NewTime(mark.Began.Add(time.Second))}}
		}, "rollout retry"},
		"turned round": {func(r *v1alpha1.MigrationRollout, _ *Mark, _ *v1alpha1.ClusterMigration) {
			r.Spec.Goal = v1alpha1.GoalUndo
		}, "goal Undo now"},
		"of another rollout": {func(r *v1alpha1.MigrationRollout, m *Mark, _ *v1alpha1.ClusterMigration) {
			r.Spec.Paused, m.UID = true, "x"
		}, ""},
		"with a person's undo": {func(r *v1alpha1.MigrationRollout, _ *Mark, m *v1alpha1.ClusterMigration) {
			r.Spec.Paused, m.Spec.Goal = true, v1alpha1.GoalUndo
		}, ""},
	} {
		r, m, mark := rolloutOf(), &v1alpha1.ClusterMigration{Spec: v1alpha1.ClusterMigrationSpec{Goal: v1alpha1.GoalMigrate}}, begun("a").Mark
		tt.bend(r, &mark, m)
		text, err := mark.Text()
		if err != nil {
			t.Fatal(err)
		}
		m.Annotations = map[string]string{Annotation: text}
		if got := Gate(r, m, now); (got.Why == "") != (tt.why == "") || !strings.Contains(got.Why, tt.why) {
			t.Errorf("%s: %q, wanted %q", name, got.Why, tt.why)
		}
		if got := Gate(nil, m, now); got.Why != "" {
			t.Errorf("%s: a rollout that is gone holds it: %s", name, got.Why)
		}
	}
}

// A text that awsmigrate has not written is no mark.
func TestMarkOf(t *testing.T) {
	for _, text := range []string{"", "eu", "{", strings.Repeat(" ", maxMark) + "{}", `{"began":"today"}`, `[]`} {
		if got := MarkOf(&v1alpha1.ClusterMigration{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{Annotation: text}}}); got != (Mark{}) {
			t.Errorf("%q: %+v", text, got)
		}
	}
}

// A change is written only to an object with the goal and the mark that were decided about.
func TestApplies(t *testing.T) {
	mark := waiting("a").Mark
	text, err := mark.Text()
	if err != nil {
		t.Fatal(err)
	}
	object := func(goal v1alpha1.Goal, text string) *v1alpha1.ClusterMigration {
		return &v1alpha1.ClusterMigration{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{Annotation: text}}, Spec: v1alpha1.ClusterMigrationSpec{Goal: goal}}
	}
	c := Change{Goal: v1alpha1.GoalMigrate, From: mark}
	if !c.Applies(object(v1alpha1.GoalMigrate, text)) || c.Applies(object(v1alpha1.GoalUndo, text)) || c.Applies(object(v1alpha1.GoalMigrate, "")) {
		t.Error("it applies to another object than the one it was decided about")
	}
}
