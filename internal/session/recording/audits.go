package recording

import (
	"cmp"
	"reflect"

	"github.com/awsmigrate/awsmigrate/internal/plaintext"
	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/bundle"
)

// mostFindings bounds the findings that are kept of one audit.
const mostFindings = 300

// Audited keeps what the checks of the step under way came to. Of a step that waits and
// checks again only what is news is kept.
func (r *Recording) Audited(report verify.Report) {
	if r == nil {
		return
	}
	audit := AuditOf(report)
	audit.Run, audit.Step = r.underWay()
	if audit.Step == "" {
		return
	}
	r.mu.Lock()
	known := reflect.DeepEqual(r.audited, audit)
	r.audited = audit
	r.mu.Unlock()
	if !known {
		r.add(record.Entry{Audit: &audit})
	}
}

// AuditOf is a report as a record keeps it, of no run: all that is not ok, the gravest
// first, and why a check was skipped, unless it applies at other positions alone.
func AuditOf(report verify.Report) record.Audit {
	audit := record.Audit{Position: report.Position.String(), Counts: map[string]int{}, Partial: report.Partial}
	for status, n := range report.Counts {
		audit.Counts[string(status)] = n
	}
	for _, status := range []verify.Status{verify.Fail, verify.Unknown, verify.Warn, verify.Skip} {
		for _, result := range report.With(status) {
			if status == verify.Skip && report.Elsewhere(result) {
				audit.Elsewhere++
				continue
			}
			for _, one := range findingsOf(result) {
				if len(audit.Findings) == mostFindings {
					audit.Left++
					continue
				}
				audit.Findings = append(audit.Findings, one)
			}
		}
	}
	return audit
}

// findingsOf are the findings that gave a result its status; of one without any its reason.
func findingsOf(result verify.Result) []record.Finding {
	head := record.Finding{Check: result.ID, Title: result.Title, Status: string(result.Status)}
	var all []record.Finding
	for _, f := range result.Findings {
		if f.Status != result.Status {
			continue
		}
		one := head
		one.Object, one.Seen, one.Wanted, one.Fix = said(f.Object), said(cmp.Or(f.Seen, f.Reason)), said(f.Wanted), bounded(cmp.Or(f.Fix, result.Fix))
		if result.Status == verify.Unknown {
			one.Seen, one.Fix = said(cmp.Or(f.Reason, f.Seen)), bounded(cmp.Or(f.Fix, verify.FixUnknown))
		}
		if result.Status == verify.Skip {
			one.Fix = ""
		}
		all = append(all, one)
	}
	if len(all) == 0 {
		head.Seen = said(result.Reason)
		all = append(all, head)
	}
	return all
}

// longestText bounds one text of a finding, in characters.
const longestText = 600

// said is what was seen of a cluster, which may hold a secret.
func said(text string) string { return bounded(bundle.Scrub(text)) }

// bounded is text of this program's own.
func bounded(text string) string {
	return plaintext.Clip(plaintext.Tidy(text), longestText, false)
}
