package config

import (
	"strings"
	"testing"
)

// An empty value must be visible.
func TestAgree_emptyProvider_shown(t *testing.T) {
	s := parse(t, fromYAML(t, `{machineSelectorConfig: [{config: {cloud-provider-name: ""}}]}`))
	if got := Providers(s, []Machine{machine("cp-0", "c")})[0].String(); got != `cp-0: "" (machineSelectorConfig[0].config.cloud-provider-name)` {
		t.Error(got)
	}
}

// Rancher's CRD drops keys next to config when an entry is written. A selector alone remains of a
// wrongly indented entry.
func TestStrayEntries_withoutConfig_found(t *testing.T) {
	for entry, says := range map[string]string{
		`{machineLabelSelector: {matchLabels: {a: b}}}`:                               "a selector and no configuration",
		`{config: null, machineLabelSelector: {matchLabels: {a: b}}}`:                 "a selector and no configuration",
		`{config: {}, machineLabelSelector: {matchLabels: {a: b}}}`:                   "a selector and no configuration",
		`{kubelet-arg: [a=b], machineLabelSelector: {matchLabels: {a: b}}}`:           "kubelet-arg",
		`{config: {kubelet-arg: [a=b]}, machineLabelSelector: {matchLabels: {a: b}}}`: "",
		`{config: {}}`: "",
	} {
		found := StrayEntries(parse(t, fromYAML(t, "{machineSelectorConfig: ["+entry+"]}")))
		switch {
		case says == "" && len(found) == 0:
		case len(found) != 1 || says == "" || !strings.Contains(found[0].Seen, says) || found[0].Fix == "":
			t.Errorf("%s: %+v", entry, found)
		}
	}
}
