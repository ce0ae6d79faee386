package edits

import (
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
)

func TestEnableLeaderMigration_notInTree_hasFix(t *testing.T) {
	for arg, advice := range map[string]string{"cloud-provider=external": "status", "cloud-provider=vsphere": "take cloud-provider out", "cloud-provider=": "take cloud-provider out"} {
		s := parse(t, map[string]any{"machineGlobalConfig": map[string]any{config.KeyProvider: "aws", config.KeyManagerArg: []any{arg}}})
		_, err := EnableLeaderMigration(s, []config.Machine{machine("cp-0", "ce")})
		f, ok := fault.As(err)
		if !ok || f.Reason != "ManagerNotInTree" || !strings.Contains(f.Fix, advice) {
			t.Errorf("%s: %v", arg, err)
		}
	}
}

// The error names the obstacle to switching back.
func TestSwitchBack_otherProvider_named(t *testing.T) {
	for name, c := range map[string]map[string]any{
		"kubelet, empty":   {config.KeyKubeletArg: []any{"cloud-provider=", "cloud-provider=external"}},
		"kubelet, another": {config.KeyKubeletArg: "cloud-provider=vsphere"},
		"manager, empty":   {config.KeyManagerArg: []any{"cloud-provider="}},
	} {
		c[config.KeyProvider] = "aws"
		s := parse(t, map[string]any{"machineGlobalConfig": c})
		_, err := SwitchBack(s, []config.Machine{machine("cp-0", "ce"), machine("w-0", "w")})
		wantFault(t, err, fault.Check, "AnotherProvider")
		if err != nil && (!strings.Contains(err.Error(), "machineGlobalConfig.") || !strings.Contains(err.Error(), "cloud-provider=")) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
