package rkechecks

import (
	"github.com/awsmigrate/awsmigrate/pkg/migration/audit"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/verify/rules"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

const category = "rke"

// All returns the checks of RKE's side of the cluster: cluster.yml, rke's state, the binary
// and the names of the nodes. IDs are never reused.
func All() []verify.Check[Prepared] {
	var all []verify.Check[Prepared]
	for _, part := range [][]verify.Check[Prepared]{clusterChecks(), fileChecks(), binaryChecks(), argumentChecks(), nameChecks(), installChecks()} {
		all = append(all, part...)
	}
	return all
}

// Metas returns the descriptions of all checks of an RKE migration; it needs no cluster.
func Metas() []verify.Meta {
	return audit.CheckMetas(wellknown.RKE, verify.Metas(All()...))
}

// installChecks returns the checks of the installation of the chart.
func installChecks() []verify.Check[Prepared] {
	return []verify.Check[Prepared]{
		{Judge: requires(Prepared.ChartFindings, haveChart), Meta: rules.Chart().Vary(verify.Variant{
			LiveOnly: true,
			Applies:  position.BeforeInstall(),
			Why:      rules.ChartWhy,
			Source:   "helm.sh/helm/v3 ownership rules",
			Fix:      rules.ChartFix,
		})},
		{Judge: requires(Prepared.ConcernFindings, haveChart), Meta: rules.ChartValues()},
	}
}
