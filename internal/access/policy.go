package access

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// Policy is an IAM policy.
type Policy struct {
	Version   string      `json:"Version"`
	Statement []Statement `json:"Statement"`
}

// Statement is a statement of a policy.
type Statement struct {
	Sid      string   `json:"Sid"`
	Effect   string   `json:"Effect"`
	Action   []string `json:"Action"`
	Resource string   `json:"Resource"`
}

// policySid is the Sid of the documented policy.
const policySid = "AwsmigrateChecks"

// newPolicy returns a policy that allows exactly these actions, or nil without actions.
func newPolicy(actions []string) *Policy {
	if len(actions) == 0 {
		return nil
	}
	return &Policy{Version: "2012-10-17", Statement: []Statement{{Sid: policySid, Effect: "Allow", Action: actions, Resource: "*"}}}
}

// Put returns the command that attaches the policy in a file to an identity, or "" if such an
// identity has no policies. The policy's name contains a digest of the actions, as in Manifest.
func (p *Policy) Put(arn, file string) string {
	sum := sha256.Sum256([]byte(strings.Join(p.Statement[0].Action, " ")))
	rest := []string{"--policy-name", policySid + "-" + hex.EncodeToString(sum[:4]), "--policy-document", "file://" + file}
	_, who, _ := strings.Cut(arn, "::") // arn:aws:iam::<account>:user/<path>/<name>
	_, who, _ = strings.Cut(who, ":")
	switch parts := strings.Split(who, "/"); {
	case parts[0] == "user":
		return fault.Command(append([]string{"aws", "iam", "put-user-policy", "--user-name", parts[len(parts)-1]}, rest...)...)
	case parts[0] == "assumed-role" && len(parts) == 3: // assumed-role/<role>/<session>
		return fault.Command(append([]string{"aws", "iam", "put-role-policy", "--role-name", parts[1]}, rest...)...)
	}
	return ""
}
