package checks

import (
	"slices"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/awschecks"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/ccmchecks"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/lbchecks"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// all returns the checks of this package, by ID.
func all() []verify.Check[evidence.Input] {
	var all []verify.Check[evidence.Input]
	for _, category := range [][]verify.Check[evidence.Input]{
		clusterChecks(), leaderChecks(), nodeChecks(), awschecks.All(), storageChecks(), ccmchecks.All(), serviceChecks(), lbchecks.All(),
	} {
		all = append(all, category...)
	}
	return readable(all)
}

// For returns the checks of a distribution.
func For(d wellknown.Distribution) []verify.Check[evidence.Input] {
	return slices.DeleteFunc(all(), func(c verify.Check[evidence.Input]) bool { return slices.Contains(c.NotFor, d) })
}

func at(ps ...position.Position) []position.Position { return ps }

// nodesOf returns a judgement that judges every Node separately.
func nodesOf(judge func(downstream.Node) []verify.Finding) func(evidence.Input) []verify.Finding {
	return func(in evidence.Input) []verify.Finding {
		return verify.Judge(in.Nodes, "nodes", func(nodes []downstream.Node) []verify.Finding {
			var out []verify.Finding
			for _, n := range nodes {
				out = append(out, judge(n)...)
			}
			return out
		})
	}
}
