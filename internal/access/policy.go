package access

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// Policy is a policy of IAM.
type Policy struct {
	Version   string      `json:"Version"`
	Statement []Statement `json:"Statement"`
}

// Statement is what a policy allows.
type Statement struct {
	Sid      string   `json:"Sid"`
	Effect   string   `json:"Effect"`
	Action   []string `json:"Action"`
	Resource string   `json:"Resource"`
}

// policySid is that of the policy in the documentation.
const policySid = "AwsmigrateChecks"

// newPolicy allows these actions and no others; nil where there are none.
func newPolicy(actions []string) *Policy {
	if len(actions) == 0 {
		return nil
	}
	return &Policy{Version: "2012-10-17", Statement: []Statement{{Sid: policySid, Effect: "Allow", Action: actions, Resource: "*"}}}
}

// Put is the command that gives a policy in a file to an identity; "" for one that has no
// policies of its own. Its name has a digest of the actions, as Manifest's names have.
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
