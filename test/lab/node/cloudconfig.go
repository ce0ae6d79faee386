package node

import (
	"fmt"
	"strings"
)

// overriddenServices returns the AWS services whose address the lab sets. ELB and ELBv2 share a
// name in the SDK of these versions.
func overriddenServices() []string { return []string{"ec2", "elasticloadbalancing"} }

// withEndpoint adds the lab's AWS address to a cloud config and keeps the rest byte for byte.
// If a user's section overrides the same service, only its URL is replaced, because two
// sections for one service and region are an error.
func withEndpoint(config, region, url string) string {
	var out []string
	present := map[string]bool{}
	service := ""
	for _, section := range splitSections(config) {
		if service = overriddenService(section); service != "" {
			present[service] = true
			section = replaceURL(section, url)
		}
		out = append(out, section)
	}
	text := strings.Join(out, "")
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	for _, service := range overriddenServices() {
		if !present[service] {
			text += fmt.Sprintf("[ServiceOverride \"lab-%s\"]\nService=%s\nRegion=%s\nURL=%s\nSigningRegion=%s\nSigningMethod=v4\n",
				service, service, region, url, region)
		}
	}
	return text
}

// splitSections splits an INI text before each section's header.
func splitSections(text string) []string {
	var out []string
	current := ""
	for _, line := range strings.SplitAfter(text, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "[") && current != "" {
			out = append(out, current)
			current = ""
		}
		current += line
	}
	if current == "" {
		return out
	}
	return append(out, current)
}

func overriddenService(section string) string {
	if !strings.HasPrefix(strings.ToLower(strings.TrimSpace(section)), "[serviceoverride") {
		return ""
	}
	for _, line := range strings.Split(section, "\n") {
		key, value, found := strings.Cut(line, "=")
		if !found || !strings.EqualFold(strings.TrimSpace(key), "service") {
			continue
		}
		value = strings.Trim(strings.TrimSpace(value), `"`)
		for _, service := range overriddenServices() {
			if value == service {
				return service
			}
		}
	}
	return ""
}

func replaceURL(section, url string) string {
	lines := strings.SplitAfter(section, "\n")
	for i, line := range lines {
		key, _, found := strings.Cut(line, "=")
		if found && strings.EqualFold(strings.TrimSpace(key), "url") {
			lines[i] = key + "=" + url + "\n"
		}
	}
	return strings.Join(lines, "")
}
