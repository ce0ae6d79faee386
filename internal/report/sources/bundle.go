package sources

import (
	"time"

	"github.com/awsmigrate/awsmigrate/internal/plaintext"
	"github.com/awsmigrate/awsmigrate/internal/report"
	"github.com/awsmigrate/awsmigrate/internal/session/recording"
	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/record/judge"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/continuity"
)

// Bundle is one reading of a cluster, and what checks say of it.
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

// compared is how much of the cluster is as its fingerprint has it.
func compared(input evidence.Input) []record.Compared {
	all := []record.Compared{
		{Kind: "nodes", By: "names, UIDs, ProviderIDs"},
		{Kind: "addresses of nodes", By: "as the API lists them"},
		{Kind: "load balancers", By: "host names of Services"},
	}
	if input.Fingerprint == nil {
		for i := range all {
			all[i].Unread = "the bundle has no fingerprint from before a migration"
		}
		return all
	}
	then := *input.Fingerprint
	for i, t := range []continuity.Tally{then.UnchangedNodes(input.Facts, input.Machines), then.UnchangedAddresses(input.Facts), then.UnchangedLoadBalancers(input.Facts)} {
		all[i].Same, all[i].Of, all[i].Others = t.Same, t.Of, t.Others
		if t.Err != nil {
			all[i].Unread = plaintext.Tidy(t.Err.Error())
		}
	}
	return all
}
