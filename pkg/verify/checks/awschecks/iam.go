package awschecks

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
)

func iamActions(in evidence.Input) []verify.Finding {
	config, _ := in.Overrides()
	if role := config.RoleARN; role != "" {
		in.Cloud.Roles.Value = slices.DeleteFunc(slices.Clone(in.Cloud.Roles.Value), func(r cloud.RoleRights) bool { return r.Role != role })
	}
	return in.Hedged(rightsOf(in, config.RoleARN))
}

// rightsOf judges the roles that IAM was asked about. assumed is the role in the cloud config
// that the CCM assumes, or empty if the CCM uses those of its instances.
func rightsOf(in evidence.Input, assumed string) []verify.Finding {
	return in.WithAWS(func(pairs []evidence.Pair) []verify.Finding {
		return verify.Judge(in.Cloud.Roles, "IAM", func(roles []cloud.RoleRights) []verify.Finding {
			if len(roles) == 0 && assumed != "" {
				return []verify.Finding{verify.Undecided("IAM", "the CCM assumes role "+assumed+" of the cloud config (RoleARN), which was not asked about")}
			}
			if len(roles) == 0 {
				return []verify.Finding{verify.Undecided("IAM", "no control-plane instance has an instance profile: the CCM's credentials come from elsewhere")}
			}
			out := withoutProfile(pairs)
			for _, r := range roles {
				out = append(out, missingActions(r)...)
			}
			return out
		})
	})
}

// withoutProfile returns a finding for control planes on which a CCM would have no credentials,
// if it has some on others.
func withoutProfile(pairs []evidence.Pair) []verify.Finding {
	var out []verify.Finding
	for _, p := range pairs {
		if p.There() && p.Node.ControlPlane() && p.Instance.InstanceProfile == "" {
			out = append(out, verify.Warning(p.Object(), "no instance profile", "the one of the other control planes", ""))
		}
	}
	return out
}

// tolerable holds actions without which the CCM continues: it logs an error, or works in part.
var tolerable = map[string]bool{
	"elasticloadbalancing:DeregisterTargets": true, "ec2:DescribeInstanceTopology": true, "elasticloadbalancing:SetSecurityGroups": true,
	"elasticloadbalancing:DescribeTargetGroupAttributes": true, "elasticloadbalancing:ModifyTargetGroupAttributes": true,
}

func missingActions(r cloud.RoleRights) []verify.Finding {
	var hard, soft, forbidden []string
	for _, a := range slices.Sorted(slices.Values(r.Denied)) {
		switch {
		case slices.Contains(r.Forbidden, a):
			forbidden = append(forbidden, a)
		case tolerable[a]:
			soft = append(soft, a)
		default:
			hard = append(hard, a)
		}
	}
	var out []verify.Finding
	if len(forbidden) > 0 {
		finding := verify.Failure(r.Role, "is denied "+strings.Join(forbidden, ", ")+" by a policy", "allowed", "take the actions out of the policy statement with Effect Deny; a statement that allows them does not help")
		if !slices.ContainsFunc(forbidden, func(a string) bool { return !tolerable[a] }) {
			finding.Status = verify.Warn
		}
		out = append(out, finding)
	}
	if len(hard) > 0 {
		out = append(out, verify.Failure(r.Role, "lacks "+strings.Join(hard, ", "), "allowed", grantCommand(r.Role, "ccm-required", hard)))
	}
	if len(soft) > 0 {
		out = append(out, verify.Warning(r.Role, "lacks "+strings.Join(soft, ", "), "allowed; without it the CCM works in part", grantCommand(r.Role, "ccm-optional", soft)))
	}
	return out
}

// roleARN matches the ARN of a role, with or without a path (IAM reference, "IAM ARNs").
var roleARN = regexp.MustCompile(`^arn:[a-z-]+:iam::\d*:role/(?:[\x21-\x7e]+/)?[\w+=,.@-]+$`)

type policy struct {
	Version   string
	Statement []statement
}

type statement struct {
	Sid, Effect string
	Action      []string
	Resource    string
}

// grantCommand returns a command to paste. It adds an inline policy with only the missing
// actions, and changes no other policy. put-role-policy replaces a policy of the same name, so
// the name depends on the actions.
func grantCommand(role, name string, actions []string) string {
	if !roleARN.MatchString(role) {
		return ""
	}
	document, err := json.Marshal(policy{"2012-10-17", []statement{{"AWSCloudControllerManager", "Allow", actions, "*"}}})
	if err != nil {
		return ""
	}
	digest := sha256.Sum256(document)
	return fault.Command("aws", "iam", "put-role-policy", "--role-name", role[strings.LastIndex(role, "/")+1:],
		"--policy-name", fmt.Sprintf("awsmigrate-%s-%x", name, digest[:4]), "--policy-document", string(document))
}
