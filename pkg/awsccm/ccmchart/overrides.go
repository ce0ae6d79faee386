package ccmchart

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
)

// maxCloudConfig is the maximum size in bytes of a cloud config.
const maxCloudConfig = 1 << 20

// Overrides returns the values in a cloud config that replace facts of EC2. Of a repeated key
// the last value counts (gopkg.in/gcfg.v1).
func Overrides(text string) (cloud.Config, error) {
	var out cloud.Config
	if len(text) > maxCloudConfig {
		return out, badCloudConfig(1, "all of it", fmt.Sprintf("%d bytes, more than %d", len(text), maxCloudConfig))
	}
	targets := map[string]*string{
		"kubernetesclusterid": &out.ClusterID, "kubernetesclustertag": &out.ClusterTag, "vpc": &out.VPC, "subnetid": &out.SubnetID,
		"routetableid": &out.RouteTableID, "rolearn": &out.RoleARN, "zone": &out.Zone, "region": &out.Region,
	}
	section := ""
	for _, entry := range logicalLines(text) {
		line := strings.TrimSpace(strings.TrimPrefix(entry.text, "\ufeff"))
		switch {
		case line == "" || line[0] == '#' || line[0] == ';':
		case line[0] == '[':
			name, err := sectionName(line)
			if err != nil {
				return cloud.Config{}, badCloudConfig(entry.line, line, err.Error())
			}
			section = strings.ToLower(name)
		case section != "global":
		default:
			key := strings.ToLower(keyOf(line))
			value := valueOf(line)
			if target := targets[key]; target != nil {
				*target = value
			}
			if key == "disablesecuritygroupingress" {
				out.NoIngress = truth(line, value)
			}
		}
	}
	return out, nil
}

// truth parses a boolean as gcfg does: a key alone is true.
func truth(line, value string) bool {
	if !strings.Contains(line, "=") {
		return true
	}
	switch strings.ToLower(value) {
	case "yes", "on":
		return true
	}
	b, err := strconv.ParseBool(strings.ToLower(value))
	return err == nil && b
}

// valueOf returns the text after "=", without quotes, escapes and a trailing comment.
func valueOf(line string) string {
	_, rest, _ := strings.Cut(line, "=")
	var out strings.Builder
	quoted, kept := false, 0 // kept is the length up to the last character that is not an unquoted blank
	for i := 0; i < len(rest); i++ {
		c := rest[i]
		switch {
		case c == '\\' && i+1 < len(rest):
			i++
			if rest[i] != '\n' {
				out.WriteByte(rest[i])
				kept = out.Len()
			}
			continue
		case c == '"':
			quoted = !quoted
			kept = out.Len()
			continue
		case !quoted && (c == '#' || c == ';'):
			return out.String()[:kept]
		case !quoted && out.Len() == 0 && (c == ' ' || c == '\t'):
			continue
		}
		out.WriteByte(c)
		if quoted || c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			kept = out.Len()
		}
	}
	return out.String()[:kept]
}
