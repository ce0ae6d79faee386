package remedy

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/standin"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
	"github.com/awsmigrate/awsmigrate/test/lab/aws"
)

// trap describes one fault, the check that must find it alone, and the objects to name.
type trap struct {
	name, check string
	status      verify.Status
	objects     []string
	breaks      []breakage // in turn, each after the previous fix
	cluster     string     // the cluster's ID if it is not standin.Cluster
}

func traps() []trap {
	node := []string{"Node " + standin.Name(nodes-1) + " (" + worker + ")"}
	subnet := []string{"subnet " + aws.New(aws.Options{}).Network().Subnets[zone]}
	role := "arn:aws:iam::123456789012:role/" + aws.RoleControlPlane
	instance := []string{"instance " + lostID}
	const needed, helpful = "ec2:DescribeSubnets", "elasticloadbalancing:DeregisterTargets"
	return []trap{
		{"an instance without tag", "AWSM-406", verify.Fail, node, []breakage{untaggedInstance}, ""},
		{"a blank in the cluster's id", "AWSM-406", verify.Fail, node, []breakage{untaggedInstance}, "my cluster"},
		{"a subnet without tag", "AWSM-408", verify.Warn, subnet, []breakage{untaggedSubnet}, ""},
		{"tokens required", "AWSM-409", verify.Warn, node, []breakage{metadata("required", aws.EndpointEnabled)}, ""},
		{"no metadata service", "AWSM-409", verify.Warn, node, []breakage{metadata("optional", aws.EndpointDisabled), metadata("required", aws.EndpointDisabled)}, ""},
		{"an action is missing, then another", "AWSM-418", verify.Fail, []string{role}, []breakage{denied(needed), denied(needed, "ec2:DescribeVpcs")}, ""},
		{"an action it can do without", "AWSM-418", verify.Warn, []string{role}, []breakage{denied(helpful)}, ""},
		{"one of each", "AWSM-418", verify.Fail, []string{role, role}, []breakage{denied(needed, helpful)}, ""},
		{"an instance without Node", "AWSM-422", verify.Warn, instance, []breakage{lost(nil)}, ""},
		{"by the old tag", "AWSM-422", verify.Warn, instance, []breakage{lostByOldTag}, ""},
		{"a release in default", "AWSM-601", verify.Fail, []string{"Helm release default/" + wellknown.CCM}, []breakage{installed}, ""},
	}
}

func TestFixesMend(t *testing.T) {
	k := newKube(t)
	newCluster(t, k, "").mustBeSound(t, "")
	for _, tc := range traps() {
		t.Run(tc.name, func(t *testing.T) {
			c := newCluster(t, k, tc.cluster)
			for _, breaks := range tc.breaks {
				breaks(t, c)
				for _, command := range tc.fixes(t, c.audit(t)) {
					t.Log(command)
					must(t, c.paste(t.Context(), command))
				}
				c.mustBeSound(t, tc.check)
			}
		})
	}
	t.Run("refused", func(t *testing.T) { refused(t, newCluster(t, k, "")) })
}

// mustBeSound requires an audit without findings in which the given check passes.
func (c *cluster) mustBeSound(t *testing.T, check string) {
	t.Helper()
	for _, result := range c.audit(t).Results {
		if wrong(result) || result.ID == check && result.Status != verify.OK {
			t.Fatalf("%s is %s %s: %+v", result.ID, result.Status, result.Reason, result.Findings)
		}
	}
}

func wrong(r verify.Result) bool { return r.Status != verify.OK && r.Status != verify.Skip }

// commandLine matches a fix that is, or ends with, a command.
var commandLine = regexp.MustCompile(`(?:^|: )((?:aws|helm) .+)$`)

// fixes returns the commands of the trap's check, which must be the only failed one.
func (tc trap) fixes(t *testing.T, report verify.Report) (commands []string) {
	t.Helper()
	var objects []string
	for _, result := range report.Results {
		switch {
		case !wrong(result):
			continue
		case result.ID != tc.check || result.Status != tc.status:
			t.Errorf("%s is %s, want only %s to be wrong: %+v", result.ID, result.Status, tc.check, result.Findings)
		}
		for _, finding := range result.Findings {
			objects = append(objects, finding.Object)
			match := commandLine.FindStringSubmatch(finding.Fix)
			if match == nil {
				t.Fatalf("no command in %q", finding.Fix)
			}
			commands = append(commands, match[1])
		}
	}
	if !slices.Equal(objects, tc.objects) {
		t.Errorf("wrong with %q, want %q", objects, tc.objects)
	}
	return commands
}

// refused checks that the stand-ins refuse unknown arguments as the real tools do.
func refused(t *testing.T, c *cluster) {
	const tags = "aws ec2 create-tags --region us-east-1 "
	words := os.Getenv(realAWS) == "" // the real CLI has other wording
	for line, want := range map[string]string{
		"aws ec2 make-tags":    "invalid choice",
		"aws":                  "invalid choice",
		tags + "--resources":   "--resources with a value",
		tags + "--resources x": "arguments are required: --tags",
		tags + "--resources x --tags Key=a --colour b":                                                             "unknown options: --colour",
		tags + "--resources x --tags Key=a --region b c":                                                           "unknown options: c",
		tags + "--resources x --tags Name=a":                                                                       `"Name=a", wanted Key=`,
		tags + "--resources x --tags Key=a,Value=b c":                                                              `"c", wanted Key=`,
		tags + "--resources " + lostID + " --tags Key=a,Value=b":                                                   "InvalidInstanceID.NotFound",
		"aws ec2 create-tags --resources x --tags Key=a,Value=b":                                                   "you must specify a region",
		"aws ec2 modify-instance-metadata-options --region r --instance-id " + worker + " --http-tokens optional,": "InvalidParameterValue",
		"aws iam put-role-policy --role-name worker --policy-name p --policy-document {}":                          "MalformedPolicyDocument",
		"helm -n default remove x":                                                                                 "wanted uninstall",
		"helm -n default uninstall":                                                                                "wanted uninstall",
		"helm --ns default uninstall":                                                                              "unknown flag: --ns",
		"helm -n default uninstall x":                                                                              "release: not found",
	} {
		if err := c.paste(t.Context(), line); err == nil || words && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", line, err, want)
		}
	}
}
