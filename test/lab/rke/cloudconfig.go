package rke

import (
	"fmt"
	"sort"
	"strings"
)

// cloudConfig returns the INI text that rke writes to /etc/kubernetes/cloud-config
// (rancher/rke:cloudprovider/aws/aws.go@v1.5.10), or an empty file for nil.
func (a *AWSCloudProvider) cloudConfig() string {
	if a == nil {
		return ""
	}
	var out strings.Builder
	section := func(name string, lines ...[2]string) {
		fmt.Fprintf(&out, "[%s]\n", name)
		for _, line := range lines {
			if line[1] != "" && line[1] != "false" {
				fmt.Fprintf(&out, "%s = %s\n", line[0], line[1])
			}
		}
		out.WriteString("\n")
	}
	g := a.Global
	section("Global", [2]string{"Zone", g.Zone}, [2]string{"VPC", g.VPC}, [2]string{"SubnetID", g.SubnetID},
		[2]string{"RouteTableID", g.RouteTableID}, [2]string{"RoleARN", g.RoleARN},
		[2]string{"KubernetesClusterTag", g.KubernetesClusterTag}, [2]string{"KubernetesClusterID", g.KubernetesClusterID},
		[2]string{"DisableSecurityGroupIngress", fmt.Sprint(g.DisableSecurityGroupIngress)},
		[2]string{"ElbSecurityGroup", g.ElbSecurityGroup}, [2]string{"DisableStrictZoneCheck", fmt.Sprint(g.DisableStrictZoneCheck)})
	var names []string
	for name := range a.ServiceOverride {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		s := a.ServiceOverride[name]
		section(fmt.Sprintf("ServiceOverride %q", name), [2]string{"Service", s.Service}, [2]string{"Region", s.Region},
			[2]string{"URL", s.URL}, [2]string{"SigningRegion", s.SigningRegion},
			[2]string{"SigningMethod", s.SigningMethod}, [2]string{"SigningName", s.SigningName})
	}
	return out.String()
}
