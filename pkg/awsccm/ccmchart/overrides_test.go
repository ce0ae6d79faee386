package ccmchart

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
)

func TestOverrides(t *testing.T) {
	for name, tt := range map[string]struct {
		text  string
		want  cloud.Config
		fails bool
	}{
		"empty_none": {"", cloud.Config{}, false},
		"all keys": {"[Global]\nKubernetesClusterID = demo\nVPC=vpc-1\nSubnetID = subnet-1\nRouteTableID = rtb-1\nRoleARN = arn:aws:iam::1:role/k8s\nZone = us-east-1a\nDisableSecurityGroupIngress = true\nElbSecurityGroup = sg-9\n",
			cloud.Config{ClusterID: "demo", VPC: "vpc-1", SubnetID: "subnet-1", RouteTableID: "rtb-1", RoleARN: "arn:aws:iam::1:role/k8s", Zone: "us-east-1a", NoIngress: true}, false},
		"any case_read":                 {"[GLOBAL]\nkubernetesclustertag = demo\n", cloud.Config{ClusterTag: "demo"}, false},
		"quotes and comments_removed":   {"; x\n[Global] # y\nKubernetesClusterID = \"de#mo\" ; z\nVPC = vpc-1 # old\n", cloud.Config{ClusterID: "de#mo", VPC: "vpc-1"}, false},
		"escape_removed":                {"[Global]\nKubernetesClusterID = \"de\\\"mo\"\n", cloud.Config{ClusterID: `de"mo`}, false},
		"twice_last":                    {"[Global]\nVPC = a\nVPC = b\n", cloud.Config{VPC: "b"}, false},
		"empty value_empty":             {"[Global]\nKubernetesClusterID =\n", cloud.Config{}, false},
		"another section_ignored":       {"[ServiceOverride \"1\"]\nRegion = us-east-1\nVPC = x\n", cloud.Config{}, false},
		"boolean alone_true":            {"[Global]\nDisableSecurityGroupIngress\n", cloud.Config{NoIngress: true}, false},
		"boolean off_false":             {"[Global]\nDisableSecurityGroupIngress = off\n", cloud.Config{}, false},
		"unreadable section_error":      {"[Global\nVPC = a\n", cloud.Config{}, true},
		"longer than the bound_error":   {"[Global]\nVPC = " + strings.Repeat("x", maxCloudConfig), cloud.Config{}, true},
		"windows ends of lines_removed": {"[Global]\r\nVPC = vpc-1\r\n", cloud.Config{VPC: "vpc-1"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Overrides(tt.text)
			if d := cmp.Diff(tt.want, got); d != "" || (err != nil) != tt.fails {
				t.Errorf("%v %s", err, d)
			}
		})
	}
}
