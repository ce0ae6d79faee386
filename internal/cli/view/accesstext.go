package view

import (
	"encoding/json"
	"fmt"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/awsmigrate/awsmigrate/internal/access"
	"github.com/awsmigrate/awsmigrate/internal/plaintext"
)

// policyFile is where a pasted policy is expected.
const policyFile = "awsmigrate-policy.json"

// purposes are what the rights are for, in the first line.
var purposes = map[access.Purpose]string{
	access.Audit: "an audit (awsmigrate verify)", access.Run: "a run and its undo (awsmigrate rke2, awsmigrate rke)",
}

// writeAccessText is a block for every side, and then what is to be applied.
func writeAccessText(s screen, command string, doc AccessDocument) error {
	s.line("access of these credentials for %s of %s", purposes[doc.Purpose], doc.Cluster)
	if doc.Rancher != nil {
		writeAPIAccess(s, access.InRancher, *doc.Rancher)
	}
	writeAPIAccess(s, access.Here(doc.Cluster), doc.Here)
	writeAWSAccess(s, doc)
	if doc.Rancher != nil {
		s.piece(access.InRancher, doc.Rancher.Manifest, command+" -o rbac-rancher", doc.Rancher.User != "")
	}
	s.piece(access.Here(doc.Cluster), doc.Here.Manifest, command+" -o rbac", doc.Here.User != "")
	if err := writePolicy(s, command, doc); err != nil {
		return err
	}
	s.line("")
	s.line("%s", tailed(accessCounts(doc), fmt.Sprintf("exit %d", doc.Code), s.width))
	return nil
}

func writeAPIAccess(s screen, title string, a APIAccess) {
	s.line("")
	var facts []string
	for _, fact := range []string{a.Server, a.Version, prefixed("as ", a.User)} {
		if fact != "" {
			facts = append(facts, fact)
		}
	}
	s.prose(title+"   ", strings.Join(facts, " · "))
	s.problem(a.Problem, a.Seconds)
	s.counted(a.Needed-len(a.Missing)-len(a.Unknown), a.Needed, "rights are there")
	s.rights("✗", a.Missing)
	s.rights("?", a.Unknown)
}

func prefixed(prefix, text string) string {
	if text == "" {
		return ""
	}
	return prefix + text
}

func (s screen) counted(there, needed int, words string) {
	if there > 0 || needed == 0 {
		s.line("✓  %d of %d %s", there, needed, words)
	}
}

// problem is why a side was not asked, or did not answer.
func (s screen) problem(p *FaultDocument, seconds float64) {
	if p == nil {
		return
	}
	text := p.Seen
	if seconds >= 1 {
		text += fmt.Sprintf(", given up after %.0fs", seconds)
	}
	s.prose("?  ", text)
	for _, line := range []struct{ name, text string }{{"wanted", p.Wanted}, {"cause", p.Cause}, {"fix", p.Fix}} {
		if line.text != "" {
			s.prose(fmt.Sprintf("      %-7s", line.name), line.text)
		}
	}
}

// rights are a line for each rule that would give them.
func (s screen) rights(mark string, rights []access.Right) {
	for _, group := range access.Grouped(rights) {
		for _, rule := range group.Rules {
			s.prose(mark+"  ", ruleLine(rule)+where(group.Namespace))
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

func where(namespace string) string {
	if namespace == "" {
		return ""
	}
	return " in " + namespace
}

func writeAWSAccess(s screen, doc AccessDocument) {
	a := doc.AWS
	s.line("")
	var facts []string
	for _, fact := range []string{a.Account, a.Region, prefixed("as ", a.ARN), prefixed("credentials of ", a.Source)} {
		if fact != "" {
			facts = append(facts, fact)
		}
	}
	s.prose(access.InAWS+"   ", strings.Join(facts, " · "))
	switch {
	case doc.report.AWS.Meant:
		s.prose("–  ", "not asked: "+a.Off)
		return
	case a.Off != "":
		s.prose("?  ", "not asked: "+a.Off)
		s.prose("      fix    ", "name credentials with --profile or --assume-role; to leave the checks of AWS out: --aws off")
	}
	s.problem(a.Problem, 0)
	if err := doc.report.AWS.Identity.Err; err != nil && a.Problem == nil && a.Off == "" {
		s.prose("?  ", plaintext.Tidy(err.Error()))
	}
	s.counted(a.Needed-len(a.Missing)-len(a.Unknown), a.Needed, "actions are allowed")
	for _, action := range a.Missing {
		s.line("✗  %s", action)
	}
	for _, one := range doc.report.AWS.Unknown() {
		why := ""
		if a.Off == "" && a.Problem == nil {
			why = ": " + plaintext.Tidy(one.Err.Error())
		}
		s.prose("?  ", one.Action+why)
	}
}

// piece is a manifest, whole, so that it can be copied, and the command that prints
// nothing else. known says whether a user is in it.
func (s screen) piece(where, manifest, command string, known bool) {
	if manifest == "" {
		return
	}
	s.line("")
	end := " | kubectl apply -f -"
	if !known {
		end = " > rights.yaml" // somebody has to put a user in
	}
	s.line("to apply in %s, by somebody who may grant it; this part alone:", where)
	s.line("  %s", command+end)
	s.line("")
	s.text(manifest)
}

// text is many lines as they are, but for control characters.
func (s screen) text(text string) {
	for line := range strings.Lines(text) {
		fmt.Fprintln(s.out, s.plain(line))
	}
}

func writePolicy(s screen, command string, doc AccessDocument) error {
	policy := doc.AWS.Policy
	if policy == nil {
		return nil
	}
	text, err := json.MarshalIndent(policy, "", "  ")
	if err != nil {
		return err
	}
	s.line("")
	s.line("to allow in AWS, by somebody who may; this part alone:")
	s.line("  %s -o iam > %s", command, policyFile)
	if put := policy.Put(doc.AWS.ARN, policyFile); put != "" {
		s.line("  %s", put)
	}
	s.line("")
	s.text(string(text) + "\n")
	return nil
}

// accessCounts is one line of counts over all sides.
func accessCounts(doc AccessDocument) string {
	needed, missing, unknown := doc.AWS.Needed, len(doc.AWS.Missing), len(doc.AWS.Unknown)
	for _, a := range []*APIAccess{doc.Rancher, &doc.Here} {
		if a != nil {
			needed, missing, unknown = needed+a.Needed, missing+len(a.Missing), unknown+len(a.Unknown)
		}
	}
	parts := []string{fmt.Sprintf("%d of %d there", needed-missing-unknown, needed)}
	if missing > 0 {
		parts = append(parts, fmt.Sprintf("%d missing", missing))
	}
	if unknown > 0 {
		parts = append(parts, fmt.Sprintf("%d not known", unknown))
	}
	return strings.Join(parts, " · ")
}
