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

// placeholder replaces removed text.
const placeholder = "REDACTED"

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

// Scrub replaces what looks like a secret in free text: PEM blocks, AWS keys, tokens, credentials in
// URLs, values of keys with a secret's name, and long words of mixed letters and digits.
func Scrub(text string) string {
	text = pemBlock.ReplaceAllString(text, placeholder)
	text = awsKey.ReplaceAllString(text, placeholder)
	text = webToken.ReplaceAllString(text, placeholder)
	text = bearer.ReplaceAllString(text, "${1} "+placeholder)
	text = userInfo.ReplaceAllString(text, "://"+placeholder+"@")
	text = secretKey.ReplaceAllStringFunc(text, func(match string) string {
		parts := secretKey.FindStringSubmatch(match)
		if harmless[strings.ToLower(parts[3])] {
			return match
		}
		return parts[1] + parts[2] + placeholder
	})
	return longWord.ReplaceAllStringFunc(text, func(word string) string {
		upper, lower, digit := strings.IndexFunc(word, unicode.IsUpper) >= 0, strings.IndexFunc(word, unicode.IsLower) >= 0, strings.IndexFunc(word, unicode.IsDigit) >= 0
		if upper && lower && digit {
			return placeholder
		}
		return word
	})
}

// harmless holds values of keys such as HttpTokens and use-service-account-credentials.
var harmless = map[string]bool{"true": true, "false": true, "required": true, "optional": true, placeholder: true} //nolint:gochecknoglobals // a constant table

// judged lists the arguments whose values checks use and that contain no secret.
var judged = []string{ //nolint:gochecknoglobals // a constant table
	component.CloudProvider, component.CloudConfig, component.EnableLeaderMigration, component.LeaderMigrationConfig,
	component.Controllers, component.ConfigureCloudRoutes, component.AllocateNodeCIDRs, component.ClusterCIDR, component.FeatureGates,
	"leader-elect", "leader-elect-lease-duration", "leader-elect-renew-deadline", "leader-elect-retry-period",
	"leader-elect-resource-lock", "leader-elect-resource-name", "leader-elect-resource-namespace", "use-service-account-credentials",
	"allow-untagged-cloud", "node-name", "cloud-provider-name", "disable-cloud-controller", "hostname-override", "node-ip",
	"image-credential-provider-config", "image-credential-provider-bin-dir", "secure-port", "bind-address", "v", "kubeconfig", "master",
}

// nested lists RKE2's arguments whose values are arguments of a component.
var nested = []string{"kubelet-arg", "kube-controller-manager-arg", "kube-cloud-controller-manager-arg"} //nolint:gochecknoglobals // a constant table

// programs matches words of a command line that show which program runs.
var programs = regexp.MustCompile(`^([\w./-]*/)?(((kube|aws-cloud|cloud)-)?controller-manager|kube-apiserver|server|agent)(-amd64|-arm64|-arm|-ppc64le|-s390x)?$|^--$|^-[celux]+$`)

// redactWords redacts a command line. Only judged arguments keep their values.
func (r *Redactor) redactWords(line []string) []string {
	out := slices.Clone(line)
	var value func(string) string // redacts the word after a flag; nil if the word has its own rule
	for i, word := range line {
		switch {
		case len(word) > 2 && strings.HasPrefix(word, "--") && !strings.ContainsAny(word, " \n\t"):
			out[i], value = r.redactFlag(word)
			continue
		case value != nil:
			out[i] = value(word)
		case strings.ContainsAny(word, downstream.ScriptMarks):
			out[i] = r.redactScript(word)
		case programs.MatchString(word), downstream.StartsOther(word):
		default:
			out[i] = placeholder
		}
		value = nil
	}
	return out
}

// redactScript redacts a shell script. It keeps the ends of commands, because they decide where the
// next program name is.
func (r *Redactor) redactScript(text string) string {
	var out strings.Builder
	for text != "" {
		end := strings.IndexAny(text, downstream.CommandEnds)
		if end < 0 {
			end = len(text)
		}
		words := strings.FieldsFunc(text[:end], func(c rune) bool { return strings.ContainsRune(" \t\"'", c) })
		out.WriteString(strings.Join(r.redactWords(words), " "))
		if end < len(text) {
			out.WriteString(" " + text[end:end+1] + " ")
			end++
		}
		text = text[end:]
	}
	return out.String()
}

// redactFlag redacts one flag and returns how to redact a value in the next word.
func (r *Redactor) redactFlag(word string) (string, func(string) string) {
	name, text, has := strings.Cut(strings.TrimPrefix(word, "--"), "=")
	redact := r.Mark
	switch {
	case slices.Contains(nested, name):
		redact = r.redactArgument
	case slices.Contains(judged, name):
		redact = Scrub
	}
	if has {
		return "--" + name + "=" + redact(text), nil
	}
	return word, redact
}

// redactArgument redacts "name=value" of a component that RKE2 starts.
func (r *Redactor) redactArgument(text string) string {
	name, value, has := strings.Cut(text, "=")
	switch {
	case strings.Trim(text, "*") == "", !has && slices.Contains(judged, strings.TrimPrefix(name, "--")):
		return text // RKE2's replacement of a secret, or a flag without a value
	case !has:
		return r.Mark(text)
	case slices.Contains(judged, strings.TrimPrefix(name, "--")):
		return name + "=" + Scrub(value)
	}
	return name + "=" + r.Mark(value)
}

// redactNodeArgs redacts the annotation with RKE2's own arguments, a JSON array.
func (r *Redactor) redactNodeArgs(raw string) string {
	var line []string
	if err := json.Unmarshal([]byte(raw), &line); err != nil {
		return placeholder // also unreadable
	}
	text, err := json.Marshal(r.redactWords(line))
	if err != nil {
		return placeholder
	}
	return string(text)
}

// redactPairs replaces the values of arguments that no check uses.
func redactPairs(text string) string {
	return pair.ReplaceAllStringFunc(text, func(match string) string {
		name, value, _ := strings.Cut(match, "=")
		if slices.Contains(judged, name) || harmless[strings.ToLower(value)] || name == "hostname" || name == "zone" || name == "skip" {
			return match
		}
		return name + "=" + placeholder
	})
}
