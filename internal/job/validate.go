package job

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/api/validation"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// checkedValue is one value that the objects contain.
type checkedValue struct {
	flag, value string
	rule        func(string) []string
	optional    bool
}

// values returns the values in the order of the flags, each with the rule of the API server or
// kubelet.
func (o Options) values() []checkedValue {
	all := []checkedValue{
		{"--cluster", o.Cluster, clusterName, false},
		{"--namespace", o.Namespace, isLabel, false},
		{"--image", o.Image, isImage, false},
		{"--service-account-name", o.ServiceAccount, isSubdomain, true},
		{"--aws-secret", o.AWSSecret, isSubdomain, true},
		{"--downstream-secret", o.DownstreamSecret, isSubdomain, true},
		{"--cloud-config-secret", o.CloudConfig.Namespace, isLabel, o.CloudConfig.Name == ""},
		{"--cloud-config-secret", o.CloudConfig.Name, isSubdomain, o.CloudConfig.Namespace == ""},
		{"--plan", string(o.Plan), isText, true},
	}
	for _, arg := range o.Args {
		all = append(all, checkedValue{"after --", arg, isText, true})
	}
	return all
}

// Validate returns an error for values that an API server or a kubelet would refuse.
func (o Options) Validate() error {
	if !o.Distribution.Known() {
		return invalid("--distribution", string(o.Distribution), "rke2 or rke")
	}
	for _, one := range o.values() {
		if one.optional && one.value == "" {
			continue
		}
		if wrong := one.rule(one.value); len(wrong) > 0 {
			return invalid(one.flag, one.value, strings.Join(wrong, "; "))
		}
	}
	return nil
}

func invalid(flag, value, wanted string) error {
	const shown = 80
	if len(value) > shown {
		value = value[:shown] + "…"
	}
	wanted, _, _ = strings.Cut(wanted, " (e.g. ") // the rest is a regular expression
	f := &fault.Error{Class: fault.Usage, Reason: "Usage", Object: "flag " + flag, Seen: fmt.Sprintf("invalid value %q", value), Wanted: wanted}
	if flag == "--cluster" {
		f.Fix = "awsmigrate list shows the names of all clusters"
	}
	return f
}

func isLabel(value string) []string { return validation.NameIsDNSLabel(value, false) }

func isSubdomain(value string) []string { return validation.NameIsDNSSubdomain(value, false) }

// clusterName validates the name of a Cluster as a part of other names: the Job's name, which is
// also a label of its pods, and the plan's name, which is the longest.
func clusterName(value string) []string {
	o := Options{Cluster: value}
	for _, name := range []string{value, o.jobName(), o.planName()} {
		if wrong := isSubdomain(name); len(wrong) > 0 {
			return wrong
		}
	}
	return utilvalidation.IsValidLabelValue(o.jobName())
}

func isText(value string) []string {
	if !utf8.ValidString(value) || strings.ContainsRune(value, 0) {
		return []string{"UTF-8 without NUL"}
	}
	return nil
}

// imageReference matches image references as container runtimes parse them
// (distribution/reference:regexp.go@v0.6.0: the grammar, its parts and its limit).
var imageReference = func() *regexp.Regexp {
	const (
		label  = `[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?`
		domain = `(?:` + label + `(?:\.` + label + `)*|\[[a-fA-F0-9:]+\])(?::[0-9]+)?`
		part   = `[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*`
		path   = part + `(?:/` + part + `)*`
		tag    = `[\w][\w.-]{0,127}`
		digest = `[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}`
	)
	return regexp.MustCompile(`^(?:` + domain + `/)?(` + path + `)(?::` + tag + `)?(?:@` + digest + `)?$`)
}()

// maxImagePath is the maximum length of an image's path, including its domain.
const maxImagePath = 255

func isImage(value string) []string {
	match := imageReference.FindStringSubmatch(value)
	if match == nil || len(match[1]) > maxImagePath {
		return []string{"an image reference, such as registry.example/awsmigrate:1"}
	}
	return nil
}

// literal escapes an argument for the kubelet, which replaces $(NAME) by a variable of the
// container and $$ by $
// (kubernetes/kubernetes:third_party/forked/golang/expansion/expand.go@v1.26.13).
func literal(arg string) string { return strings.ReplaceAll(arg, "$", "$$") }
