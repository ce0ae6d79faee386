package checks

import (
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

func TestFoundByName(t *testing.T) {
	const resource = "i-0123456789abcdef0"
	for _, c := range []struct {
		name, version, node string
		off                 bool // AWS is
		want                verify.Status
	}{
		{"resource name at 1.22", "v1.22.17", resource + ".ec2.internal", false, verify.Warn},
		{"resource name at 1.25", "v1.25.16+rke2r1", resource + ".eu-central-1.compute.internal", true, verify.Warn},
		{"resource name in a domain of its own", "v1.25.16+rke2r1", resource + ".corp.example", true, verify.Warn},
		{"resource name at 1.26", "v1.26.15+rke2r1", resource + ".ec2.internal", false, verify.OK},
		{"the instance id alone", "v1.24.17+rke2r1", resource, true, verify.OK},
		{"address name", "v1.24.17+rke2r1", "ip-10-0-0-15.ec2.internal", true, verify.OK},
		{"address name in another domain", "v1.24.17+rke2r1", "ip-10-0-0-15.corp.example", true, verify.OK},
		{"short address name", "v1.24.17+rke2r1", "ip-10-0-0-15", true, verify.Warn},
		{"another name, EC2 has it", "v1.24.17+rke2r1", "worker-5.corp.example", false, verify.OK},
		{"another name", "v1.24.17+rke2r1", "worker-5", true, verify.Warn},
		{"another name at 1.26", "v1.26.15+rke2r1", "worker-5", true, verify.OK},
		{"no version", "latest", "worker-5", true, verify.Unknown},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := healthy(t, position.P0)
			renamed(c.version, c.node)(&in)
			if c.off {
				in.Cloud = cloud.Facts{}
			}
			res := verify.RunAll(t.Context(), Bind(in), verify.Options{Position: position.P0, Only: []string{"AWSM-314"}}).Results[0]
			if res.Status != c.want {
				t.Errorf("%s, want %s: %+v", res.Status, c.want, res.Findings)
			}
		})
	}
	// A tag without a patch release does not say that the image cuts the name.
	for tag, want := range map[string]int{"v1.26": 1, "v1.26.10": 1, "v1.26.11": 0, "v1.27": 0} {
		in := healthy(t, position.P0)
		renamed("v1.26.15+rke2r1", resource+".ec2.internal")(&in)
		in.Planned = &downstream.DaemonSet{Containers: []downstream.Container{{Image: "mirror.example/ccm:" + tag}}}
		if found := foundByName(in); len(found) != want {
			t.Errorf("%s: %+v, want %d", tag, found, want)
		}
	}
	// A Node on Fargate is no instance.
	in := healthy(t, position.P0)
	renamed("v1.24.17", "fargate-ip-10-0-0-15.ec2.internal")(&in)
	node(&in, 5).ProviderID, in.Cloud = fargate, cloud.Facts{}
	if found := foundByName(in); len(found) > 0 {
		t.Errorf("Fargate: %+v", found)
	}
}
