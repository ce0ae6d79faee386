package ccmchecks

import (
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// ccmRights judges the API server's answers about the CCM's account. A missing right shows only
// in the CCM's log, and in Nodes and Services that remain unserved.
func ccmRights(in evidence.Input) []verify.Finding {
	return verify.Judge(in.CCMRights, "rights of the CCM", func(accounts []downstream.AccountRights) []verify.Finding {
		var out []verify.Finding
		for _, a := range accounts {
			if len(a.Missing) > 0 {
				out = append(out, verify.Failure("ServiceAccount "+a.Namespace+"/"+a.Name, "may not "+strings.Join(a.Missing, ", "), "allowed", ""))
			}
		}
		return out
	})
}
