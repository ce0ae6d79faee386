package rkechecks

import (
	"fmt"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/rke/configtree"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkestate"
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
		found = append(found, verify.Failure(object+": "+r.Path, r.Seen, r.Wanted, ""))
	}
	return firstOf(found, p.file(), "values that rke refuses")
}

// judgeOtherProviders: custom text wins over every block.
func judgeOtherProviders(p Prepared) []verify.Finding {
	c := p.Config.CloudProvider
	if c.Custom != "" || len(c.Blocks) == 0 || c.Resolved() != rkestate.ProviderAWS {
		return nil
	}
	var keys []string
	for _, name := range c.Blocks {
		keys = append(keys, name+"CloudProvider")
	}
	return []verify.Finding{verify.Failure(p.file()+": cloud_provider."+keys[0], strings.Join(keys, ", ")+" beside name aws: rke writes its cloud config, and none of AWS",
		"the options of AWS alone", "remove "+strings.Join(keys, ", "))}
}

func judgePlaceholders(p Prepared) []verify.Finding {
	var found []verify.Finding
	for _, one := range p.File.Placeholders() {
		found = append(found, verify.Warning(fmt.Sprintf("%s:%d: %s", p.file(), one.Line, one.Path), "looks like a value of a template: "+shownAt(one.Path, one.Seen), "the value itself", ""))
	}
	return firstOf(found, p.file(), "placeholders")
}

// shownAt is a value, unless its place holds secrets.
func shownAt(path, value string) string {
	if configtree.Hidden(path) {
		return configtree.NotShown
	}
	return value
}

func judgeDuplicates(p Prepared) []verify.Finding {
	var found []verify.Finding
	for _, d := range p.File.Duplicates() {
		taken := "rke takes the last"
		if d.Merged {
			taken = "rke merges the two"
		}
		found = append(found, verify.Warning(fmt.Sprintf("%s:%d: %s", p.file(), d.Line, d.Path), fmt.Sprintf("a second time, after line %d: %s", d.First, taken), "once", ""))
	}
	return firstOf(found, p.file(), "keys twice")
}
