package config

import (
	"regexp"
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/rke2/config/notation"
)

// notShown replaces, in published text, a value that may be secret and that no edit needs.
const notShown = "(not shown)"

// shownKeys returns the keys whose values hold no secret.
func shownKeys() []string {
	return []string{
		KeyProvider, KeyDisableCCM, KeyNodeName, KeyRegistry, "cni", "profile", "protect-kernel-defaults", "selinux", "tls-san", "disable",
		"cluster-cidr", "service-cidr", "cluster-dns", "cluster-domain", "service-node-port-range", "node-ip", "node-label", "node-taint", "data-dir",
	}
}

// shownFlags returns the arguments of components whose values hold no secret.
func shownFlags() []string {
	return []string{
		FlagProvider, FlagLeaderMigration, "cloud-config", "feature-gates", "hostname-override", "provider-id", "node-ip", "node-labels",
		"bind-address", "cluster-cidr", "service-cluster-ip-range", "controllers", "tls-min-version", "tls-cipher-suites",
		"eviction-hard", "eviction-soft", "kube-reserved", "system-reserved", "enable-admission-plugins", "authorization-mode",
	}
}

// harmless matches a switch, a small number, a duration or a quantity.
var harmless = regexp.MustCompile(`^(true|false|[0-9]{1,6}(\.[0-9]{1,3})?(ns|us|ms|s|m|h|%|Ki|Mi|Gi)?)$`)

// Shown returns the value of a key for publication, with notShown for every text that may be
// secret. It returns the value itself if no text may be secret.
func Shown(key string, value any) any {
	switch {
	case slices.Contains(shownKeys(), key):
		return value
	case IsArgs(key):
		return replaceTexts(value, shownArg)
	case key == KeyCloudConfig:
		return replaceTexts(value, func(text string) string {
			if strings.HasPrefix(text, "secret://") { // the name of a Secret
				return text
			}
			return notShown
		})
	}
	return replaceTexts(value, shownText)
}

func shownText(text string) string {
	if text == "" || harmless.MatchString(text) {
		return text
	}
	return notShown
}

func shownArg(arg string) string {
	name, value, assigns := strings.Cut(arg, "=")
	switch {
	case slices.Contains(shownFlags(), notation.FlagName(strings.TrimSpace(arg))):
		return arg
	case assigns:
		return name + "=" + shownText(value)
	}
	return shownText(arg)
}

// replaceTexts returns a value with each of its texts and numbers replaced.
func replaceTexts(value any, replace func(string) string) any {
	switch v := value.(type) {
	case nil, bool:
		return v
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = replaceTexts(v[i], replace)
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for key := range v {
			out[key] = replaceTexts(v[key], replace)
		}
		return out
	}
	text := notation.Text(value)
	if shown := replace(text); shown != text {
		return shown
	}
	return value
}

// ShownEntry returns an element of machineSelectorConfig for publication.
func ShownEntry(entry map[string]any) map[string]any {
	out := map[string]any{}
	for key, value := range entry {
		switch values, is := value.(map[string]any); {
		case key == "machineLabelSelector":
			out[key] = value
		case key == "config" && is:
			out[key] = shownMap(values)
		default:
			out[key] = Shown(key, value)
		}
	}
	return out
}

// ShownFields returns fields from ChangedFields for publication.
func ShownFields(fields map[string]any) map[string]any {
	out := map[string]any{}
	for name, value := range fields {
		switch v := value.(type) {
		case map[string]any:
			out[name] = shownMap(v)
		case []any:
			entries := make([]any, len(v))
			for i := range v {
				entry, _ := v[i].(map[string]any)
				entries[i] = ShownEntry(entry)
			}
			out[name] = entries
		default:
			out[name] = Shown(name, value)
		}
	}
	return out
}

func shownMap(values map[string]any) map[string]any {
	if values == nil {
		return nil
	}
	out := map[string]any{}
	for key, value := range values {
		out[key] = Shown(key, value)
	}
	return out
}
