package sources

import (
	"errors"
	"time"

	"github.com/awsmigrate/awsmigrate/internal/report"
	"github.com/awsmigrate/awsmigrate/internal/session/recording"
	"github.com/awsmigrate/awsmigrate/pkg/plaintext"
	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/record/judge"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/continuity"
)

// Bundle returns the report on one reading of a cluster, with the findings of its checks.
func Bundle(name, uid string, header []string, at time.Time, input evidence.Input, found verify.Report) report.Report {
	r := report.Report{Source: report.Bundle}
	r.Header, r.Until = record.Header{Name: plaintext.Tidy(name), UID: uid}, at
	for _, line := range header {
		r.Lines = append(r.Lines, plaintext.Tidy(line))
	}
	r.Audit = &judge.Audit{At: at, Audit: recording.AuditOf(found)}
	r.Compared = compared(input)
	return r
}

// compared counts the objects that are unchanged since the fingerprint.
func compared(input evidence.Input) []record.Compared {
	found := continuity.NotCompared(errors.New("the bundle has no fingerprint from before a migration"))
	if input.Fingerprint != nil {
		found = input.Fingerprint.Compare(input.Facts, input.Cloud, input.Machines)
	}
	var all []record.Compared
	for _, c := range found {
		one := record.Compared{Kind: c.Kind, By: c.By, Same: c.Same, Of: c.Of, Others: c.Others}
		if c.Err != nil {
			one.Unread = plaintext.Tidy(c.Err.Error())
		}
		all = append(all, one)
	}
	return all
}
