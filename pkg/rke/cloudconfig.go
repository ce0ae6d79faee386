package rke

import (
	"fmt"
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile"
)

// cloudConfigText returns the cloud config that rke deploys for the in-tree provider, or
// empty. The CCM receives a copy. customCloudProvider is used unchanged and takes precedence
// over awsCloudProvider (rancher/rke:cloudprovider/cloudprovider.go and
// cloudprovider/aws/aws.go@v1.5.9: keys without a value are omitted).
func cloudConfigText(config clusterfile.Config) string {
	if config.CloudProvider.Custom != "" {
		return config.CloudProvider.Custom
	}
	aws := config.CloudProvider.AWS
	if aws == nil {
		return ""
	}
	var b strings.Builder
	g := aws.Global
	writeSection(&b, "[Global]", [][2]string{
		{"Zone", g.Zone}, {"VPC", g.VPC}, {"SubnetID", g.SubnetID}, {"RouteTableID", g.RouteTableID}, {"RoleARN", g.RoleARN},
		{"KubernetesClusterTag", g.KubernetesClusterTag}, {"KubernetesClusterID", g.KubernetesClusterID},
		{"DisableSecurityGroupIngress", trueOrEmpty(g.DisableSecurityGroupIngress)}, {"ElbSecurityGroup", g.ElbSecurityGroup},
		{"DisableStrictZoneCheck", trueOrEmpty(g.DisableStrictZoneCheck)},
	})
	names := make([]string, 0, len(aws.ServiceOverride))
	for name := range aws.ServiceOverride {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		o := aws.ServiceOverride[name]
		writeSection(&b, fmt.Sprintf("[ServiceOverride %q]", name), [][2]string{
			{"Service", o.Service}, {"Region", o.Region}, {"URL", o.URL},
			{"SigningRegion", o.SigningRegion}, {"SigningMethod", o.SigningMethod}, {"SigningName", o.SigningName},
		})
	}
	return b.String()
}

func writeSection(b *strings.Builder, head string, entries [][2]string) {
	var lines []string
	for _, e := range entries {
		if e[1] != "" {
			lines = append(lines, e[0]+" = "+iniValue(e[1]))
		}
	}
	if len(lines) == 0 {
		return
	}
	if b.Len() > 0 {
		b.WriteString("\n")
	}
	b.WriteString(head + "\n" + strings.Join(lines, "\n") + "\n")
}

// iniValue returns value, quoted if the provider's parser (gcfg) would find a comment, a quote
// or an escape in it.
func iniValue(value string) string {
	if !strings.ContainsAny(value, "#;\"\\") && value == strings.TrimSpace(value) {
		return value
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value) + `"`
}

func trueOrEmpty(b bool) string {
	if b {
		return "true"
	}
	return ""
}
