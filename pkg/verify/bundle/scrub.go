package bundle

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// gone stands where something was left out.
const gone = "REDACTED"

var (
	pemBlock  = regexp.MustCompile(`(?s)-----BEGIN [^-]*-----.*?(-----END [^-]*-----|$)`)
	awsKey    = regexp.MustCompile(`\b(AKIA|ASIA)[0-9A-Z]{12,}\b`)
	webToken  = regexp.MustCompile(`\beyJ[\w-]+\.[\w-]+\.?[\w-]*`)
	bearer    = regexp.MustCompile(`(?i)\b(bearer|basic)\s+\S+`)
	userInfo  = regexp.MustCompile(`://[^/\s@]+@`)
	secretKey = regexp.MustCompile(`(?i)([\w.-]*(?:secret|token|passw|passphrase|credential|private[-_]?key|api[-_]?key|access[-_]?key)[\w.-]*)(["']?\s*[:=]\s*["']?)([^\s"',;]+)`)
	longWord  = regexp.MustCompile(`[A-Za-z0-9+/_=-]{40,}`)
	pair      = regexp.MustCompile(`([A-Za-z][\w.-]*)=([^\s,;]+)`)
)

// Scrub replaces what looks like a secret in free text: PEM, AWS keys, tokens,
// credentials in URLs, values of keys that are named like a secret, and long words
// of mixed letters and digits.
func Scrub(text string) string {
	text = pemBlock.ReplaceAllString(text, gone)
	text = awsKey.ReplaceAllString(text, gone)
	text = webToken.ReplaceAllString(text, gone)
	text = bearer.ReplaceAllString(text, "${1} "+gone)
	text = userInfo.ReplaceAllString(text, "://"+gone+"@")
	text = secretKey.ReplaceAllStringFunc(text, func(match string) string {
		parts := secretKey.FindStringSubmatch(match)
		if harmless[strings.ToLower(parts[3])] {
			return match
		}
		return parts[1] + parts[2] + gone
	})
	return longWord.ReplaceAllStringFunc(text, func(word string) string {
		upper, lower, digit := strings.IndexFunc(word, unicode.IsUpper) >= 0, strings.IndexFunc(word, unicode.IsLower) >= 0, strings.IndexFunc(word, unicode.IsDigit) >= 0
		if upper && lower && digit {
			return gone
		}
		return word
	})
}

// harmless are values of keys such as HttpTokens and
// use-service-account-credentials.
var harmless = map[string]bool{"true": true, "false": true, "required": true, "optional": true, gone: true} //nolint:gochecknoglobals // a constant table

// judged are the arguments whose values some check looks at, and that hold no
// secret.
var judged = []string{ //nolint:gochecknoglobals // a constant table
	component.CloudProvider, component.CloudConfig, component.EnableLeaderMigration, component.LeaderMigrationConfig,
	component.Controllers, component.ConfigureCloudRoutes, component.AllocateNodeCIDRs, component.ClusterCIDR, component.FeatureGates,
	"leader-elect", "leader-elect-lease-duration", "leader-elect-renew-deadline", "leader-elect-retry-period",
	"leader-elect-resource-lock", "leader-elect-resource-name", "leader-elect-resource-namespace", "use-service-account-credentials",
	"allow-untagged-cloud", "node-name", "cloud-provider-name", "disable-cloud-controller", "hostname-override", "node-ip",
	"image-credential-provider-config", "image-credential-provider-bin-dir", "secure-port", "bind-address", "v", "kubeconfig", "master",
}

// nested are RKE2's arguments whose values are arguments of a component.
var nested = []string{"kubelet-arg", "kube-controller-manager-arg", "kube-cloud-controller-manager-arg"} //nolint:gochecknoglobals // a constant table

// programs are words of a command line that say what runs.
var programs = regexp.MustCompile(`^([\w./-]*/)?(((kube|aws-cloud|cloud)-)?controller-manager|kube-apiserver|server|agent)(-amd64|-arm64|-arm|-ppc64le|-s390x)?$|^--$|^-[celux]+$`)

// words is a command line in which only judged arguments have their values.
func (r *Redactor) words(line []string) []string {
	out := slices.Clone(line)
	var value func(string) string // what becomes of the word behind a flag; nil: it has its own rule
	for i, word := range line {
		switch {
		case len(word) > 2 && strings.HasPrefix(word, "--") && !strings.ContainsAny(word, " \n\t"):
			out[i], value = r.flagWord(word)
			continue
		case value != nil:
			out[i] = value(word)
		case strings.ContainsAny(word, downstream.ScriptMarks):
			out[i] = r.script(word)
		case programs.MatchString(word), downstream.StartsOther(word):
		default:
			out[i] = gone
		}
		value = nil
	}
	return out
}

// script is a shell's script: where one command ends is kept, because it decides
// what the next one is.
func (r *Redactor) script(text string) string {
	var out strings.Builder
	for text != "" {
		end := strings.IndexAny(text, downstream.CommandEnds)
		if end < 0 {
			end = len(text)
		}
		words := strings.FieldsFunc(text[:end], func(c rune) bool { return strings.ContainsRune(" \t\"'", c) })
		out.WriteString(strings.Join(r.words(words), " "))
		if end < len(text) {
			out.WriteString(" " + text[end:end+1] + " ")
			end++
		}
		text = text[end:]
	}
	return out.String()
}

// flagWord is one flag, and what is to become of a value in the next word.
func (r *Redactor) flagWord(word string) (string, func(string) string) {
	name, text, has := strings.Cut(strings.TrimPrefix(word, "--"), "=")
	treat := r.Mark
	switch {
	case slices.Contains(nested, name):
		treat = r.argument
	case slices.Contains(judged, name):
		treat = Scrub
	}
	if has {
		return "--" + name + "=" + treat(text), nil
	}
	return word, treat
}

// argument is "name=value" of a component behind RKE2.
func (r *Redactor) argument(text string) string {
	name, value, has := strings.Cut(text, "=")
	switch {
	case strings.Trim(text, "*") == "", !has && slices.Contains(judged, strings.TrimPrefix(name, "--")):
		return text // what RKE2 writes in place of a secret, or a flag alone
	case !has:
		return r.Mark(text)
	case slices.Contains(judged, strings.TrimPrefix(name, "--")):
		return name + "=" + Scrub(value)
	}
	return name + "=" + r.Mark(value)
}

// nodeArgs is the annotation of RKE2's own arguments, a JSON array.
func (r *Redactor) nodeArgs(raw string) string {
	var line []string
	if err := json.Unmarshal([]byte(raw), &line); err != nil {
		return gone // which cannot be read either
	}
	text, err := json.Marshal(r.words(line))
	if err != nil {
		return gone
	}
	return string(text)
}

// pairs replaces the values of arguments that nobody judges.
func pairs(text string) string {
	return pair.ReplaceAllStringFunc(text, func(match string) string {
		name, value, _ := strings.Cut(match, "=")
		if slices.Contains(judged, name) || harmless[strings.ToLower(value)] || name == "hostname" || name == "zone" || name == "skip" {
			return match
		}
		return name + "=" + gone
	})
}
