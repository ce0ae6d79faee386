package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/record/judge"
)

// table holds rows for people, in any format.
type table struct {
	Head []string
	Rows [][]value
}

// value is a cell: text, optionally in code style, or with its previous value.
type value struct {
	Text, Code string
	Before     string
	Changed    bool
}

func text(s string) value { return value{Text: s} }

// change returns a value, with its previous value if it differs.
func change(before, after string) value {
	return value{Text: orDash(after), Before: orDash(before), Changed: before != after}
}

func orDash(text string) string { return cmp.Or(text, "–") }

// fact is a named text.
type fact struct{ Name, Text string }

// laneTable returns the processes that ran a controller, by their names in the picture.
func laneTable(l judge.Lane, names map[string]string) table {
	t := table{Head: []string{"process", "began", "ended", "by", ""}}
	for _, i := range l.Intervals {
		sure := "possibly"
		if i.Certain {
			sure = "certainly"
		}
		t.Rows = append(t.Rows, []value{{Text: strings.Replace(who(i.Process), short(i.Process.Program), names[i.Process.Identity], 1), Code: i.Process.Identity}, text(began(i.Start)), text(ended(i)), text(i.End.Source), text(sure)})
	}
	return t
}

func nodesTable(all []judge.NodeChange) table {
	t := table{Head: []string{"Node", "UID", "ProviderID", "Ready", "addresses"}}
	for _, n := range all {
		t.Rows = append(t.Rows, []value{text(n.First.Name), text(n.First.UID), change(n.First.ProviderID, n.Last.ProviderID),
			change(n.First.Ready, readiness(n.Last)), change(addresses(n.First), addresses(n.Last))})
	}
	return t
}

func readiness(n record.Node) string {
	if n.Gone {
		return "gone"
	}
	return n.Ready
}

func addresses(n record.Node) string {
	var all []string
	for _, a := range n.Addresses {
		all = append(all, a.Address)
	}
	return strings.Join(all, " ")
}

func servicesTable(all []judge.ServiceChange) table {
	t := table{Head: []string{"Service", "reached by", "changes"}}
	for _, s := range all {
		last := strings.Join(s.Last.Ingress, " ")
		if s.Last.Gone {
			last = "gone"
		}
		t.Rows = append(t.Rows, []value{text(s.First.Namespace + "/" + s.First.Name), change(strings.Join(s.First.Ingress, " "), last), text(fmt.Sprint(s.Changes))})
	}
	return t
}

// runFacts returns the facts of a run besides its steps.
func runFacts(r judge.Run) []fact {
	all := []fact{{"command", r.Command}, {"by", r.By}, {"awsmigrate", r.Version}, {"began", timeOr(r.From)}}
	if r.Attempt != "" {
		all = append(all, fact{"asked for by", "the controller, for ClusterMigration " + r.Attempt})
	}
	if !r.Until.IsZero() {
		all = append(all, fact{"ended", fmt.Sprintf("%s, after %s", r.Until.UTC().Format(time.RFC3339), r.Until.Sub(r.From).Round(time.Second))})
	}
	if before, died := formerRun(r); died {
		all = append(all, fact{"took over from", before})
	} else if before != "" {
		all = append(all, fact{"followed", before})
	}
	for _, a := range r.Approvals {
		all = append(all, fact{"approved", approvalText(a)})
	}
	return known(append(all, fact{"position before", r.Before}, fact{"position after", r.After}, fact{"outcome", runOutcome(r)}))
}

func stepsTable(r judge.Run) table {
	t := table{Head: []string{"step", "began", "took", ""}}
	for _, s := range r.Steps {
		said := stepSaid(r, s)
		if outcome := stepOutcome(r, s); outcome != "" {
			said = strings.TrimSuffix(outcome+": "+said, ": ")
		}
		t.Rows = append(t.Rows, []value{{Text: s.Title, Code: s.ID}, text(stepBegan(s)), text(stepTook(s)), text(said)})
	}
	return t
}

// stepSaid returns the message of a step. For an audit, whose findings have their own tables, it
// returns only the count.
func stepSaid(r judge.Run, s judge.Step) string {
	for _, a := range r.Audits {
		if a.Step == s.ID && s.Outcome == record.Finished && slices.Contains(auditSteps, s.ID) {
			return auditCounts(a.Audit)
		}
	}
	return s.Message
}

// comeToTable returns the steps of a run as a journal has them: without times.
func comeToTable(r judge.Run) table {
	t := table{Head: []string{"step", "in the journal"}}
	for _, s := range r.Steps {
		outcome := "seen to its end"
		if s.Outcome == record.Failed {
			outcome = "the run ended in it"
		}
		t.Rows = append(t.Rows, []value{{Text: s.Title, Code: s.ID}, text(outcome)})
	}
	return t
}

// stretchesTable returns the times in which a Node was cordoned or not Ready, except very short
// ones.
func stretchesTable(all []judge.NodeStretch) table {
	t := table{Head: []string{"Node", "was", "when"}}
	for _, s := range all {
		when := fmt.Sprintf("%s to %s (%s)", clock(s.From), clock(s.To), seconds(s.To.Sub(s.From)))
		switch {
		case s.To.IsZero() && s.Before:
			when = "before the record and at its end"
		case s.To.IsZero():
			when = "from " + clock(s.From) + " until the end of the record"
		case s.Before:
			when = "before the record, until " + clock(s.To)
		case s.To.Sub(s.From) < time.Second:
			continue
		}
		t.Rows = append(t.Rows, []value{text(s.Node), text(string(s.What)), text(when)})
	}
	return t
}

// surroundings returns the tables of a record's other observations.
func (r Report) surroundings() []section {
	if r.Source != Record {
		return nil
	}
	return []section{
		newSection("Nodes, before and after", nodesTable(r.World.Nodes), "No Node was seen."),
		newSection("Nodes that were cordoned or not Ready", stretchesTable(r.World.Stretches), "No Node was, for a second or longer."),
		newSection("Load balancers, before and after", servicesTable(r.World.Services), "No Service of type LoadBalancer was seen."),
	}
}
