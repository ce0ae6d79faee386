package ccmchart

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/awsccm"
)

// override is a section [ServiceOverride] of a cloud config, with its keys in lower case.
type override map[string]string

// signedService is a service of AWS SDK v2, with the name in the signatures of its calls.
type signedService struct{ id, signing string }

// servicesV2 returns the services of AWS SDK v2 for a service of v1, as [ServiceOverride] names
// them. Each SDK matches only its own names, with their case
// (kubernetes/cloud-provider-aws:pkg/providers/v1/config/config.go@v1.33.4). The metadata service is
// not among them: v1 asks for it without a region, and finds no override.
func servicesV2(v1 string) []signedService {
	switch v1 {
	case "ec2":
		return []signedService{{"EC2", "ec2"}}
	case "elasticloadbalancing":
		return []signedService{{"Elastic Load Balancing", v1}, {"Elastic Load Balancing v2", v1}}
	case "kms":
		return []signedService{{"KMS", v1}}
	}
	return nil
}

// mayHaveSDKV2 reports whether the image may call AWS through SDK v2. Patch releases from v1.29 on
// differ.
func mayHaveSDKV2(img awsccm.Image) bool {
	v, ok := img.Version()
	return !ok || !olderThan(v, 29, 0)
}

// overridesV2 returns sections with the names of AWS SDK v2 for the overrides with those of v1, and
// the services in them. It leaves out services that have such a section already.
func overridesV2(text string) (sections string, services []string) {
	all := overridesOf(text)
	has := func(service, region string) bool {
		return slices.ContainsFunc(all, func(o override) bool { return o["service"] == service && o["region"] == region })
	}
	var out strings.Builder
	for _, o := range all {
		for _, s := range servicesV2(o["service"]) {
			if has(s.id, o["region"]) {
				continue
			}
			fmt.Fprintf(&out, "[ServiceOverride %s]\n", quoted(s.id+" "+o["region"]))
			for _, line := range [][2]string{{"Service", s.id}, {"Region", o["region"]}, {"URL", o["url"]}, {"SigningRegion", o["signingregion"]},
				{"SigningMethod", o["signingmethod"]}, {"SigningName", cmp.Or(o["signingname"], s.signing)}} {
				if line[1] != "" {
					fmt.Fprintf(&out, "%s = %s\n", line[0], quoted(line[1]))
				}
			}
			services = append(services, s.id)
		}
	}
	return out.String(), services
}

// overridesOf returns the sections [ServiceOverride] of a cloud config. Sections with one name are
// one section, as gcfg reads them.
func overridesOf(text string) []override {
	var list []override
	index := map[string]int{}
	var current override
	for _, entry := range logicalLines(text) {
		line := strings.TrimSpace(entry.text)
		switch {
		case line == "" || line[0] == '#' || line[0] == ';':
		case line[0] == '[':
			current = nil
			if name, err := sectionName(line); err != nil || !strings.EqualFold(name, "ServiceOverride") {
				continue
			}
			_, label, _ := strings.Cut(line[1:strings.LastIndex(line, "]")], " ")
			label = strings.TrimSpace(label)
			if _, known := index[label]; !known {
				index[label] = len(list)
				list = append(list, override{})
			}
			current = list[index[label]]
		case current != nil:
			current[strings.ToLower(keyOf(line))] = strings.TrimSpace(valueOf(line))
		}
	}
	return list
}

// quoted returns a value as gcfg reads it back.
func quoted(value string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value) + `"`
}
