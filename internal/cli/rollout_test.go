package cli

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/internal/cli/target"
	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/internal/inventory"
	"github.com/awsmigrate/awsmigrate/internal/testing/golden"
	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fleet/rollout"
	"github.com/awsmigrate/awsmigrate/pkg/fleet/status"
)

// shownRollout is a rollout of 200 clusters in three waves.
func shownRollout() *v1alpha1.MigrationRollout {
	return &v1alpha1.MigrationRollout{ObjectMeta: metav1.ObjectMeta{Namespace: "fleet-default", Name: "eu", UID: "u-1", Generation: 3},
		Spec: v1alpha1.MigrationRolloutSpec{MaxConcurrent: 10, Waves: []v1alpha1.Wave{
			{Name: "canary", Clusters: []string{"c-000", "c-001", "c-002"}, Soak: "12h"},
			{Name: "test", Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"env": "test"}}, MaxConcurrent: 5, FailuresAllowed: 2, Deadline: "8h"},
			{Name: "rest", Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"env": "prod"}}},
		}}}
}

// shownMembers are its members: every state, and two that no wave matches.
func shownMembers() []rollout.Member {
	var all []rollout.Member
	for i := range 200 {
		m := rollout.Member{Name: fmt.Sprintf("c-%03d", i), Labels: map[string]string{"env": "test"}, Goal: v1alpha1.GoalMigrate, Seen: true, State: status.AwaitingApproval, Message: "set spec.approvedPlan",
			Plan: fmt.Sprintf("sha256:%03x%061x", i, i), Mark: rollout.Mark{Rollout: "eu", UID: "u-1", Goal: v1alpha1.GoalMigrate}}
		switch {
		case i >= 198:
			m.Labels = nil
		case i >= 100:
			m.Labels = map[string]string{"env": "prod"}
		}
		switch {
		case i == 4, i == 7:
			m.Goal, m.Mark, m.Message = v1alpha1.GoalUndo, rollout.Mark{}, "undone"
		case i >= 10 && i < 17:
			m.State, m.Plan, m.Message = status.AwaitingOwner, "", "say in spec.edits who edits the Cluster object: Apply or Handoff"
		case i >= 20 && i < 26:
			m.State, m.Plan, m.Message = status.Stalled, "", fmt.Sprintf("Node n%d is unready", i/2)
		case i == 30:
			m.Seen = false
		}
		all = append(all, m)
	}
	return all
}

// withProgress approves the clusters of all members, and lets the first wave begin.
func withProgress(t *testing.T) rollout.Input {
	t.Helper()
	in := rollout.Input{Rollout: shownRollout(), Members: shownMembers(), Others: map[types.UID]string{"u-1": "eu"}, Now: rolloutTime}
	proposal, _, err := rollout.Propose(in)
	if err != nil {
		t.Fatal(err)
	}
	proposal.Members = proposal.Members[:190]
	in.Rollout.Spec.Approved = &proposal
	for i := range 3 {
		m := &in.Members[i]
		m.Approved, m.Mark.Began, m.Mark.Deadline = m.Plan, rolloutTime.Add(-time.Hour), rolloutTime.Add(time.Hour)
		m.State = []status.State{status.Succeeded, status.Running, status.Stalled}[i]
		m.Message = []string{"", "in step switch-provider", "check AWSM-303 fails: zone"}[i]
	}
	return in
}

var rolloutTime = time.Date(2026, 11, 28, 10, 0, 0, 0, time.UTC)

// rolloutPlan is the document of a rollout in the cluster.
func rolloutPlan(in rollout.Input) view.RolloutPlanDocument {
	doc := view.NewRolloutPlan(in.Rollout)
	shown := rollout.Decide(in).Shown
	doc.Approved = rollout.InForce(in.Rollout)
	doc.AddMembers(shown.Waves)
	doc.AddJoined(shown.Others)
	var names []string
	for _, m := range in.Members {
		names = append(names, m.Name)
	}
	doc.AddUnmatched(names)
	flags := &target.Rollout{Name: "eu"}
	flags.Namespace = "fleet-default"
	doc.Next = flags.Next(nil, "rollout approve")
	return doc
}

func TestGoldenRolloutPlan(t *testing.T) {
	before := rolloutPlan(rollout.Input{Rollout: shownRollout(), Members: shownMembers(), Others: map[types.UID]string{"u-1": "eu"}, Now: rolloutTime})
	begun := rolloutPlan(withProgress(t))
	for name, of := range map[string]struct {
		doc     view.RolloutPlanDocument
		wide    bool
		streams console.Streams
	}{
		"rollout-plan.txt":       {before, false, console.Streams{}},
		"rollout-plan-80.txt":    {before, false, console.Streams{OutTerminal: true, Width: func() int { return 80 }}},
		"rollout-plan-begun.txt": {begun, false, console.Streams{}},
		"rollout-plan-file.txt":  {ofManifest(t), false, console.Streams{}},
		"rollout-plan.wide.txt":  {ofManifest(t), true, console.Streams{}},
		"rollout-begun.wide.txt": {begun5(t), true, console.Streams{}},
	} {
		var out bytes.Buffer
		of.streams.Out = &out
		view.WriteRolloutPlan(of.streams, of.doc, of.wide)
		golden.Require(t, name+".golden", out.String())
	}
	if lines := strings.Count(text(begun), "\n"); lines > 40 {
		t.Errorf("%d lines for 200 clusters", lines)
	}
	goldenDocument(t, "rollout-plan.json", "json", ofManifest(t))
	goldenDocument(t, "rollout-plan.yaml", "yaml", begun5(t))
}

// begun5 is the plan of the first five clusters, three of them approved.
func begun5(t *testing.T) view.RolloutPlanDocument {
	t.Helper()
	in := withProgress(t)
	in.Members, in.Rollout.Spec.Approved.Members = in.Members[:5], in.Rollout.Spec.Approved.Members[:3]
	return rolloutPlan(in)
}

func text(doc view.RolloutPlanDocument) string {
	var out bytes.Buffer
	view.WriteRolloutPlan(console.Streams{Out: &out}, doc, false)
	return out.String()
}

// ofManifest is a plan of the clusters of a list.
func ofManifest(t *testing.T) view.RolloutPlanDocument {
	t.Helper()
	r := shownRollout()
	r.Spec.Waves = []v1alpha1.Wave{{Name: "first", Clusters: []string{"billing", "audit"}}, {Name: "rke", Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"env": "old"}}},
		{Name: "late", Clusters: []string{"prod", "stage"}}}
	rows, members := map[string]inventory.Row{}, []rollout.Member(nil)
	for _, row := range listedFleet().Rows {
		if row.Name == "c-7kq2x" {
			row.Labels = map[string]string{"env": "old"}
		}
		if row.Migratable() {
			rows[row.Name] = row
			members = append(members, rollout.Member{Name: row.Name, Labels: row.Labels})
		}
	}
	groups, err := rollout.Sort(r, members)
	if err != nil {
		t.Fatal(err)
	}
	doc := view.NewRolloutPlan(r)
	doc.AddRows(groups, rows)
	doc.AddUnmatched([]string{"audit", "shop"})
	doc.Unread = []inventory.Stop{{Object: "ClusterMigrations", Seen: "may not be read", CouldNotLook: true}}
	doc.Next = "kubectl apply -f rollout.yaml"
	return doc
}

// shownStatus is the rollout as the controller has written it.
func shownStatus(t *testing.T) view.RolloutStatusDocument {
	t.Helper()
	in := withProgress(t)
	shown := rollout.Decide(in).Shown
	in.Rollout.Status = shown.Status()
	in.Rollout.Status.Display, in.Rollout.Status.ObservedGeneration = shown.Moment.Display(), 2
	status.FitRollout(&in.Rollout.Status)
	doc := view.NewRolloutStatus(in.Rollout)
	doc.Next = "awsmigrate rollout retry --name eu"
	return doc
}

func TestGoldenRolloutStatus(t *testing.T) {
	doc := shownStatus(t)
	for name, streams := range map[string]console.Streams{
		"rollout-status.txt":    {},
		"rollout-status-60.txt": {OutTerminal: true, Width: func() int { return 60 }},
	} {
		var out bytes.Buffer
		streams.Out = &out
		view.WriteRolloutStatus(streams, doc)
		view.WriteRolloutChange(streams, doc, rolloutTime)
		golden.Require(t, name+".golden", out.String())
	}
	goldenDocument(t, "rollout-status.json", "json", doc)
	goldenDocument(t, "rollout-status.yaml", "yaml", view.NewRolloutStatus(shownRollout()))
}

// No line is wider than the screen, and text of a cluster is plain text.
func TestRolloutFitsTheScreen(t *testing.T) {
	const evil = "evil\x1b[2J\r\nerror: forged\u202e"
	plan, shown := rolloutPlan(withProgress(t)), shownStatus(t)
	plan.Waves[0].Clusters[0].Message, plan.Waves[1].Clusters[3].Name, plan.Waves[2].Clusters[0].State, plan.Unmatched[0] = evil+strings.Repeat(" word", 60), evil, evil, evil
	shown.Message, shown.Notes[0].Message, shown.Notes[1].Cluster, shown.State, shown.Waves[0].State = evil+strings.Repeat(" word", 60), evil, evil, evil, evil
	for _, width := range []int{60, 80, 120} {
		var out bytes.Buffer
		streams := console.Streams{Out: &out, OutTerminal: true, Width: func() int { return width }}
		view.WriteRolloutPlan(streams, plan, false)
		view.WriteRolloutPlan(streams, plan, true)
		view.WriteRolloutStatus(streams, shown)
		for line := range strings.Lines(out.String()) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > width {
				t.Errorf("width %d: %d columns: %s", width, n, line)
			}
		}
		if i := strings.IndexAny(out.String(), "\x1b\r\u202e"); i >= 0 || strings.Contains(out.String(), "\nerror: forged") {
			t.Errorf("other people's text is more than text: %q", out.String())
		}
	}
}
