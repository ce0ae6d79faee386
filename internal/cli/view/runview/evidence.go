package runview

import (
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/internal/plaintext"
	"github.com/awsmigrate/awsmigrate/internal/report"
	"github.com/awsmigrate/awsmigrate/pkg/record/judge"
)

// Evidence is what a run can show of itself.
type Evidence struct {
	Record, Report string // files; "": none
	Seen           bool   // the cluster was watched, and Judged is what it came to
	Judged         judge.Result
	Refused        []string // what the credentials may not watch
	Beside         string   // the run whose record is kept beside its journal; "": none
	Unkept         error    // why none is
}

// evidence is what was asked to be kept of a run, or nothing.
func (o Output) evidence() Evidence {
	if o.Evidence == nil {
		return Evidence{}
	}
	return o.Evidence()
}

// proves says whether what was watched decides if two ever ran at once: it shows two, or
// excludes it for hands that changed. Whatever it leaves open is for a report.
func (e Evidence) proves() bool {
	if !e.Seen {
		return false
	}
	verdict := e.Judged.Verdict()
	return verdict == judge.Double || verdict == judge.Single && e.pauses() != ""
}

// deciding is the controller whose pauses stand for all that are handed over together.
const deciding = "service"

// pauses are for how long nobody ran the cloud controllers, by what was watched; "": that
// shows none, or leaves open who ran them.
func (e Evidence) pauses() string {
	at := slices.IndexFunc(e.Judged.Lanes, func(l judge.Lane) bool { return l.Controller == deciding })
	if !e.Seen || at < 0 || slices.ContainsFunc(e.Judged.Lanes[at].Intervals, func(i judge.Interval) bool { return !i.Certain }) {
		return ""
	}
	var all []string
	for _, gap := range e.Judged.Lanes[at].Gaps {
		if gap.Before != nil && gap.After != nil { // else the record begins or ends in it
			all = append(all, report.Length(gap))
		}
	}
	return awayFor("", all)
}

// writeFiles names what a run leaves to look into.
func (e Evidence) writeFiles(s console.Screen, indent string, commands view.Commands) {
	switch {
	case e.Record != "":
		s.Line("%srecord %s (%s report FILE)", indent, e.Record, s.Program)
	case e.Beside != "" && commands.Report != nil:
		s.Line("%srecord %s", indent, commands.Report(e.Beside))
	}
	if len(e.Refused) > 0 {
		s.Prose(indent+"record ", e.refusal())
	}
	if e.Unkept != nil {
		s.Prose(indent+"record ", "not kept beside the journal: "+plaintext.Tidy(e.Unkept.Error()))
	}
	if e.Report != "" {
		s.Line("%sreport %s", indent, e.Report)
	}
}

// refusal says what is not recorded, and whose rights would do.
func (e Evidence) refusal() string {
	text := "lacks "
	if e.Record == "" && e.Beside == "" {
		text = "none: it needs "
	}
	return text + strings.Join(e.Refused, ", ") + ", which these credentials may not watch (docs/permissions.md)"
}
