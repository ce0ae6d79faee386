package rke

import (
	"fmt"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
)

// judgeAccepted: what Rancher manages Rancher has validated, and its nodes are not
// in the configuration.
func judgeAccepted(p Prepared) []verify.Finding {
	if p.managed() {
		return verify.Skipped("Rancher runs rke, and has validated the configuration")
	}
	var found []verify.Finding
	for _, r := range p.File.Refusals() {
		object := p.file()
		if r.Line > 0 {
			object = fmt.Sprintf("%s:%d", object, r.Line)
		}
		found = append(found, fail(object+": "+r.Path, r.Seen, r.Wanted, ""))
	}
	return firstOf(found, p.file(), "values that rke refuses")
}

// judgeOtherProviders: custom text wins over every block.
func judgeOtherProviders(p Prepared) []verify.Finding {
	c := p.Config.CloudProvider
	if c.Custom != "" || len(c.Blocks) == 0 || c.Resolved() != providerAWS {
		return nil
	}
	var keys []string
	for _, name := range c.Blocks {
		keys = append(keys, name+"CloudProvider")
	}
	return []verify.Finding{fail(p.file()+": cloud_provider."+keys[0], strings.Join(keys, ", ")+" beside name aws: rke writes its cloud config, and none of AWS",
		"the options of AWS alone", "remove "+strings.Join(keys, ", "))}
}
