package awschecks

import (
	"strings"
	"testing"
)

// put-role-policy replaces a policy of the same name.
func TestOtherActionsAreAnotherPolicy(t *testing.T) {
	name := func(actions ...string) string {
		_, rest, _ := strings.Cut(grantCommand("arn:aws:iam::1:role/cp", "ccm-required", actions), "--policy-name ")
		name, _, _ := strings.Cut(rest, " ")
		return name
	}
	a, b := name("ec2:DescribeSubnets"), name("ec2:DescribeVpcs")
	if a == b || a != name("ec2:DescribeSubnets") || len(a) > 128 {
		t.Errorf("policies %s and %s", a, b)
	}
}
