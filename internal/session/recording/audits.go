package recording

import (
	"cmp"
	"reflect"

	"github.com/awsmigrate/awsmigrate/pkg/plaintext"
	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/bundle"
)

// maxFindings limits the findings that a record holds of one audit.
const maxFindings = 300

// Audited records the check results of the current step. If a waiting step checks again, only
// changed results are recorded.
func (r *Recording) Audited(report verify.Report) {
	if r == nil {
		return
	}
	audit := AuditOf(report)
	audit.Run, audit.Step = r.current()
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

// AuditOf returns a report as a record stores it, without a run: all results that are not ok,
// the worst first, and why checks were skipped. Checks that only apply at other positions are
// counted.
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
				if len(audit.Findings) == maxFindings {
					audit.Left++
					continue
				}
				audit.Findings = append(audit.Findings, one)
			}
		}
	}
	return audit
}

// findingsOf returns the findings that gave a result its status, or the reason of a result
// without findings.
func findingsOf(result verify.Result) []record.Finding {
	head := record.Finding{Check: result.ID, Title: result.Title, Status: string(result.Status)}
	var all []record.Finding
	for _, f := range result.Findings {
		if f.Status != result.Status {
			continue
		}
		one := head
		one.Object, one.Seen, one.Wanted, one.Fix = scrubbed(f.Object), scrubbed(cmp.Or(f.Seen, f.Reason)), scrubbed(f.Wanted), clipped(cmp.Or(f.Fix, result.Fix))
		if result.Status == verify.Unknown {
			one.Seen, one.Fix = scrubbed(cmp.Or(f.Reason, f.Seen)), clipped(cmp.Or(f.Fix, verify.FixUnknown))
		}
		if result.Status == verify.Skip {
			one.Fix = ""
		}
		all = append(all, one)
	}
	if len(all) == 0 {
		head.Seen = scrubbed(result.Reason)
		all = append(all, head)
	}
	return all
}

// maxText limits one text of a finding, in characters.
const maxText = 600

// scrubbed returns a text from the cluster, without secrets.
func scrubbed(text string) string { return clipped(bundle.Scrub(text)) }

// clipped returns a text of awsmigrate, within the limit.
func clipped(text string) string {
	return plaintext.Clip(plaintext.Tidy(text), maxText, false)
}
