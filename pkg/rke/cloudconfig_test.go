package rke

import (
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/awsccm"
	"github.com/awsmigrate/awsmigrate/pkg/awsccm/ccmchart"
	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile"
)

const everyOption = `cloud_provider:
  name: aws
  awsCloudProvider:
    global:
      zone: us-east-1a
      vpc: vpc-1
      subnet-id: subnet-1
      routetable-id: rtb-1
      role-arn: "arn:aws:iam::1:role/a;b"
      kubernetes-cluster-tag: tag
      kubernetes-cluster-id: demo
      disable-security-group-ingress: true
      elb-security-group: sg-1
      disable-strict-zone-check: true
    service_override:
      "2": {service: ec2, region: us-east-1, url: "https://ec2/#x", signing-region: us-east-1, signing-method: v4, signing-name: ec2}
      "1": {service: elasticloadbalancing}
`

func configOf(t *testing.T, text string) clusterfile.Config {
	t.Helper()
	f, err := clusterfile.Parse("cluster.yml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return f.Config()
}

func TestCloudConfigText(t *testing.T) {
	const every = `[Global]
Zone = us-east-1a
VPC = vpc-1
SubnetID = subnet-1
RouteTableID = rtb-1
RoleARN = "arn:aws:iam::1:role/a;b"
KubernetesClusterTag = tag
KubernetesClusterID = demo
DisableSecurityGroupIngress = true
ElbSecurityGroup = sg-1
DisableStrictZoneCheck = true

[ServiceOverride "1"]
Service = elasticloadbalancing

[ServiceOverride "2"]
Service = ec2
Region = us-east-1
URL = "https://ec2/#x"
SigningRegion = us-east-1
SigningMethod = v4
SigningName = ec2
`
	for name, tt := range map[string]struct{ text, want string }{
		"every option":         {everyOption, every},
		"the user's own wins":  {everyOption + "  customCloudProvider: |-\n    [Global]\n    Zone=x\n", "[Global]\nZone=x"},
		"name alone":           {"cloud_provider:\n  name: aws\n", ""},
		"empty block":          {"cloud_provider:\n  name: aws\n  awsCloudProvider: {}\n", ""},
		"overrides alone":      {"cloud_provider:\n  awsCloudProvider:\n    service_override:\n      a: {service: ec2}\n", "[ServiceOverride \"a\"]\nService = ec2\n"},
		"no provider":          {"nodes: []\n", ""},
		"nothing that is true": {"cloud_provider:\n  awsCloudProvider:\n    global: {disable-strict-zone-check: false}\n", ""},
	} {
		if got := cloudConfigText(configOf(t, tt.text)); got != tt.want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, tt.want)
		}
	}
}

// The conversion for the CCM must accept every key and keep every line.
func TestCloudConfigText_converted_complete(t *testing.T) {
	text := cloudConfigText(configOf(t, everyOption))
	image, err := awsccm.ParseImage("registry.k8s.io/provider-aws/cloud-controller-manager:v1.26.14")
	if err != nil {
		t.Fatal(err)
	}
	converted, err := ccmchart.ConvertCloudConfig(text, image)
	if err != nil || len(converted.Dropped) > 0 || converted.Text != text {
		t.Errorf("%v, dropped %v:\n%s", err, converted.Dropped, converted.Text)
	}
	newer, err := awsccm.ParseImage("registry.k8s.io/provider-aws/cloud-controller-manager:v1.27.10")
	if err != nil {
		t.Fatal(err)
	}
	converted, err = ccmchart.ConvertCloudConfig(text, newer)
	if err != nil || len(converted.Dropped) != 1 || !strings.Contains(converted.Dropped[0], "DisableStrictZoneCheck") {
		t.Errorf("%v, dropped %v", err, converted.Dropped)
	}
}
