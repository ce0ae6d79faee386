package view

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/fleet/rollout"
)

// RolloutStatusDocument is the document of `rollout status`.
type RolloutStatusDocument struct {
	TypeMeta
	Namespace string        `json:"namespace"`
	Name      string        `json:"name"`
	Goal      v1alpha1.Goal `json:"goal"`
	Paused    bool          `json:"paused"`
	// Approved reports whether an approval for the goal is in force.
	Approved bool `json:"approved"`
	// Observed reports whether the controller has seen the present spec.
	Observed bool   `json:"observed"`
	State    string `json:"state"` // as in status.display
	Message  string `json:"message"`
	Wave     string `json:"wave,omitempty"` // that has its turn
	// Counts has the number of clusters by state, in all waves.
	Counts v1alpha1.RolloutCounts `json:"counts"`
	// Waves has the waves in the order of the spec.
	Waves []v1alpha1.WaveStatus `json:"waves"`
	// Notes has the clusters that need a person, or do not take part; first those that failed.
	Notes []v1alpha1.RolloutNote `json:"notes"`
	// More is the number of clusters that Notes leaves out.
	More int64 `json:"more,omitempty"`
	// Next is the next command.
	Next string `json:"next,omitempty"`
}

// NewRolloutStatus returns the document of what a rollout shows.
func NewRolloutStatus(r *v1alpha1.MigrationRollout) RolloutStatusDocument {
	doc := RolloutStatusDocument{TypeMeta: KindOf("RolloutStatus"), Namespace: r.Namespace, Name: r.Name, Goal: rollout.GoalOf(r), Paused: r.Spec.Paused,
		Approved: rollout.InForce(r), Observed: r.Status.ObservedGeneration == r.Generation, Wave: r.Status.Wave, Counts: r.Status.Counts,
		Waves: r.Status.Waves, Notes: r.Status.Notes, More: r.Status.More}
	if d := r.Status.Display; d != nil {
		doc.State, doc.Message = d.State, d.Message
	}
	return doc
}

// WriteRolloutStatus prints the state, a table of the waves, the notes, and the next command.
func WriteRolloutStatus(streams console.Streams, doc RolloutStatusDocument) {
	s := console.NewScreen(streams, streams.Out)
	state := cmp.Or(doc.State, "unknown")
	if doc.Wave != "" {
		state += " · wave " + doc.Wave
	}
	s.Header([]string{"rollout  " + doc.Namespace + "/" + doc.Name + " · goal " + string(doc.Goal), "state    " + state})
	s.Prose("         ", doc.Message)
	if !doc.Observed {
		s.Prose("?        ", "this is the state before the last change of the spec: the controller has not seen it yet")
	}
	if len(doc.Waves) > 0 {
		s.Line("")
		writeWaves(s, doc.Waves)
	}
	if len(doc.Notes) > 0 {
		s.Line("")
		writeNotes(s, doc.Notes)
	}
	if doc.More > 0 {
		s.Prose("   …  ", fault.Count(int(doc.More), "cluster")+" more")
	}
	if doc.Next != "" {
		s.Line("")
		s.Command("next   ", doc.Next)
	}
}

func writeWaves(s console.Screen, waves []v1alpha1.WaveStatus) {
	table := console.Table{Columns: []console.Column{
		{Title: "wave", Max: maxName}, {Title: "state"}, {Title: "clusters", Rank: 4}, {Title: "done", Rank: 1}, {Title: "active", Rank: 3},
		{Title: "failed", Rank: 2}, {Title: "waiting", Rank: 5}, {Title: "withdrawn", Rank: 6},
	}}
	for _, wave := range waves {
		cells := []string{s.Plain(wave.Name), s.Plain(wave.State)}
		for _, n := range []int64{wave.Counts.Total, wave.Counts.Done, wave.Counts.Active, wave.Counts.Failed, wave.Counts.Waiting, wave.Counts.Withdrawn} {
			cells = append(cells, strconv.FormatInt(n, 10))
		}
		table.Rows = append(table.Rows, cells)
	}
	table, dropped := s.Fitting(table)
	for _, row := range s.Lines(table) {
		for _, line := range row {
			s.Line("%s", line)
		}
	}
	if len(dropped) > 0 {
		s.Prose("", "not shown at this width: "+strings.Join(dropped, ", "))
	}
}

// writeNotes prints notes, grouped by wave, state and message.
func writeNotes(s console.Screen, notes []v1alpha1.RolloutNote) {
	var clusters []RolloutCluster
	for _, n := range notes {
		clusters = append(clusters, RolloutCluster{Name: n.Cluster, DisplayName: n.DisplayName, Wave: n.Wave, State: n.State, Message: n.Message, cause: n.Message})
	}
	writeGroups(s, clusters)
}

// WriteRolloutChange prints the state of a rollout at a time as one line.
func WriteRolloutChange(streams console.Streams, doc RolloutStatusDocument, now time.Time) {
	console.NewScreen(streams, streams.Out).Prose(now.UTC().Format("15:04:05Z")+"  ", doc.State+": "+doc.Message)
}
