package ccmchart

import (
	"fmt"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/awsmigrate/awsmigrate/pkg/awsccm"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// CloudConfig is an in-tree cloud config converted for a controller manager.
type CloudConfig struct {
	Text string
	// Dropped holds the omitted keys, as "Global.DisableStrictZoneCheck (line 3)".
	Dropped []string
	// Added holds the services of AWS SDK v2 for which sections were added.
	Added []string
}

// ConvertCloudConfig removes the keys of an in-tree cloud config that the image does not know.
// Before v1.23.18, v1.24.16, v1.25.12, v1.26.7, v1.27.3 and v1.28.2 an unknown key ends the
// start; later images only warn (kubernetes/cloud-provider-aws:pkg/providers/v1, CloudConfig at
// each tag). It does not change the other lines. For an image that may have AWS SDK v2, it adds the
// endpoint overrides under that SDK's names. For an image without a version in its tag, it
// keeps only the keys that every version knows.
func ConvertCloudConfig(text string, img awsccm.Image) (CloudConfig, error) {
	var out CloudConfig
	var kept []string
	known := knownKeys(img)
	section, keep := "", true
	for n, entry := range logicalLines(text) {
		line := strings.TrimSpace(strings.TrimPrefix(entry.text, "\ufeff"))
		switch {
		case line == "" || line[0] == '#' || line[0] == ';':
			if keep {
				kept = append(kept, entry.text)
			}
		case line[0] == '[':
			name, err := sectionName(line)
			if err != nil {
				return CloudConfig{}, badCloudConfig(entry.line, line, err.Error())
			}
			section = name
			if _, keep = known[strings.ToLower(name)]; keep {
				kept = append(kept, entry.text)
			} else {
				out.Dropped = append(out.Dropped, fmt.Sprintf("[%s] (line %d)", name, entry.line))
			}
		default:
			key := keyOf(line)
			if section == "" {
				return CloudConfig{}, badCloudConfig(entry.line, key, "a key before any section")
			}
			if key == "" {
				return CloudConfig{}, badCloudConfig(entry.line, fmt.Sprintf("entry %d", n+1), "a line without a key")
			}
			if !keep {
				continue
			}
			if known[strings.ToLower(section)][strings.ToLower(key)] {
				kept = append(kept, entry.text)
				continue
			}
			out.Dropped = append(out.Dropped, fmt.Sprintf("%s.%s (line %d)", section, key, entry.line))
		}
	}
	out.Text = strings.TrimRight(strings.Join(kept, "\n"), "\n") + "\n"
	if mayHaveSDKV2(img) {
		sections, added := overridesV2(out.Text)
		out.Text, out.Added = out.Text+sections, added
	}
	return out, nil
}

// knownKeys returns the keys by section, in lower case: the format ignores case.
func knownKeys(img awsccm.Image) map[string]map[string]bool {
	global := stringSet("zone", "vpc", "subnetid", "routetableid", "rolearn", "kubernetesclustertag",
		"kubernetesclusterid", "disablesecuritygroupingress", "elbsecuritygroup", "nodeipfamilies")
	if v, ok := img.Version(); ok {
		global["disablestrictzonecheck"] = olderThan(v, 27, 1)
		global["region"] = !olderThan(v, 27, 1)
		global["sourcearn"] = knowsSourceARN(v)
		for _, key := range []string{"clusterserviceloadbalancerhealthprobemode", "clusterservicesharedloadbalancerhealthprobeport",
			"clusterservicesharedloadbalancerhealthprobepath", "supportedtopologyinstancetypepattern"} {
			global[key] = !olderThan(v, 33, 0)
		}
		global["nlbsecuritygroupmode"] = !olderThan(v, 35, 0)
	}
	return map[string]map[string]bool{
		"global":          global,
		"serviceoverride": stringSet("service", "region", "url", "signingregion", "signingmethod", "signingname"),
	}
}

func knowsSourceARN(v *semver.Version) bool {
	since := map[uint64]uint64{23: 18, 24: 16, 25: 12, 26: 7, 27: 3, 28: 2}
	if patch, ok := since[v.Minor()]; ok && v.Major() == 1 {
		return v.Patch() >= patch
	}
	return !olderThan(v, 29, 0)
}

// sdkV2 reports whether the image calls EC2 and ELB through AWS SDK v2.
func sdkV2(img awsccm.Image) bool {
	v, ok := img.Version()
	if !ok {
		return false
	}
	since := map[uint64]uint64{29: 9, 30: 10, 31: 9, 32: 4}
	if patch, ok := since[v.Minor()]; ok && v.Major() == 1 {
		return v.Patch() >= patch
	}
	return !olderThan(v, 33, 0)
}

// olderThan reports whether v is older than v1.minor.patch.
func olderThan(v *semver.Version, minor, patch uint64) bool {
	return v.LessThan(semver.New(1, minor, patch, "", ""))
}

func stringSet(keys ...string) map[string]bool {
	m := make(map[string]bool, len(keys))
	for _, k := range keys {
		m[k] = true
	}
	return m
}

type logicalLine struct {
	text string // including its continuation lines
	line int    // number of the first line, starting at 1
}

// logicalLines joins lines that end in a backslash with the next, except for comments, which
// end with their line (gopkg.in/gcfg.v1, scanner.scanComment).
func logicalLines(text string) []logicalLine {
	var out []logicalLine
	continued := false
	for i, raw := range strings.Split(text, "\n") {
		raw = strings.TrimRight(raw, "\r")
		comment := !continued && strings.IndexAny(strings.TrimSpace(raw), "#;") == 0
		if continued {
			out[len(out)-1].text += "\n" + raw
		} else {
			out = append(out, logicalLine{raw, i + 1})
		}
		trailing := len(raw) - len(strings.TrimRight(raw, `\`))
		continued = trailing%2 == 1 && !comment
	}
	return out
}

func sectionName(line string) (string, error) {
	end := strings.LastIndex(line, "]")
	if end < 0 {
		return "", fmt.Errorf("the section has no closing bracket")
	}
	name, _, _ := strings.Cut(strings.TrimSpace(line[1:end]), " ")
	if name == "" {
		return "", fmt.Errorf("the section has no name")
	}
	return name, nil
}

// keyOf returns the text before "=" or, for a key alone, before a comment.
func keyOf(line string) string {
	return strings.TrimSpace(line[:strings.IndexAny(line+"=", "=;#")])
}

func badCloudConfig(line int, what, why string) error {
	return &fault.Error{
		Class: fault.Check, Reason: "BadCloudConfig", Object: fmt.Sprintf("cloud config, line %d (%s)", line, what),
		Seen: why, Wanted: "sections such as [Global] with lines KEY = VALUE",
	}
}
