package report

import (
	"cmp"
	"strings"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/record/judge"
)

// Source is what a report is made from.
type Source int

const (
	// Record is what a recorder saw.
	Record Source = iota
	// Journal is what runs keep between them. Nobody watched anything for it.
	Journal
	// Bundle is one reading of a cluster, and what checks say of it.
	Bundle
)

// Report is all that a report tells.
type Report struct {
	Source Source
	judge.Result
	Torn []record.Torn // lines of a record that could not be read
	// Lines say of the cluster of a journal or a bundle what its source does, in the
	// source's words.
	Lines []string
	// Audit is what the checks of a bundle come to; nil: there is none.
	Audit *judge.Audit
	// Compared is how much of the cluster of a bundle is as it was before the migration.
	Compared []record.Compared
	// Recorded are the runs of a journal of which a record is kept beside it.
	Recorded map[string]bool
	// Before is the cluster as it was before the first write, of a journal.
	Before *Before
	// Others say what else limits the report.
	Others []string
}

// Before is what a cluster was before the first write of a migration.
type Before struct {
	Nodes    []record.Node
	Services []record.Service
}

// Of is the report on a record.
func Of(r judge.Result, torn []record.Torn) Report { return Report{Result: r, Torn: torn} }

// Title is what the report is about.
func (r Report) Title() string {
	name := cmp.Or(r.Header.Name, "a cluster without a name")
	switch {
	case r.Source == Journal:
		return "Runs of awsmigrate on " + name
	case r.Source == Bundle:
		return "Audit of " + name
	case len(r.Runs) > 0:
		return "Run of awsmigrate on " + name
	}
	return "Who ran the cloud controllers of " + name
}

// Sentence is what is known of who ran the cloud controllers.
func (r Report) Sentence() string {
	switch r.Source {
	case Journal:
		return "Who ran the cloud controllers, and whether two ever did at once, is not known: a journal has the runs, and nobody watched the leases for it."
	case Bundle:
		return "Who ran the cloud controllers over time, and whether two ever did at once, is not known: a bundle is one moment."
	case Record:
	}
	return Sentence(r.Result)
}

// NotSeen is what limits the report, a line each.
func (r Report) NotSeen() []string {
	switch r.Source {
	case Journal:
		return append(r.notInJournal(), r.Others...)
	case Bundle:
		return append([]string{
			"the leases and pods of the cloud controllers but at the one moment: whether two processes ever ran at once",
			"runs of awsmigrate, who approved them and what they edited: the journal has them, a record more",
		}, r.Others...)
	case Record:
	}
	return append(append(NotSeen(r.Result), TornLines(r.Torn)...), r.Others...)
}

// notInJournal is what of a journal's runs only their records have.
func (r Report) notInJournal() []string {
	leases := "the leases and pods of the cloud controllers: when they changed hands, for how long nobody ran them, and whether two ever did at once"
	steps := "the steps of each run in time, their edits as diffs, and what checks found: a record has them (--record, --report)"
	if len(r.Recorded) == 0 {
		return []string{leases, steps}
	}
	var with, without []string
	for _, run := range r.Runs {
		if r.Recorded[run.ID] {
			with = append(with, run.ID)
		} else {
			without = append(without, run.ID)
		}
	}
	all := []string{leases + "; the record of a run has that (report --run ID), of " + strings.Join(with, ", ")}
	if len(without) > 0 {
		all = append(all, "the steps in time, edits as diffs and findings of the runs of which no record is kept: "+strings.Join(without, ", "))
	}
	return all
}

// Verdict is the worst of what is known: of what nobody watched nothing is.
func (r Report) Verdict() judge.Verdict {
	if r.Source != Record {
		return judge.NotSeen
	}
	return r.Result.Verdict()
}

// facts say where the report comes from.
func (r Report) facts() []fact {
	if r.Source == Record {
		return recordFacts(r.Result)
	}
	h := r.Header
	all := []fact{{"cluster", h.Name}, {"read", timeOr(r.Until)}, {"by", h.By}, {"awsmigrate", h.Version}, {"UID of kube-system", h.UID}}
	return known(all)
}

func timeOr(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// known are the facts that say something.
func known(all []fact) []fact {
	var some []fact
	for _, f := range all {
		if f.Text != "" {
			some = append(some, f)
		}
	}
	return some
}
