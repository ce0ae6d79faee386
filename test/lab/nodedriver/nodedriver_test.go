package nodedriver

import (
	"maps"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/test/lab/aws"
)

const curl = "$(curl -s http://169.254.169.254/latest/meta-data/local-hostname)"

func machine() Machine {
	return Machine{Name: "demo-workers-1a2b3c4d-abcde", Cluster: "c-m-1", Zone: "us-east-1b", Tokens: "optional"}
}

func TestLaunch(t *testing.T) {
	cloud := aws.New(aws.Options{})
	network := cloud.Network()
	own := map[string]string{"kubernetes.io/cluster/c-m-1": "owned"}
	with := func(tags map[string]string, more ...string) map[string]string {
		tags = maps.Clone(tags)
		for i := 0; i < len(more); i += 2 {
			tags[more[i]] = more[i+1]
		}
		return tags
	}
	for _, test := range []struct {
		name     string
		template map[string]any
		tags     map[string]string // without Name
		err      string
	}{
		{"empty template", map[string]any{}, own, ""},
		{"own tag is appended", map[string]any{"tags": "team,a"}, with(own, "team", "a"), ""},
		{"tag of another cluster replaces it", map[string]any{"tags": "kubernetes.io/cluster/prod,shared"}, map[string]string{"kubernetes.io/cluster/prod": "shared"}, ""},
		{"prefix in a value replaces it, too", map[string]any{"tags": "team,kubernetes.io/cluster/prod"}, map[string]string{"team": "kubernetes.io/cluster/prod"}, ""},
		{"key without value shifts the own tag", map[string]any{"tags": "team"}, map[string]string{"team": "kubernetes.io/cluster/c-m-1"}, ""},
		{"last comma", map[string]any{"tags": "team,a,"}, nil, "Tag key must have a value"},
		{"same key twice", map[string]any{"tags": "team,a,team,b"}, nil, "Duplicate tag key 'team'"},
		{"tag Name", map[string]any{"tags": "Name,web"}, nil, "Duplicate tag key 'Name'"},
		{"unknown profile", map[string]any{"iamInstanceProfile": "x"}, nil, "Invalid IAM Instance Profile name"},
		{"profile, tokens, endpoint", map[string]any{"iamInstanceProfile": aws.Profile(aws.RoleWorker), "httpTokens": "required", "httpEndpoint": "disabled"}, own, ""},
		{"wrong tokens", map[string]any{"httpTokens": "yes"}, nil, "optional or required"},
		{"wrong endpoint", map[string]any{"httpEndpoint": "yes"}, nil, "enabled or disabled"},
		{"zone", map[string]any{"zone": "c"}, own, ""},
		{"zone without subnet", map[string]any{"zone": "d"}, nil, "unable to find a subnet"},
		{"another VPC", map[string]any{"vpcId": "vpc-x"}, nil, "unable to find a subnet"},
		{"subnet and its zone", map[string]any{"zone": "c", "subnetId": network.Subnets["us-east-1c"], "vpcId": network.VpcID}, own, ""},
		{"subnet in another zone", map[string]any{"subnetId": network.Subnets["us-east-1c"]}, nil, "is in the availability zone us-east-1c"},
		{"subnet of another VPC", map[string]any{"subnetId": network.Subnets["us-east-1a"], "vpcId": "vpc-x"}, nil, "does not belong"},
		{"unknown subnet", map[string]any{"subnetId": "subnet-x"}, nil, "could not be located"},
		{"user data of another kind", map[string]any{"userdata": "apt-get update"}, nil, "does not begin with"},
	} {
		t.Run(test.name, func(t *testing.T) {
			template := ReadTemplate(test.template)
			got, _, err := Launch(cloud, template, machine())
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Fatalf("error %v, wanted one with %q", err, test.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if want := with(test.tags, "Name", machine().Name); !maps.Equal(got.Tags, want) {
				t.Errorf("tags %v, wanted %v", got.Tags, want)
			}
			wantZone := map[string]string{"": "us-east-1b", "c": "us-east-1c"}[template.Zone]
			if got.Zone != wantZone || got.SubnetID != network.Subnets[wantZone] || got.HopLimit != 1 {
				t.Errorf("zone %s, subnet %s, hop limit %d", got.Zone, got.SubnetID, got.HopLimit)
			}
			if template.Profile != "" && (got.Role != aws.RoleWorker || got.HTTPTokens != "required" || got.HTTPEndpoint != "disabled") {
				t.Errorf("made %+v", got)
			}
		})
	}
}

func TestHostName(t *testing.T) {
	const dns = "ip-10-0-1-7.ec2.internal"
	for _, test := range []struct {
		name, userData string
		tokens         string
		want           string // or empty if rancher-machine refuses the user data
	}{
		{"none", "", "", machine().Name},
		{"cloud-config without a host name", "#cloud-config\npackages: [jq]\n", "", machine().Name},
		{"empty cloud-config", "#cloud-config\n", "", machine().Name},
		{"fixed", "#cloud-config\nhostname: web\n", "", "web"},
		{"fixed with a domain", "#cloud-config\nhostname: web.example.com\n", "", "web"},
		{"no text", "#cloud-config\nhostname: 7\n", "", "ip-10-0-1-7"},
		{"command", "#cloud-config\nruncmd:\n- hostnamectl set-hostname " + curl + "\n", "", dns},
		{"command as arguments", "#cloud-config\nruncmd:\n- [hostnamectl, set-hostname, web]\n", "", "web"},
		{"command after the key", "#cloud-config\nhostname: web\nruncmd:\n- hostnamectl set-hostname " + curl + "\n", "", dns},
		{"command without a token", "#cloud-config\nruncmd:\n- hostnamectl set-hostname " + curl + "\n", "required", machine().Name},
		{"script", "#!/bin/sh\nhostnamectl hostname \"" + curl + "\"\n", "", dns},
		{"script with a token", "#!/bin/sh\nT=$(curl -X PUT -H 'X-aws-ec2-metadata-token-ttl-seconds: 60' http://169.254.169.254/latest/api/token)\nhostnamectl set-hostname $(curl -H \"X-aws-ec2-metadata-token: $T\" http://169.254.169.254/latest/meta-data/local-hostname)\n", "required", dns},
		{"another script", "#!/bin/sh\napt-get update\n", "", machine().Name},
		{"text for runcmd", "#cloud-config\nruncmd: reboot\n", "", ""},
		{"broken cloud-config", "#cloud-config\n- a\n", "", ""},
		{"list of parts", "Content-Type: multipart/mixed\n", "", ""},
	} {
		user, err := cloudConfig(test.userData, machine().Name)
		if (err != nil) != (test.want == "") {
			t.Errorf("%s: error %v", test.name, err)
			continue
		}
		if got := user.HostName(aws.Instance{LocalHostname: dns, HTTPTokens: test.tokens}); err == nil && got != test.want {
			t.Errorf("%s: host name %s, wanted %s", test.name, got, test.want)
		}
	}
}
