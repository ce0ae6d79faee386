package sources

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/internal/report"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/plaintext"
	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/record/judge"
	"github.com/awsmigrate/awsmigrate/pkg/runner/archive"
)

// Last selects the newest run with a record.
const Last = "last"

// RecordOf returns the report on a run's record. object names the object that holds it.
func RecordOf(all archive.Records, run, object string) (report.Report, error) {
	runs := all.Runs()
	if run == Last && len(runs) > 0 {
		run = runs[len(runs)-1]
	}
	packed, err := all.Of(run)
	if errors.Is(err, archive.ErrNone) {
		return report.Report{}, &fault.Error{Class: fault.Usage, Reason: "NoRecordOfRun", Object: object, Seen: "no record is kept of run " + run, Wanted: "one of " + namesOr(runs), Fix: fixRun(run, runs)}
	}
	judged, torn, err := judgedRecord(packed)
	if err != nil {
		return report.Report{}, fmt.Errorf("%s, run %s: %w", object, run, err)
	}
	return report.Of(judged, torn), nil
}

// fixRun returns the fix for a run without a record.
func fixRun(run string, runs []string) string {
	if len(runs) == 0 {
		return "leave --run out: the journal has the steps of every run"
	}
	return cmp.Or(fault.DidYouMean(run, runs), "give --run last, for the newest of them")
}

func namesOr(runs []string) string {
	if len(runs) == 0 {
		return "a run with a record; no record exists"
	}
	return strings.Join(runs, ", ")
}

func judgedRecord(packed []byte) (judge.Result, []record.Torn, error) {
	j := judge.New()
	torn, err := archive.Read(packed, j.Put)
	return j.Result(), torn, err
}

// WithRecords adds the records of runs to the report on a journal: the steps, edits and audits of
// each run, and the processes that ran the cloud controllers meanwhile. The times between two
// records were not watched. unread explains missing records.
func WithRecords(r report.Report, all archive.Records, unread error) report.Report {
	if unread != nil {
		r.Others = append(slices.Clone(r.Others), plaintext.Tidy(unread.Error()))
		return r
	}
	runs, recorded := slices.Clone(r.Runs), map[string]bool{}
	var watched []judge.Result
	for i, run := range runs {
		packed, err := all.Of(run.ID)
		if err != nil {
			continue
		}
		judged, _, err := judgedRecord(packed)
		at := slices.IndexFunc(judged.Runs, func(one judge.Run) bool { return one.ID == run.ID })
		if err != nil || at < 0 {
			r.Others = append(slices.Clone(r.Others), plaintext.Tidy(fmt.Sprintf("the record of run %s: it cannot be read, or is of another run", run.ID)))
			continue
		}
		recorded[run.ID] = true
		runs[i] = seenToo(run, judged.Runs[at])
		if n := len(watched); n == 0 || !watched[n-1].From.Equal(judged.From) { // a record may hold two runs
			watched = append(watched, judged)
		}
	}
	if n := len(watched); n > 0 {
		r.Source, r.Result, r.Earlier, r.Recorded = report.Record, watched[n-1], watched[:n-1], recorded
		r.Runs = runs
	}
	return r
}

// seenToo returns a journal's run together with the contents of its record.
func seenToo(run, recorded judge.Run) judge.Run {
	run.Version, run.Goal, run.Before, run.After, run.Steps, run.Edits, run.Audits = recorded.Version, recorded.Goal, recorded.Before, recorded.After, recorded.Steps, recorded.Edits, recorded.Audits
	if recorded.Error != "" {
		run.Error, run.Stopped = recorded.Error, recorded.Stopped
	}
	return run
}
