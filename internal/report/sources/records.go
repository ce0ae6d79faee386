package sources

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/internal/plaintext"
	"github.com/awsmigrate/awsmigrate/internal/report"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/record/judge"
	"github.com/awsmigrate/awsmigrate/pkg/runner/archive"
)

// Last stands for the newest run of which a record is kept.
const Last = "last"

// RecordOf is the report on the record that is kept of a run. object names what keeps it.
func RecordOf(all archive.Records, run, object string) (report.Report, error) {
	runs := all.Runs()
	if run == Last && len(runs) > 0 {
		run = runs[len(runs)-1]
	}
	packed, err := all.Of(run)
	if errors.Is(err, archive.ErrNone) {
		return report.Report{}, &fault.Error{Class: fault.Usage, Reason: "NoRecordOfRun", Object: object, Seen: "no record is kept of run " + run, Wanted: "one of " + namesOr(runs)}
	}
	judged, torn, err := judgedRecord(packed)
	if err != nil {
		return report.Report{}, fmt.Errorf("%s, run %s: %w", object, run, err)
	}
	return report.Of(judged, torn), nil
}

func namesOr(runs []string) string {
	if len(runs) == 0 {
		return "those with a record: there is none"
	}
	return strings.Join(runs, ", ")
}

func judgedRecord(packed []byte) (judge.Result, []record.Torn, error) {
	j := judge.New()
	torn, err := archive.Read(packed, j.Put)
	return j.Result(), torn, err
}

// WithRecords adds to the report of a journal what the records of its runs have: the steps, edits
// and audits of each run, and who ran the cloud controllers while it went on. Nothing was watched
// between two records. unread says why there are none.
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
		if n := len(watched); n == 0 || !watched[n-1].From.Equal(judged.From) { // two runs may be in one record
			watched = append(watched, judged)
		}
	}
	if n := len(watched); n > 0 {
		r.Source, r.Result, r.Earlier, r.Recorded = report.Record, watched[n-1], watched[:n-1], recorded
		r.Runs = runs
	}
	return r
}

// seenToo is a run of a journal with what its record has beside it.
func seenToo(run, recorded judge.Run) judge.Run {
	run.Version, run.Goal, run.Before, run.After, run.Steps, run.Edits, run.Audits = recorded.Version, recorded.Goal, recorded.Before, recorded.After, recorded.Steps, recorded.Edits, recorded.Audits
	if recorded.Error != "" {
		run.Error, run.Stopped = recorded.Error, recorded.Stopped
	}
	return run
}
