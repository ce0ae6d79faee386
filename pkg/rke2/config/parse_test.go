package config

import (
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config/notation"
)

func TestParse(t *testing.T) {
	object := cluster(fromYAML(t, `
machineGlobalConfig: null
machineSelectorConfig:
- config: null
  machineLabelSelector: {matchLabels: {a: b}}
  kubelet-arg: [cloud-provider=external]
  disable-cloud-controller: true
- config: {selinux: true}
etcdSnapshotCreate: {generation: 3}
upgradeStrategy:
  controlPlaneConcurrency: "1"
  workerConcurrency: 10%
  controlPlaneDrainOptions: {enabled: true, timeout: 120, ignoreErrors: true, deleteEmptyDirData: true}
  workerDrainOptions: {enabled: false, preDrainHooks: [{annotation: x}]}
machinePools:
- {name: cp, quantity: 3, controlPlaneRole: true, etcdRole: true, unhealthyNodeTimeout: 5m0s, maxUnhealthy: 100%}
- {name: win, workerRole: true, machineOS: windows, labels: {tier: win}, paused: true}
`))
	object["spec"].(map[string]any)["defaultPodSecurityAdmissionConfigurationTemplateName"] = "rancher-restricted"
	s, err := Parse(object)
	if err != nil {
		t.Fatal(err)
	}
	if s.Object != "Cluster fleet-default/demo" || s.PSACT != "rancher-restricted" || s.SnapshotGeneration != 3 || s.HasManifest || s.Global != nil {
		t.Errorf("spec %+v", s)
	}
	if !s.Upgrade.ControlPlaneDrain.Cordons() || !s.Upgrade.WorkerDrain.Cordons() || (Drain{}).Cordons() || s.Upgrade.WorkerConcurrency != "10%" || s.Upgrade.ControlPlaneDrain.TimeoutSeconds != 120 {
		t.Errorf("upgrade strategy %+v", s.Upgrade)
	}
	if p := s.Pools[1]; p.OS != "windows" || p.Quantity != 1 || p.Labels["tier"] != "win" || !p.Paused || s.Pools[0].UnhealthyNodeTimeout != "5m0s" {
		t.Errorf("pools %+v", s.Pools)
	}
	if m := s.PoolMachines()[1]; !m.Windows() || !m.Worker() || m.Server() || m.Labels["tier"] != "win" {
		t.Errorf("machine of the pool %+v", m)
	}
	stray := StrayEntries(s)
	if len(stray) != 1 || !strings.Contains(stray[0].Seen, "disable-cloud-controller, kubelet-arg") || stray[0].Location != "machineSelectorConfig[0]" {
		t.Errorf("stray entries %v", stray)
	}
}

// An object without a kind counts as a Cluster.
func TestObjectName(t *testing.T) {
	named := map[string]any{"name": "demo", "namespace": "fleet-default"}
	for want, object := range map[string]map[string]any{
		"Cluster fleet-default/demo":         {"metadata": named},
		"RKEControlPlane fleet-default/demo": {"kind": "RKEControlPlane", "metadata": named},
		"Cluster demo":                       {"kind": "Cluster", "metadata": map[string]any{"name": "demo"}},
		"Cluster":                            {},
	} {
		if got := objectName(object); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestParse_badField_named(t *testing.T) {
	for text, field := range map[string]string{
		`machineGlobalConfig: []`:              "spec.rkeConfig.machineGlobalConfig is a list",
		`machineSelectorConfig: {}`:            "spec.rkeConfig.machineSelectorConfig is a map",
		`machineSelectorConfig: [x]`:           "spec.rkeConfig.machineSelectorConfig[0] is a string",
		`machineSelectorConfig: [{config: 1}]`: "spec.rkeConfig.machineSelectorConfig[0].config is a number",
		`machineSelectorConfig: [{machineLabelSelector: {matchExpressions: [{key: a, operator: Is}]}}]`: "spec.rkeConfig.machineSelectorConfig[0].machineLabelSelector is no label selector",
		`machineSelectorConfig: [{machineLabelSelector: x}]`:                                            "machineLabelSelector is no label selector",
		`additionalManifest: 1`:                         "spec.rkeConfig.additionalManifest is a number",
		`upgradeStrategy: {controlPlaneConcurrency: 1}`: "spec.rkeConfig.upgradeStrategy.controlPlaneConcurrency is a number",
		`machinePools: [{name: a, quantity: many}]`:     "spec.rkeConfig.machinePools[0].quantity is a string",
		`machinePools: [{labels: {a: 1}}]`:              "spec.rkeConfig.machinePools[0].labels.a is a number",
		`etcdSnapshotCreate: x`:                         "spec.rkeConfig.etcdSnapshotCreate is a string",
	} {
		_, err := Parse(cluster(fromYAML(t, text)))
		wantFault(t, err, fault.Check, "BadField")
		if !strings.Contains(err.Error(), field) || !strings.Contains(err.Error(), "fleet-default/demo") {
			t.Errorf("%s: %v, want %s", text, err, field)
		}
	}
	imported := cluster(nil)
	delete(imported["spec"].(map[string]any), "rkeConfig")
	_, err := Parse(imported)
	wantFault(t, err, fault.Check, "NotProvisioned")
}

func TestLast(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
		ok   bool
	}{
		{nil, "", false},
		{[]string{"cloud-provider-name=x", "cloud-provide"}, "", false},
		{[]string{"cloud-provider=aws", "v=2", "--cloud-provider=external"}, "external", true},
		{[]string{"cloud-provider"}, "true", true},
		{[]string{"cloud-provider=a=b"}, "a=b", true},
		{[]string{"cloud-provider="}, "", true},
		{[]string{"cloud-provider=external", "cloud-provider-=aws"}, "external", true},
		{[]string{"cloud-provider-=aws", "cloud-provider+=external"}, "external", true},
		{[]string{"cloud_provider=aws", "cloud-provider=external"}, "aws", true},
	} {
		if got, ok := notation.Last(c.args, "cloud-provider"); got != c.want || ok != c.ok {
			t.Errorf("Last(%q) = %q, %v; want %q, %v", c.args, got, ok, c.want, c.ok)
		}
	}
}

func TestAgree_cloudConfiguration_hidden(t *testing.T) {
	s := parse(t, fromYAML(t, `
machineGlobalConfig: {cloud-provider-name: aws, cloud-provider-config: "[Global]\nPassword=SECRET"}
machineSelectorConfig:
- config: {cloud-provider-config: "secret://fleet-default:x"}
  machineLabelSelector: {matchLabels: {rke.cattle.io/worker-role: "true"}}
`))
	err := Agree(s.Object, KeyCloudConfig, CloudConfigs(s, []Machine{machine("cp-0", "c"), machine("w-0", "w")}))
	wantFault(t, err, fault.Check, "MachinesDisagree")
	for _, want := range []string{"cp-0", "w-0", "machineGlobalConfig.cloud-provider-config", "machineSelectorConfig[0].config.cloud-provider-config", "secret://fleet-default:x"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v names no %s", err, want)
		}
	}
	if strings.Contains(err.Error(), "SECRET") {
		t.Errorf("shows the configuration: %v", err)
	}
}
