package aws

import (
	"regexp"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// A missing or empty element that AWS always sends must not count as read.
func TestRead_missingElement_notRead(t *testing.T) {
	nodes, instances := many(3, "us-east-1", "demo")
	instance := func(f cloud.Facts) cloud.Instance { return f.Instances.Value["i-aa000000"] }
	for name, tc := range map[string]struct {
		action, element string // whose text is emptied
		unread          func(cloud.Facts) bool
	}{
		"the instance's id":        {"DescribeInstances", "instanceId", func(f cloud.Facts) bool { return f.MissedIn("us-east-1a") != "" || f.Instances.Err != nil }},
		"the endpoint":             {"DescribeInstances", "httpEndpoint", func(f cloud.Facts) bool { return instance(f).HTTPTokens == "" }},
		"the tokens":               {"DescribeInstances", "httpTokens", func(f cloud.Facts) bool { return instance(f).HTTPTokens == "" }},
		"the profile's name":       {"DescribeInstances", "arn", func(f cloud.Facts) bool { return f.Roles.Err != nil }},
		"the group's id":           {"DescribeSecurityGroups", "groupId", func(f cloud.Facts) bool { return f.SecurityGroups.Err != nil }},
		"the subnet's id":          {"DescribeSubnets", "subnetId", func(f cloud.Facts) bool { return f.Subnets.Err != nil }},
		"the table's id":           {"DescribeRouteTables", "routeTableId", func(f cloud.Facts) bool { return f.RouteTables.Err != nil }},
		"the account":              {"GetCallerIdentity", "Account", func(f cloud.Facts) bool { return f.Identity.Err != nil }},
		"who asked":                {"GetCallerIdentity", "Arn", func(f cloud.Facts) bool { return f.Identity.Err != nil }},
		"the role":                 {"GetInstanceProfile", "Arn", func(f cloud.Facts) bool { return f.Roles.Err != nil }},
		"the profile's roles":      {"GetInstanceProfile", "Roles", func(f cloud.Facts) bool { return f.Roles.Err != nil }},
		"what a simulation says":   {"SimulatePrincipalPolicy", "EvalDecision", func(f cloud.Facts) bool { return f.Roles.Err != nil }},
		"the simulated actions":    {"SimulatePrincipalPolicy", "EvalActionName", func(f cloud.Facts) bool { return f.Roles.Err != nil }},
		"where the next page is":   {"SimulatePrincipalPolicy", "Marker", func(f cloud.Facts) bool { return f.Roles.Err != nil }},
		"an instance's whole zone": {"DescribeInstances", "placement", func(f cloud.Facts) bool { return instance(f).Zone == "" && instance(f).Region == "us-east-1" }},
	} {
		t.Run(name, func(t *testing.T) {
			whole := regexp.MustCompile(`(?s)<` + tc.element + `>.*?</` + tc.element + `>`)
			for _, put := range []string{"", "<" + tc.element + "></" + tc.element + ">"} {
				left := false
				serve(t, &fake{instances: instances, change: func(action, body string) string {
					if action != tc.action {
						return body
					}
					left = left || strings.Contains(body, "<"+tc.element+">")
					return whole.ReplaceAllString(body, put)
				}})
				if got := Read(t.Context(), nodes, quick); !tc.unread(got) || !left {
					t.Errorf("with %q: read all the same (left out: %v): %+v", put, left, got)
				}
			}
		})
	}
	serve(t, &fake{instances: instances})
	if got := Read(t.Context(), []downstream.Node{nodes[0]}, quick); !got.Roles.OK() || !got.Identity.OK() || got.Missed != nil {
		t.Errorf("whole answers: %+v", got)
	}
}
