package config

import (
	"slices"
	"testing"
)

// RKE2 trims values of its configuration. The cloud configuration is written to a separate file
// and not trimmed.
func TestConfig_blanks_around_values(t *testing.T) {
	m := Machine{Name: "cp-0", Labels: map[string]string{LabelControlPlane: "true"}}
	s := Spec{Global: map[string]any{KeyProvider: " aws\n", KeyDisableCCM: "true ", KeyCloudConfig: "[Global]\n",
		KeyKubeletArg: "cloud-provider=external\n", KeyManagerArg: []any{"v=2 ", " cloud-provider=external", 4, " "}}}
	c := Effective(s, m)
	if c.Text(KeyProvider) != "aws" || c.Text(KeyDisableCCM) != "true" || c.Text(KeyCloudConfig) != "[Global]\n" {
		t.Errorf("%q, %q, %q", c.Text(KeyProvider), c.Text(KeyDisableCCM), c.Text(KeyCloudConfig))
	}
	if got := c.Args(KeyManagerArg); !slices.Equal(got, []string{"v=2", "cloud-provider=external", "4", ""}) {
		t.Errorf("%q", got)
	}
	if ManagerProvider(c) != ProviderExternal || KubeletProvider(c) != ProviderExternal {
		t.Errorf("kube-controller-manager %q, kubelet %q", ManagerProvider(c), KubeletProvider(c))
	}
	n, err := ParseNodeArgs(`["server","--cloud-provider-name","aws","--cloud-provider-config","/x","--disable-cloud-controller","true","--kubelet-arg","cloud-provider=external","--kube-controller-manager-arg","v=2","--kube-controller-manager-arg","cloud-provider=external","--kube-controller-manager-arg","4"]`)
	if err != nil {
		t.Fatal(err)
	}
	if found := Explained(n, c); len(found) > 0 {
		t.Errorf("what RKE2 was started with is not explained: %v", found)
	}
}

// A value of another type is shown with its type: to an edit, [aws] is not aws.
func TestSetting_String_list(t *testing.T) {
	m := Machine{Name: "cp-0", Labels: map[string]string{LabelControlPlane: "true"}}
	for _, tt := range []struct {
		value any
		want  string
	}{
		{[]any{"aws"}, "cp-0: [aws], which is a list (machineGlobalConfig.cloud-provider-name)"},
		{[]any{}, "cp-0: [], which is a list (machineGlobalConfig.cloud-provider-name)"},
		{true, "cp-0: true, which is a boolean (machineGlobalConfig.cloud-provider-name)"},
		{"aws", "cp-0: aws (machineGlobalConfig.cloud-provider-name)"},
	} {
		s := Spec{Global: map[string]any{KeyProvider: tt.value}}
		if got := Providers(s, []Machine{m})[0].String(); got != tt.want {
			t.Errorf("%v: %s", tt.value, got)
		}
	}
}
