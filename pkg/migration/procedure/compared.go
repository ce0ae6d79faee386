package procedure

import (
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/guard"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/verify/continuity"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// compared is how much of the cluster is as the fingerprint has it, by what an audit read.
func compared(seen migration.Snapshot, facts downstream.Facts) []runner.Compared {
	nodes := runner.Compared{Kind: "nodes", By: "names, UIDs, ProviderIDs, addresses"}
	balancers := runner.Compared{Kind: "load balancers", By: "host names of Services"}
	then, known, err := guard.Fingerprint(seen.Record)
	switch {
	case err != nil:
		nodes.Unread, balancers.Unread = err.Error(), err.Error()
	case !known:
		nodes.Unread, balancers.Unread = noFingerprint, noFingerprint
	default:
		count(&nodes, then.UnchangedNodes(facts, seen.Reading.Refs()))
		count(&balancers, then.UnchangedLoadBalancers(facts))
	}
	return []runner.Compared{nodes, balancers}
}

const noFingerprint = "the journal has no fingerprint from before the migration"

func count(into *runner.Compared, t continuity.Tally) {
	into.Same, into.Of, into.Others = t.Same, t.Of, t.Others
	if t.Err != nil {
		into.Unread = t.Err.Error()
	}
}
