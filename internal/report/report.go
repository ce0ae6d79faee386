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

// Source is the input of a report.
type Source int

const (
	// Record means a recorder's record.
	Record Source = iota
	// Journal means the journal of a cluster's runs. It has no watched times.
	Journal
	// Bundle means one reading of a cluster with the findings of its checks.
	Bundle
)

// Report holds the content of a report.
type Report struct {
	Source Source
	judge.Result
	Torn []record.Torn // lines of a record that could not be read
	// Lines describes the cluster of a journal or a bundle, in the words of its source.
	Lines []string
	// Audit holds the audit of a bundle, or is nil.
	Audit *judge.Audit
	// Compared counts the unchanged objects of a bundle since before the migration.
	Compared []record.Compared
	// Recorded holds the journal's runs that have a record, or is nil without a journal. Result is
	// then that of the last record, and Earlier holds those of the previous records.
	Recorded map[string]bool
	Earlier  []judge.Result
	// Others lists further limits of the report.
	Others []string
}

// Of returns the report on a record.
func Of(r judge.Result, torn []record.Torn) Report { return Report{Result: r, Torn: torn} }

// Title returns the subject of the report.
func (r Report) Title() string {
	name := cmp.Or(r.Header.Name, "a cluster without a name")
	switch {
	case r.Source == Journal:
		return "Runs of awsmigrate on " + name
	case r.Source == Bundle:
		return "Audit of " + name
	case len(r.Runs) > 1 && r.Recorded != nil:
		return "Runs of awsmigrate on " + name
	case len(r.Runs) > 0:
		return "Run of awsmigrate on " + name
	}
	return "Who ran the cloud controllers of " + name
}

// Sentence summarizes which process ran the cloud controllers.
func (r Report) Sentence() string {
	switch r.Source {
	case Journal:
		return "Who ran the cloud controllers, and whether two ever did at once, is not known: a journal has the runs, but no watch of the leases."
	case Bundle:
		return "Who ran the cloud controllers over time, and whether two ever did at once, is not known: a bundle is one moment."
	case Record:
	}
	return Sentence(r.worst())
}

// worst returns the record with the worst verdict, the last one among equals.
func (r Report) worst() judge.Result {
	order := []judge.Verdict{judge.Double, judge.NotSeen, judge.CannotSay, judge.ByRule, judge.Single}
	worst := r.Result
	for _, one := range r.Earlier {
		if slices.Index(order, one.Verdict()) < slices.Index(order, worst.Verdict()) {
			worst = one
		}
	}
	return worst
}

// earlierLines returns the findings of the records before the last one.
func (r Report) earlierLines() []string {
	var all []string
	for _, one := range r.Earlier {
		var runs []string
		for _, run := range one.Runs {
			runs = append(runs, run.ID)
		}
		all = append(all, fmt.Sprintf("Record of run %s, %s to %s: %s", strings.Join(runs, ", "), one.From.UTC().Format(time.RFC3339), one.Until.UTC().Format(time.RFC3339), Sentence(one)))
	}
	return all
}

// NotSeen returns the limits of the report, a line each.
func (r Report) NotSeen() []string {
	switch r.Source {
	case Journal:
		return append(notInJournal(), r.Others...)
	case Bundle:
		return append([]string{
			"the leases and pods of the cloud controllers but at the one moment: whether two processes ever ran at once",
			"runs of awsmigrate, who approved them and what they edited: the journal has them, a record more",
		}, r.Others...)
	case Record:
	}
	all := NotSeen(r.Result)
	for _, t := range r.Torn[:min(len(r.Torn), maxLines)] {
		all = append(all, "the record's "+t.String())
	}
	all = append(all, r.Others...)
	if r.Recorded == nil {
		return all
	}
	var without []string
	for _, run := range r.Runs {
		if !r.Recorded[run.ID] {
			without = append(without, run.ID)
		}
	}
	all = append(all, "who ran the cloud controllers between recorded runs: the cluster was not watched then")
	if len(without) > 0 {
		all = append(all, "the timing of steps, edits as diffs and findings of runs without a record: "+strings.Join(without, ", "))
	}
	return all
}

// notInJournal returns the facts that a journal does not contain.
func notInJournal() []string {
	return []string{
		"the leases and pods of the cloud controllers: when they changed hands, for how long no process ran them, and whether two ever did at once",
		"the steps of each run in time, their edits as diffs, and what checks found: a record has them (--record, --report)",
	}
}

// Verdict returns the worst verdict; unwatched times are unknown.
func (r Report) Verdict() judge.Verdict {
	if r.Source != Record {
		return judge.NotSeen
	}
	return r.worst().Verdict()
}

// facts returns the origin of the report.
func (r Report) facts() []fact {
	h := r.Header
	if r.Source == Record {
		reason := fact{"reason", h.Context}
		if slices.ContainsFunc(r.Runs, func(run judge.Run) bool { return run.Command == h.Context }) {
			reason.Text = "" // the run's command already shows it
		}
		return known([]fact{
			{"cluster", h.Name}, reason,
			{"recorded", fmt.Sprintf("%s to %s (%s)", r.From.UTC().Format(time.RFC3339), r.Until.UTC().Format(time.RFC3339), r.Until.Sub(r.From).Round(time.Second))},
			{"by", h.By}, {"awsmigrate", h.Version}, {"API server", h.Server}, {"Kubernetes", h.Kubernetes}, {"UID of kube-system", h.UID},
		})
	}
	all := []fact{{"cluster", h.Name}, {"read", timeOr(r.Until)}, {"by", h.By}, {"awsmigrate", h.Version}, {"UID of kube-system", h.UID}}
	return known(all)
}

func timeOr(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// known returns the facts with a value.
func known(all []fact) []fact {
	var some []fact
	for _, f := range all {
		if f.Text != "" {
			some = append(some, f)
		}
	}
	return some
}
