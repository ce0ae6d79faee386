package aws

import (
	"regexp"
	"strings"
	"time"
)

func stsActions() map[string]action {
	return map[string]action{
		"GetCallerIdentity": {run: getCallerIdentity, public: true},
		"AssumeRole":        writes(assumeRole),
	}
}

type identityResult struct {
	ARN     string `xml:"Arn"`
	UserID  string `xml:"UserId"`
	Account string
}

func getCallerIdentity(c *Cloud, q *call) (any, error) {
	return identityResult{ARN: q.principal.ARN, UserID: q.principal.UserID, Account: c.account}, nil
}

type assumeRoleResult struct {
	Credentials credentialItem
	User        assumedUser `xml:"AssumedRoleUser"`
}

type credentialItem struct {
	AccessKeyID     string `xml:"AccessKeyId"`
	SecretAccessKey string
	SessionToken    string
	Expiration      string
}

type assumedUser struct {
	ARN string `xml:"Arn"`
	ID  string `xml:"AssumedRoleId"`
}

// assumeRole trusts every principal whose own policy allows sts:AssumeRole.
func assumeRole(c *Cloud, q *call) (any, error) {
	arn, session := q.str("RoleArn"), q.str("RoleSessionName")
	if !regexp.MustCompile(`^[\w+=,.@-]{2,64}$`).MatchString(session) {
		return nil, fail("ValidationError", "RoleSessionName %q must have 2 to 64 characters of [\\w+=,.@-]", session)
	}
	name, ok := strings.CutPrefix(arn, c.roleARN(""))
	if !ok || !c.roles.has(name) {
		return nil, failStatus(403, "AccessDenied", "User: %s is not authorized to perform: sts:AssumeRole on resource: %s", q.principal.ARN, arn)
	}
	k := c.credential(name, session)
	return assumeRoleResult{
		Credentials: credentialItem{
			AccessKeyID: k.id, SecretAccessKey: k.secret, SessionToken: k.token, Expiration: c.expiration(),
		},
		User: assumedUser{ARN: k.ARN, ID: k.UserID},
	}, nil
}

// expiration returns the claimed expiry of temporary credentials; the lab's never expire.
func (c *Cloud) expiration() string {
	return c.now().UTC().Add(6 * time.Hour).Format(time.RFC3339)
}

func autoscalingActions() map[string]action {
	return map[string]action{
		"DescribeAutoScalingGroups":    reads(noAutoScaling),
		"DescribeLaunchConfigurations": reads(noAutoScaling),
		"DescribeTags":                 reads(noAutoScaling),
	}
}

// noAutoScaling answers for an account without Auto Scaling groups.
func noAutoScaling(*Cloud, *call) (any, error) { return empty{}, nil }
