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
	nodes := runner.Compared{Kind: "nodes", By: "names, UIDs, ProviderIDs"}
	addresses := runner.Compared{Kind: "addresses of nodes", By: "as the API lists them"}
	balancers := runner.Compared{Kind: "load balancers", By: "host names of Services"}
	then, known, err := guard.Fingerprint(seen.Record)
	switch {
	case err != nil:
		nodes.Unread, addresses.Unread, balancers.Unread = err.Error(), err.Error(), err.Error()
	case !known:
		nodes.Unread, addresses.Unread, balancers.Unread = noFingerprint, noFingerprint, noFingerprint
	default:
		count(&nodes, then.UnchangedNodes(facts, seen.Reading.Refs()))
		count(&addresses, then.UnchangedAddresses(facts))
		count(&balancers, then.UnchangedLoadBalancers(facts))
	}
	return []runner.Compared{nodes, addresses, balancers}
}

const noFingerprint = "the journal has no fingerprint from before the migration"

func count(into *runner.Compared, t continuity.Tally) {
	into.Same, into.Of, into.Others = t.Same, t.Of, t.Others
	if t.Err != nil {
		into.Unread = t.Err.Error()
	}
}
