package view

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/internal/inventory"
	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/fleet/rollout"
	"github.com/awsmigrate/awsmigrate/pkg/fleet/status"
)

// RolloutPlanDocument is the document of `rollout plan`.
type RolloutPlanDocument struct {
	TypeMeta
	Namespace string        `json:"namespace"`
	Name      string        `json:"name"`
	Goal      v1alpha1.Goal `json:"goal"`
	// MaxConcurrent is the maximum number of clusters that migrate at a time, in all waves.
	MaxConcurrent int64 `json:"maxConcurrent"`
	// Approved reports whether an approval for the goal is in force. The waves then hold its clusters.
	Approved bool          `json:"approved"`
	Waves    []RolloutWave `json:"waves"`
	// Joined lists clusters that match a wave and are not part of the approval.
	Joined []RolloutCluster `json:"joined,omitempty"`
	// Unmatched lists the other clusters that could be migrated.
	Unmatched []string `json:"unmatched"`
	// Unread lists what could not be read from Rancher itself. Clusters may be missing then.
	Unread []inventory.Stop `json:"unread,omitempty"`
	// Next is the next command, or empty.
	Next string `json:"next,omitempty"`
}

// RolloutWave is a wave with its limits and clusters, in the order in which they begin.
type RolloutWave struct {
	Name string `json:"name"`
	// State is the state of the wave, or empty before an approval.
	State           rollout.WaveState `json:"state,omitempty"`
	MaxConcurrent   int64             `json:"maxConcurrent"`
	FailuresAllowed int64             `json:"failuresAllowed"`
	Deadline        string            `json:"deadline"`
	Soak            string            `json:"soak,omitempty"`
	Clusters        []RolloutCluster  `json:"clusters"`
	// Missing lists the clusters that the wave names and does not have.
	Missing []RolloutMissing `json:"missing,omitempty"`
}

// RolloutMissing is a cluster that a wave names and does not have.
type RolloutMissing struct {
	Name    string        `json:"name"`
	Reason  MissingReason `json:"reason"`
	Message string        `json:"message"`
}

// MissingReason is the reason for which a wave does not have a cluster that it names.
type MissingReason string

// The reasons.
const (
	MissingNotFound    MissingReason = "NotFound"      // there is no such cluster
	MissingTaken       MissingReason = "InEarlierWave" // an earlier wave matches it
	MissingNotSelected MissingReason = "NotSelected"   // spec.selector leaves it out
)

// RolloutCluster is a cluster of a wave.
type RolloutCluster struct {
	Name        string `json:"name"`
	DisplayName string `json:"displayName,omitempty"` // if it differs
	// Wave is the wave that a cluster of Joined matches.
	Wave string `json:"wave,omitempty"`
	// State is the state of a member (Waiting, Active, …). For a manifest it is the state in `list` (not-begun, …).
	State string `json:"state"`
	// Position is P0 to P5 or unknown, for a manifest.
	Position string `json:"position,omitempty"`
	Message  string `json:"message,omitempty"` // why it is in this state, or what stops it
	// Plan is the hash of its present plan, or empty without one.
	Plan string `json:"plan,omitempty"`

	cause string // what its message has in common with that of other clusters
}

// NewRolloutPlan returns the document of a rollout, still without clusters.
func NewRolloutPlan(r *v1alpha1.MigrationRollout) RolloutPlanDocument {
	doc := RolloutPlanDocument{TypeMeta: KindOf("RolloutPlan"), Namespace: r.Namespace, Name: r.Name, Goal: rollout.GoalOf(r),
		MaxConcurrent: cmp.Or(r.Spec.MaxConcurrent, rollout.DefaultConcurrent)}
	for _, wave := range r.Spec.Waves {
		doc.Waves = append(doc.Waves, RolloutWave{Name: wave.Name, MaxConcurrent: cmp.Or(wave.MaxConcurrent, rollout.DefaultInWave), FailuresAllowed: wave.FailuresAllowed,
			Deadline: cmp.Or(wave.Deadline, fmt.Sprintf("%gh", rollout.DefaultDeadline.Hours())), Soak: wave.Soak})
	}
	return doc
}

// AddMembers adds the members of a rollout by wave, in the order of its spec.
func (d *RolloutPlanDocument) AddMembers(waves []rollout.ShownWave) {
	for i, wave := range waves {
		if d.Approved {
			d.Waves[i].State = wave.State
		}
		for _, p := range wave.Members {
			d.Waves[i].Clusters = append(d.Waves[i].Clusters, memberOf(p))
		}
	}
}

// AddMissing adds the clusters that waves name and do not have. describeUnknown describes the absence
// of a name.
func (d *RolloutPlanDocument) AddMissing(missing []rollout.Missing, describeUnknown func(name string) string) {
	for _, m := range missing {
		one := RolloutMissing{Name: m.Cluster, Reason: MissingNotSelected, Message: "spec.selector leaves it out"}
		switch {
		case !m.Exists:
			one.Reason, one.Message = MissingNotFound, describeUnknown(m.Cluster)
		case m.TakenBy != "":
			one.Reason, one.Message = MissingTaken, "wave "+m.TakenBy+" matches it earlier"
		}
		i := slices.IndexFunc(d.Waves, func(w RolloutWave) bool { return w.Name == m.Wave })
		d.Waves[i].Missing = append(d.Waves[i].Missing, one)
	}
}

// AddJoined adds members that are not part of the approval.
func (d *RolloutPlanDocument) AddJoined(others []rollout.Placed) {
	for _, p := range others {
		c := memberOf(p)
		c.Wave = p.Member.Wave
		d.Joined = append(d.Joined, c)
	}
}

// memberOf returns a member. Every member waits for an approval or for its turn, so that is no
// message.
func memberOf(p rollout.Placed) RolloutCluster {
	c := RolloutCluster{Name: p.Member.Cluster, DisplayName: p.DisplayName(), State: string(p.Standing), Message: p.Why}
	if p.Now != nil {
		c.Plan = p.Now.Plan
		if p.Standing == rollout.Waiting && (p.Now.State == status.AwaitingApproval || p.Now.State == status.AwaitingTurn) {
			c.Message = ""
		}
	}
	c.cause = c.Message
	return c
}

// AddRows adds Rancher's clusters by wave, for a rollout that no controller knows.
func (d *RolloutPlanDocument) AddRows(groups []rollout.Group, rows map[string]inventory.Row) {
	for i, group := range groups {
		for _, entry := range group.Entries {
			row := rows[entry.Member.Cluster]
			c := RolloutCluster{Name: row.Name, DisplayName: row.DisplayName, State: string(row.State), Position: row.Position}
			var lines, causes []string
			for _, stop := range row.Stops {
				lines, causes = append(lines, stopLine(stop)), append(causes, cmp.Or(stop.Reason, stopLine(stop)))
			}
			c.Message, c.cause = strings.Join(lines, "; "), strings.Join(causes, ", ")
			d.Waves[i].Clusters = append(d.Waves[i].Clusters, c)
		}
	}
}

// AddUnmatched adds the names that no wave has.
func (d *RolloutPlanDocument) AddUnmatched(names []string) {
	matched := map[string]bool{}
	for _, c := range d.Joined {
		matched[c.Name] = true
	}
	for _, wave := range d.Waves {
		for _, c := range wave.Clusters {
			matched[c.Name] = true
		}
	}
	d.Unmatched = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return matched[name] })
	slices.Sort(d.Unmatched)
}

// Count returns the number of clusters in a state, in all waves.
func (d RolloutPlanDocument) Count(state rollout.Standing) int {
	n := 0
	for _, wave := range d.Waves {
		for _, c := range wave.Clusters {
			if c.State == string(state) {
				n++
			}
		}
	}
	return n
}

// CountPlanless returns the number of clusters that wait for their turn and have no plan.
func (w RolloutWave) CountPlanless() int {
	n := 0
	for _, c := range w.Clusters {
		if c.lacksPlan() {
			n++
		}
	}
	return n
}

func (c RolloutCluster) lacksPlan() bool { return c.State == string(rollout.Waiting) && c.Plan == "" }

// WriteRolloutPlan prints each wave with its clusters: grouped by what stops them, or in wide form
// on a line each.
func WriteRolloutPlan(streams console.Streams, doc RolloutPlanDocument, wide bool) {
	s := console.NewScreen(streams, streams.Out)
	s.Header([]string{rolloutHeader(doc)})
	for _, wave := range doc.Waves {
		s.Line("")
		s.Prose("", waveHeader(wave))
		writeMissing(s, wave.Missing)
		writeRolloutClusters(s, wave.Clusters, wide)
	}
	if len(doc.Joined) > 0 {
		s.Line("")
		s.Prose("", fault.Count(len(doc.Joined), "cluster")+" joined after the approval")
		writeRolloutClusters(s, doc.Joined, wide)
	}
	if n := len(doc.Unmatched); n > 0 {
		s.Line("")
		s.Prose("–  ", fault.Count(n, "cluster")+" in no wave: "+nameList(doc.Unmatched, wide))
	}
	s.Line("")
	for _, stop := range doc.Unread {
		s.Prose("?  ", stopLine(stop))
	}
	s.Prose("", rolloutSum(doc))
	if doc.Next != "" {
		s.Command("next   ", doc.Next)
	}
}

func rolloutHeader(doc RolloutPlanDocument) string {
	parts := []string{doc.Namespace + "/" + cmp.Or(doc.Name, "(no name)"), "goal " + string(doc.Goal), fmt.Sprintf("at most %d at a time", doc.MaxConcurrent)}
	if doc.Goal == v1alpha1.GoalUndo {
		parts = append(parts, "from the last wave to the first")
	}
	return "rollout  " + strings.Join(parts, " · ")
}

func waveHeader(wave RolloutWave) string {
	parts := []string{"wave " + wave.Name, fault.Count(len(wave.Clusters), "cluster"), fmt.Sprintf("%d at a time", wave.MaxConcurrent),
		fault.Count(int(wave.FailuresAllowed), "failure") + " allowed", "deadline " + wave.Deadline}
	if wave.Soak != "" {
		parts = append(parts, "soak "+wave.Soak)
	}
	if wave.State != "" {
		parts = append(parts, string(wave.State))
	}
	return strings.Join(parts, " · ")
}

// rolloutSum describes the number of clusters, and how many cannot be carried out.
func rolloutSum(doc RolloutPlanDocument) string {
	total, planless := 0, 0
	for _, wave := range doc.Waves {
		total, planless = total+len(wave.Clusters), planless+wave.CountPlanless()
	}
	parts := []string{fault.Count(total, "cluster") + " in " + fault.Count(len(doc.Waves), "wave")}
	if planless > 0 {
		parts = append(parts, fmt.Sprintf("%d without a plan", planless))
	}
	if n := doc.Count(rollout.Looking); n > 0 {
		parts = append(parts, fmt.Sprintf("%d not looked at yet", n))
	}
	return strings.Join(parts, " · ")
}

func writeRolloutClusters(s console.Screen, clusters []RolloutCluster, wide bool) {
	if wide {
		writeEveryCluster(s, clusters)
		return
	}
	writeGroups(s, clusters)
}

// writeMissing prints the clusters that a wave names and does not have, grouped by the message.
func writeMissing(s console.Screen, missing []RolloutMissing) {
	for len(missing) > 0 {
		message := missing[0].Message
		var names []string
		missing = slices.DeleteFunc(slices.Clone(missing), func(m RolloutMissing) bool {
			if m.Message == message {
				names = append(names, m.Name)
			}
			return m.Message == message
		})
		s.Prose("   !  ", fmt.Sprintf("%d missing: %s", len(names), nameList(names, false)))
		s.Prose("      ", message)
	}
}

// writeGroups prints groups of clusters with what stops them.
func writeGroups(s console.Screen, clusters []RolloutCluster) {
	for _, group := range groupClusters(clusters) {
		s.Prose("   "+group.mark+"  ", fmt.Sprintf("%d %s: %s", len(group.names), group.words, nameList(group.names, false)))
		if group.message != "" {
			s.Prose("      ", group.message)
		}
	}
}

// writeEveryCluster prints a table of clusters, with their messages behind it or below.
func writeEveryCluster(s console.Screen, clusters []RolloutCluster) {
	if len(clusters) == 0 {
		return
	}
	fourth, cell := "plan", func(c RolloutCluster) string { return shortHash(c.Plan) }
	if slices.ContainsFunc(clusters, func(c RolloutCluster) bool { return c.Position != "" }) { // of a manifest
		fourth, cell = "at", func(c RolloutCluster) string { return c.Position }
	}
	table := console.Table{Columns: []console.Column{{}, {Title: "cluster", Max: maxName}, {Title: "state", Rank: 1}, {Title: fourth, Rank: 2}}}
	for _, c := range clusters {
		shown := stateOfCluster(c)
		table.Rows = append(table.Rows, []string{shown.mark, s.Plain(rollout.ShownName(c.Name, c.DisplayName)), s.Plain(shown.words), s.Plain(cmp.Or(cell(c), "–"))})
	}
	table, _ = s.Fitting(table)
	lines, columns := s.Lines(table), s.TableWidth(table)
	for i, row := range lines {
		remark := ""
		if i > 0 {
			remark = s.Plain(clusters[i-1].Message)
		}
		writeCluster(s, row, remark, columns)
	}
}

// shortHash returns the first digits of a hash.
func shortHash(hash string) string {
	const digits = 12
	hash = strings.TrimPrefix(hash, "sha256:")
	return hash[:min(len(hash), digits)]
}

// maxGroupNames limits the names in one line.
const maxGroupNames = 5

// FirstNames joins the first names, and counts the others.
func FirstNames(names []string) string { return nameList(names, false) }

// nameList joins the first names, or all.
func nameList(names []string, all bool) string {
	if more := len(names) - maxGroupNames; more > 0 && !all {
		return strings.Join(names[:maxGroupNames], ", ") + fmt.Sprintf(" and %d more", more)
	}
	return strings.Join(names, ", ")
}

// clusterState holds the mark and the words of a state. Groups with a lower rank come first.
type clusterState struct {
	mark, words string
	rank        int
}

// memberStates holds the states of members.
var memberStates = map[rollout.Standing]clusterState{
	rollout.Failed: {"✗", "failed", 0}, rollout.Looking: {"?", "not looked at yet", 2}, rollout.Withdrawn: {"–", "withdrawn", 3},
	rollout.NotApproved: {"–", "not approved", 3}, rollout.Active: {"◐", "active", 4}, rollout.Waiting: {"·", "with a plan", 5}, rollout.Done: {"✓", "done", 6},
}

// stateOfCluster returns how the state of a cluster is shown.
func stateOfCluster(c RolloutCluster) clusterState {
	if c.lacksPlan() {
		return clusterState{"!", "without a plan", 1}
	}
	if shown, known := memberStates[rollout.Standing(c.State)]; known {
		return shown
	}
	for i, one := range listWords {
		if string(one.state) == c.State {
			return clusterState{listMarks[one.state], one.words, i}
		}
	}
	return clusterState{"?", c.State, 0}
}

// clusterGroup is clusters that the same thing stops, or that are in the same state.
type clusterGroup struct {
	clusterState
	message string
	names   []string
	cause   string
}

// maxCauses limits the groups of one state. The other clusters of that state form the last one.
const maxCauses = 3

// groupClusters returns groups of the clusters of one wave after the other.
func groupClusters(clusters []RolloutCluster) []clusterGroup {
	var groups []clusterGroup
	for len(clusters) > 0 {
		wave, n := clusters[0].Wave, 1
		for n < len(clusters) && clusters[n].Wave == wave {
			n++
		}
		for _, group := range groupStates(clusters[:n]) {
			if wave != "" {
				group.words += " in wave " + wave
			}
			groups = append(groups, group)
		}
		clusters = clusters[n:]
	}
	return groups
}

// groupStates returns clusters by state, position and cause, larger groups first.
func groupStates(clusters []RolloutCluster) []clusterGroup {
	var groups []clusterGroup
	for _, c := range clusters {
		state := stateOfCluster(c)
		if c.Position != "" && c.State != string(inventory.Unknown) {
			state.words += " at " + c.Position
		}
		i := slices.IndexFunc(groups, func(g clusterGroup) bool { return g.clusterState == state && g.cause == c.cause })
		if i < 0 {
			i = len(groups)
			groups = append(groups, clusterGroup{clusterState: state, cause: c.cause, message: c.Message})
		}
		groups[i].add(c)
	}
	slices.SortStableFunc(groups, func(a, b clusterGroup) int {
		return cmp.Or(a.rank-b.rank, strings.Compare(a.words, b.words), len(b.names)-len(a.names))
	})
	return foldCauses(groups)
}

func (g *clusterGroup) add(c RolloutCluster) {
	g.names = append(g.names, rollout.ShownName(c.Name, c.DisplayName))
	if c.Message != g.message && !strings.HasPrefix(g.message, g.cause+", for example ") {
		g.message = g.cause + ", for example " + g.message
	}
}

// foldCauses joins the groups of one state beyond the first ones. groups are sorted by state.
func foldCauses(groups []clusterGroup) []clusterGroup {
	var folded []clusterGroup
	same := 0 // groups of the present state
	for _, group := range groups {
		last := len(folded) - 1
		if last < 0 || folded[last].clusterState != group.clusterState {
			same = 0
		}
		if same++; same > maxCauses {
			folded[last].names = append(folded[last].names, group.names...)
			folded[last].message = "for several reasons: -o json has them"
			continue
		}
		folded = append(folded, group)
	}
	return folded
}
