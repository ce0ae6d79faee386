package config

import (
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// An empty value is shown as one, not as nothing.
func TestEmptyProviderIsShown(t *testing.T) {
	s := parse(t, fromYAML(t, `{machineSelectorConfig: [{config: {cloud-provider-name: ""}}]}`))
	if got := Providers(s, []Machine{machine("cp-0", "c")})[0].String(); got != `cp-0: "" (machineSelectorConfig[0].config.cloud-provider-name)` {
		t.Error(got)
	}
}

func TestManagerNotInTreeHasAdvice(t *testing.T) {
	for arg, advice := range map[string]string{"cloud-provider=external": "status", "cloud-provider=vsphere": "take cloud-provider out", "cloud-provider=": "take cloud-provider out"} {
		s := parse(t, map[string]any{"machineGlobalConfig": map[string]any{KeyProvider: "aws", KeyManagerArg: []any{arg}}})
		_, err := EnableLeaderMigration(s, []Machine{machine("cp-0", "ce")})
		f, ok := fault.As(err)
		if !ok || f.Reason != "ManagerNotInTree" || !strings.Contains(f.Fix, advice) {
			t.Errorf("%s: %v", arg, err)
		}
	}
}

// What keeps a cluster from coming back is named, and not that no edit was found.
func TestSwitchBackNamesAnotherProvider(t *testing.T) {
	for name, c := range map[string]map[string]any{
		"kubelet, empty":   {KeyKubeletArg: []any{"cloud-provider=", "cloud-provider=external"}},
		"kubelet, another": {KeyKubeletArg: "cloud-provider=vsphere"},
		"manager, empty":   {KeyManagerArg: []any{"cloud-provider="}},
	} {
		c[KeyProvider] = "aws"
		s := parse(t, map[string]any{"machineGlobalConfig": c})
		_, err := SwitchBack(s, []Machine{machine("cp-0", "ce"), machine("w-0", "w")})
		wantFault(t, err, fault.Check, "AnotherProvider")
		if err != nil && (!strings.Contains(err.Error(), "machineGlobalConfig.") || !strings.Contains(err.Error(), "cloud-provider=")) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Rancher's CRD drops keys beside config when an entry is written: what is left of a
// wrongly indented one is a selector.
func TestEntriesWithoutConfigAreFound(t *testing.T) {
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
