package cli

import (
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
)

// auditDocument is what `verify -o json` prints, and what every other view shows.
type auditDocument struct {
	typeMeta
	Target    auditTarget `json:"target"`
	Header    []string    `json:"header"`
	Time      string      `json:"time"` // when the cluster was read, RFC 3339
	Preflight bool        `json:"preflight,omitempty"`
	// FailOnWarning: the exit code was asked to tell of warnings, too.
	FailOnWarning bool     `json:"failOnWarning,omitempty"`
	Summary       string   `json:"summary"`            // of the position
	Problems      []string `json:"problems,omitempty"` // what keeps the position from being clear
	verify.Report
	Seconds float64 `json:"seconds"`        // what reading and judging took
	Next    string  `json:"next,omitempty"` // the command that goes on
	Code    int     `json:"code"`           // the exit code

	err error
}

// newAudit is a report of one reading. Everything that came out of the cluster is
// made harmless here, once for all views.
func newAudit(seen sighting, report verify.Report, options migration.Options) auditDocument {
	doc := auditDocument{typeMeta: kind("AuditReport"), Target: seen.Target, Time: seen.At.UTC().Format(time.RFC3339),
		FailOnWarning: options.FailOnWarning, Summary: tidy(seen.Input.Position.Summary), Report: tidyReport(report)}
	for _, line := range seen.Header {
		doc.Header = append(doc.Header, tidy(line))
	}
	for _, problem := range seen.Input.Position.Problems {
		doc.Problems = append(doc.Problems, tidy(problem))
	}
	doc.err = migration.JudgeReport(doc.Report, options)
	doc.Code = ExitCode(doc.err)
	doc.Next = nextCommand(doc, seen.Next)
	return doc
}

// nextCommand is the way on: to what is wrong, else to the migration.
func nextCommand(doc auditDocument, plan string) string {
	for _, status := range []verify.Status{verify.Fail, verify.Unknown, verify.Warn} {
		if results := doc.With(status); len(results) > 0 {
			return "awsmigrate explain " + results[0].ID
		}
	}
	return plan
}

// longest is how much of one text of the cluster is kept, in characters.
const longest = 2000

// tidy is text of the cluster as one bounded line without control characters.
func tidy(text string) string {
	if len(text) > 4*longest {
		text = text[:4*longest] // runes are 4 bytes at most
	}
	return clip(printable(text), longest, false)
}

func tidyReport(r verify.Report) verify.Report {
	results := make([]verify.Result, len(r.Results))
	for i, result := range r.Results {
		result.Reason = tidy(result.Reason)
		findings := make([]verify.Finding, len(result.Findings))
		for j, f := range result.Findings {
			findings[j] = verify.Finding{Status: f.Status, Object: tidy(f.Object), Seen: tidy(f.Seen),
				Wanted: tidy(f.Wanted), Fix: tidy(f.Fix), Reason: tidy(f.Reason)}
		}
		result.Findings = findings
		results[i] = result
	}
	r.Results = results
	for i := range r.Refused {
		r.Refused[i] = verify.Refusal{ID: tidy(r.Refused[i].ID), Reason: tidy(r.Refused[i].Reason)}
	}
	return r
}
