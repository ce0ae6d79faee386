package verifyview

import (
	"cmp"
	"time"

	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/pkg/plaintext"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
)

// AuditDocument is the document of `verify`. All other views show its contents.
type AuditDocument struct {
	view.TypeMeta
	Target    AuditTarget `json:"target"`
	Header    []string    `json:"header"`
	Time      string      `json:"time"` // when the cluster was read, RFC 3339
	Preflight bool        `json:"preflight,omitempty"`
	// FailOnWarning reports whether warnings count for the exit code.
	FailOnWarning bool     `json:"failOnWarning,omitempty"`
	Summary       string   `json:"summary"`            // of the position
	Problems      []string `json:"problems,omitempty"` // what makes the position unclear
	verify.Report
	Seconds float64 `json:"seconds"`        // time for reading and judging
	Next    string  `json:"next,omitempty"` // the next command
	Code    int     `json:"code"`           // the exit code

	outcome    error
	categories []string
	where      string // the position in words
}

// AuditTarget identifies the cluster of a report.
type AuditTarget struct {
	Kind      string `json:"kind"` // "rke2", "rke", or "kubernetes" if only the API is known
	Name      string `json:"name"`
	Namespace string `json:"namespace,omitempty"` // of Rancher's Cluster object
	UID       string `json:"uid,omitempty"`       // of the namespace kube-system
}

// Audited holds what a report contains besides its results.
type Audited struct {
	Target        AuditTarget
	Header        []string // cluster and position
	At            time.Time
	Summary       string   // of the position
	Where         string   // the position in words
	Problems      []string // what makes the position unclear
	Program       string   // how users start this program; may be empty
	Next          string   // the next command after a good report, or ""
	FailOnWarning bool     // whether warnings count for the exit code
	Categories    []string // of all checks, in display order
	Outcome       error    // the error of the report, or nil
}

// NewAudit returns the document of one reading. It sanitizes texts of the cluster for all views.
func NewAudit(of Audited, report verify.Report) AuditDocument {
	doc := AuditDocument{TypeMeta: view.KindOf("AuditReport"), Target: of.Target, Time: of.At.UTC().Format(time.RFC3339),
		FailOnWarning: of.FailOnWarning, Summary: plaintext.Tidy(of.Summary), Report: TidyReport(report),
		categories: of.Categories, where: plaintext.Tidy(of.Where), outcome: of.Outcome, Code: view.ExitCode(of.Outcome)}
	for _, line := range of.Header {
		doc.Header = append(doc.Header, plaintext.Tidy(line))
	}
	for _, problem := range of.Problems {
		doc.Problems = append(doc.Problems, plaintext.Tidy(problem))
	}
	doc.Next = nextCommand(cmp.Or(of.Program, "awsmigrate"), doc, of.Next)
	return doc
}

// Outcome returns the error of the report, or nil.
func (doc AuditDocument) Outcome() error { return doc.outcome }

// nextCommand returns the command that explains the gravest result, else the given plan.
func nextCommand(program string, doc AuditDocument, plan string) string {
	for _, status := range []verify.Status{verify.Fail, verify.Unknown, verify.Warn} {
		if results := doc.With(status); len(results) > 0 {
			return program + " explain " + results[0].ID
		}
	}
	return plan
}

// TidyReport returns a report with sanitized texts.
func TidyReport(r verify.Report) verify.Report {
	results := make([]verify.Result, len(r.Results))
	for i, result := range r.Results {
		result.Reason = plaintext.Tidy(result.Reason)
		findings := make([]verify.Finding, len(result.Findings))
		for j, f := range result.Findings {
			findings[j] = verify.Finding{Status: f.Status, Object: plaintext.Tidy(f.Object), Seen: plaintext.Tidy(f.Seen),
				Wanted: plaintext.Tidy(f.Wanted), Fix: plaintext.Tidy(f.Fix), Reason: plaintext.Tidy(f.Reason)}
		}
		result.Findings = findings
		results[i] = result
	}
	r.Results = results
	for i := range r.Refused {
		r.Refused[i] = verify.Refusal{ID: plaintext.Tidy(r.Refused[i].ID), Reason: plaintext.Tidy(r.Refused[i].Reason)}
	}
	return r
}
