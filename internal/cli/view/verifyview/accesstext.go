package verifyview

import (
	"encoding/json"
	"fmt"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/awsmigrate/awsmigrate/internal/access"
	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/pkg/plaintext"
)

// policyFile is the file name of the policy in the printed commands.
const policyFile = "awsmigrate-policy.json"

// purposes describes the purposes for the first line.
var purposes = map[access.Purpose]string{
	access.Audit: "an audit (awsmigrate verify)", access.Run: "a run and its undo (awsmigrate rke2, awsmigrate rke)",
}

// writeAccessText prints a block for each side, then what to apply if rights are known to be missing. Where a
// side only did not answer, its cause is the answer: granting rights would not help.
func writeAccessText(s console.Screen, command string, doc AccessDocument) error {
	s.Prose("", fmt.Sprintf("access of these credentials for %s of %s", purposes[doc.Purpose], doc.Cluster))
	if doc.Rancher != nil {
		writeAPIAccess(s, access.InRancher, *doc.Rancher, doc.lacks())
	}
	writeAPIAccess(s, access.Here(doc.Cluster), doc.Here, doc.lacks())
	writeAWSAccess(s, doc)
	if doc.lacks() {
		if err := writeAllToApply(s, command, doc); err != nil {
			return err
		}
	}
	s.Line("")
	s.Row("", accessCounts(doc), fmt.Sprintf("exit %d", doc.Code))
	return nil
}

// lacks reports whether a right or an action is known to be missing.
func (doc AccessDocument) lacks() bool {
	return len(doc.Here.Missing)+len(doc.AWS.Missing) > 0 || doc.Rancher != nil && len(doc.Rancher.Missing) > 0
}

func writeAllToApply(s console.Screen, command string, doc AccessDocument) error {
	if doc.Rancher != nil {
		writeToApply(s, access.InRancher, doc.Rancher.Manifest, command+" -o rbac-rancher", doc.Rancher.User != "")
	}
	writeToApply(s, access.Here(doc.Cluster), doc.Here.Manifest, command+" -o rbac", doc.Here.User != "")
	return writePolicy(s, command, doc)
}

// writeAPIAccess prints one API server. Unless lists is set, its problem stands for its unknown rights.
func writeAPIAccess(s console.Screen, title string, a APIAccess, lists bool) {
	s.Line("")
	var facts []string
	for _, fact := range []string{a.Server, a.Version, prefixText("as ", a.User)} {
		if fact != "" {
			facts = append(facts, fact)
		}
	}
	s.Prose(title+"   ", strings.Join(facts, " · "))
	writeProblem(s, a.Problem, a.Seconds)
	writeCount(s, a.Needed-len(a.Missing)-len(a.Unknown), a.Needed, "rights are there")
	writeRights(s, "✗", a.Missing)
	if lists || a.Problem == nil {
		writeRights(s, "?", a.Unknown)
	}
}

func prefixText(prefix, text string) string {
	if text == "" {
		return ""
	}
	return prefix + text
}

func writeCount(s console.Screen, granted, needed int, words string) {
	if granted > 0 || needed == 0 {
		s.Line("✓  %d of %d %s", granted, needed, words)
	}
}

// writeProblem prints why a side was not asked or did not answer.
func writeProblem(s console.Screen, p *view.FaultDocument, seconds float64) {
	if p == nil {
		return
	}
	text := p.Seen
	if seconds >= 1 {
		text += fmt.Sprintf(", given up after %.0fs", seconds)
	}
	s.Prose("?  ", text)
	for _, line := range []struct{ name, text string }{{"wanted", p.Wanted}, {"cause", p.Cause}, {"fix", p.Fix}} {
		if line.text != "" {
			s.Prose(fmt.Sprintf("      %-7s", line.name), line.text)
		}
	}
}

// writeRights prints one line for each rule that would grant the rights.
func writeRights(s console.Screen, mark string, rights []access.Right) {
	for _, group := range access.Grouped(rights) {
		for _, rule := range group.Rules {
			s.Prose(mark+"  ", ruleLine(rule)+placeText(group.Namespace))
		}
	}
}

func ruleLine(rule rbacv1.PolicyRule) string {
	if rule.Resources[0] == rbacv1.ResourceAll {
		return "everything, as cluster-admin may"
	}
	names := make([]string, len(rule.Resources))
	for i, name := range rule.Resources {
		names[i] = strings.TrimSuffix(name+"."+rule.APIGroups[0], ".")
	}
	what := strings.Join(rule.Verbs, ", ") + " " + strings.Join(names, ", ")
	return strings.TrimSpace(what + " " + strings.Join(rule.ResourceNames, ", "))
}

func placeText(namespace string) string {
	if namespace == "" {
		return ""
	}
	return " in " + namespace
}

func writeAWSAccess(s console.Screen, doc AccessDocument) {
	a := doc.AWS
	s.Line("")
	var facts []string
	for _, fact := range []string{a.Account, a.Region, prefixText("as ", a.ARN), prefixText("credentials of ", a.Source)} {
		if fact != "" {
			facts = append(facts, fact)
		}
	}
	s.Prose(access.InAWS+"   ", strings.Join(facts, " · "))
	switch {
	case doc.report.AWS.Meant:
		s.Prose("–  ", "not asked: "+a.Off)
		return
	case a.Off != "":
		s.Prose("?  ", "not asked: "+a.Off)
		s.Prose("      fix    ", "name credentials with --profile or --assume-role; to leave the checks of AWS out: --aws off")
	}
	writeProblem(s, a.Problem, 0)
	if err := doc.report.AWS.Identity.Err; err != nil && a.Problem == nil && a.Off == "" {
		s.Prose("?  ", plaintext.Tidy(err.Error()))
	}
	writeCount(s, a.Needed-len(a.Missing)-len(a.Unknown), a.Needed, "actions are allowed")
	for _, action := range a.Missing {
		s.Line("✗  %s", action)
	}
	if !doc.lacks() && (a.Off != "" || a.Problem != nil) {
		return
	}
	for _, one := range doc.report.AWS.Unknown() {
		why := ""
		if a.Off == "" && a.Problem == nil {
			why = ": " + plaintext.Tidy(one.Err.Error())
		}
		s.Prose("?  ", one.Action+why)
	}
}

// writeToApply prints a whole manifest and the command that prints only the manifest. known reports whether
// the manifest names the user.
func writeToApply(s console.Screen, where, manifest, command string, known bool) {
	if manifest == "" {
		return
	}
	s.Line("")
	end := " | kubectl apply -f -"
	if !known {
		end = " > rights.yaml" // the user must be filled in
	}
	s.Prose("", fmt.Sprintf("to apply in %s as an administrator; prints only this part:", where))
	s.Command("  ", command+end)
	s.Line("")
	s.Block(manifest)
}

func writePolicy(s console.Screen, command string, doc AccessDocument) error {
	policy := doc.AWS.Policy
	if policy == nil {
		return nil
	}
	text, err := json.MarshalIndent(policy, "", "  ")
	if err != nil {
		return err
	}
	s.Line("")
	s.Prose("", "to allow in AWS as an administrator; prints only this part:")
	s.Command("  ", command+" -o iam > "+policyFile)
	if put := policy.Put(doc.AWS.ARN, policyFile); put != "" {
		s.Command("  ", put)
	}
	s.Line("")
	s.Block(string(text) + "\n")
	return nil
}

// accessCounts returns a line with the counts of all sides.
func accessCounts(doc AccessDocument) string {
	needed, missing, unknown := doc.AWS.Needed, len(doc.AWS.Missing), len(doc.AWS.Unknown)
	for _, a := range []*APIAccess{doc.Rancher, &doc.Here} {
		if a != nil {
			needed, missing, unknown = needed+a.Needed, missing+len(a.Missing), unknown+len(a.Unknown)
		}
	}
	if unknown == needed && needed > 0 {
		return fmt.Sprintf("all %d unknown", unknown)
	}
	parts := []string{fmt.Sprintf("%d of %d there", needed-missing-unknown, needed)}
	if missing > 0 {
		parts = append(parts, fmt.Sprintf("%d missing", missing))
	}
	if unknown > 0 {
		parts = append(parts, fmt.Sprintf("%d unknown", unknown))
	}
	return strings.Join(parts, " · ")
}
