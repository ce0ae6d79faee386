package runview

import (
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/internal/report"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/plaintext"
	"github.com/awsmigrate/awsmigrate/pkg/record/judge"
)

// Evidence holds the record of a run and its judgement.
type Evidence struct {
	Record, Report string // files, or ""
	Seen           bool   // whether the cluster was watched; Judged is the result
	Judged         judge.Result
	Refused        []string // resources that the credentials may not watch
	StoredRun      string   // the run whose record is kept with its journal, or ""
	Unkept         error    // why no record is kept
}

// evidence returns the requested evidence of a run, or nothing.
func (o Output) evidence() Evidence {
	if o.Evidence == nil {
		return Evidence{}
	}
	return o.Evidence()
}

// isProof reports whether the record decides if two managers ever ran at once: it shows an overlap, or
// excludes one for a hand-over. A report covers undecided records.
func (e Evidence) isProof() bool {
	if !e.Seen {
		return false
	}
	verdict := e.Judged.Verdict()
	return verdict == judge.Double || verdict == judge.Single && e.pausesText() != ""
}

// decidingController is the controller whose pauses count for all that are handed over together.
const decidingController = "service"

// pausesText describes the recorded pauses of the cloud controllers. It returns "" if the record contains no
// hand-over or leaves open who ran them.
func (e Evidence) pausesText() string {
	at := slices.IndexFunc(e.Judged.Lanes, func(l judge.Lane) bool { return l.Controller == decidingController })
	if !e.Seen || at < 0 || slices.ContainsFunc(e.Judged.Lanes[at].Intervals, func(i judge.Interval) bool { return !i.Certain }) {
		return ""
	}
	var all []string
	for _, gap := range e.Judged.Lanes[at].Gaps {
		if gap.Before != nil && gap.After != nil { // otherwise the record begins or ends in the gap
			all = append(all, report.Length(gap))
		}
	}
	return pauseSentence("", all)
}

// writeFiles prints the files and records of a run.
func (e Evidence) writeFiles(s console.Screen, indent string, commands view.Commands) {
	switch {
	case e.Record != "":
		s.Command(indent+"record ", s.Program+" report "+fault.Command(e.Record))
	case e.StoredRun != "" && commands.Report != nil:
		s.Command(indent+"record ", commands.Report(e.StoredRun))
	}
	if len(e.Refused) > 0 {
		s.Prose(indent+"record ", e.refusal())
	}
	if e.Unkept != nil {
		s.Prose(indent+"record ", "not stored with the journal: "+plaintext.Tidy(e.Unkept.Error()))
	}
	if e.Report != "" {
		s.Prose(indent+"report ", e.Report+" (written as this command ends)")
	}
}

// refusal names the unrecorded resources and the missing rights.
func (e Evidence) refusal() string {
	text := "lacks "
	if e.Record == "" && e.StoredRun == "" {
		text = "none: it needs "
	}
	return text + strings.Join(e.Refused, ", ") + ", which these credentials may not watch (docs/permissions.md)"
}
