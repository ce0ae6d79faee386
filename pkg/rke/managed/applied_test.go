package managed

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke/naming"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkestate"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// appliedCluster returns a Cluster whose configuration Rancher has applied everywhere.
func appliedCluster() Cluster {
	yes := condition{Status: "True"}
	c := Cluster{ID: "c-1", DisplayName: "demo", Driver: driverRKE, Config: Switch(uiConfig(), naming.Rule{UseMetadata: true}, nil).Apply(),
		Conditions: map[string]condition{"Updated": yes, "Provisioned": yes, "Ready": yes, "Upgraded": yes}}
	c.Applied = runtime.DeepCopyJSON(c.Config)
	c.Applied["nodes"] = []any{map[string]any{"address": "1.2.3.4"}}
	c.Applied["systemImages"] = map[string]any{"etcd": "rancher/etcd"}
	c.Applied["rotateEncryptionKey"] = false
	c.Nodes = []Node{
		{Name: "m-1", Address: "1.2.3.4", Role: []string{"etcd", "controlplane"}},
		{Name: "m-2", Address: "1.2.3.5", Role: []string{"worker"}, PlanVersion: 2, AppliedVersion: 2, Kubelet: []string{"entrypoint.sh", "kubelet", "--cloud-provider=external"}},
	}
	return c
}

func factsFor(t *testing.T, c Cluster, stateProvider string) rkestate.Facts {
	t.Helper()
	file, err := fileOf(c)
	if err != nil {
		t.Fatal(err)
	}
	f := rkestate.Facts{File: file, Config: file.Config()}
	f.State.Source = "Secret kube-system/full-cluster-state"
	f.State.Current.Known = true
	f.State.Current.Config.CloudProvider.Name = stateProvider
	f.State.Current.Config.KubernetesVersion = "v1.26.9-rancher1-1"
	return f
}

// Every sign of unfinished work must count alone: for some time, each is the only one.
func TestPendingConditions_oneSign_pending(t *testing.T) {
	if c := appliedCluster(); len(c.pendingConditions(factsFor(t, c, "external-aws"))) != 0 {
		t.Fatalf("an applied cluster is not at rest: %s", migration.SummarizePending(c.pendingConditions(factsFor(t, c, "external-aws"))))
	}
	for want, change := range map[string]func(*Cluster){
		"cloudProvider.name": func(c *Cluster) { c.Applied["cloudProvider"].(map[string]any)["name"] = "aws" },
		"cloudProvider.awsCloudProvider": func(c *Cluster) {
			c.Applied["cloudProvider"].(map[string]any)["awsCloudProvider"] = map[string]any{}
		},
		"could not apply": func(c *Cluster) { c.Failed = map[string]any{} },
		"Updated=Unknown": func(c *Cluster) { c.Conditions["Updated"] = condition{Status: "Unknown"} },
		"Upgraded=Unknown: updating": func(c *Cluster) {
			c.Conditions["Upgraded"] = condition{Status: "Unknown", Message: "updating worker nodes"}
		},
		"condition Ready is missing": func(c *Cluster) { delete(c.Conditions, "Ready") },
		"worker m-2 has applied":     func(c *Cluster) { c.Nodes[1].AppliedVersion = 1 },
		`worker m-2 has a plan for provider "aws"`: func(c *Cluster) {
			c.Nodes[1].Kubelet = []string{"entrypoint.sh", "kubelet", "--cloud-provider=aws"}
		},
		"being deleted": func(c *Cluster) { c.Deleting = true },
	} {
		c := appliedCluster()
		change(&c)
		if text := migration.SummarizePending(c.pendingConditions(factsFor(t, c, "external-aws"))); !strings.Contains(text, want) {
			t.Errorf("wanted %q, got %q", want, text)
		}
	}
	c := appliedCluster()
	if text := migration.SummarizePending(c.pendingConditions(factsFor(t, c, "aws"))); !strings.Contains(text, `rke's state "aws"`) {
		t.Errorf("rke's state that lags: %q", text)
	}
}

// appliedSpec and Updated do not cover workers; only their plan does.
func TestMissingFromPlan_workerPlan_reason(t *testing.T) {
	c := appliedCluster()
	if missingFromPlan := c.missingFromPlan("1.2.3.5"); missingFromPlan != "" {
		t.Errorf("a switched worker lacks %q", missingFromPlan)
	}
	c.Nodes[1].AppliedVersion = 1
	if missingFromPlan := c.missingFromPlan("1.2.3.5"); missingFromPlan != "its agent has not applied the newest plan yet" {
		t.Errorf("a worker whose agent is behind lacks %q", missingFromPlan)
	}
	c.Nodes[1].Kubelet = []string{"entrypoint.sh", "kubelet", "--cloud-provider=aws"}
	if c.missingFromPlan("1.2.3.5") == "" {
		t.Error("a worker whose plan is in-tree counts as switched")
	}
	c.Nodes[0].Role = []string{"controlplane"}
	if missingFromPlan := c.missingFromPlan("1.2.3.4"); missingFromPlan != "" {
		t.Errorf("a control plane is judged by a worker's plan: %q", missingFromPlan)
	}
	c.Nodes[0].PlanVersion = 9
	if missingFromPlan := c.missingFromPlan("1.2.3.4"); missingFromPlan != "" {
		t.Errorf("a control plane is judged by its plan's version: %q", missingFromPlan)
	}
}

// Other notations and omitted empty values are no difference.
func TestSpecDifferences(t *testing.T) {
	type config = map[string]any
	for name, tt := range map[string]struct {
		a, b config
		want []string
	}{
		"the same":                   {config{"x": config{"y": "1"}}, config{"x": config{"y": "1"}}, nil},
		"nothing, in every form":     {config{"a": nil, "b": "", "c": false, "d": []any{}, "e": config{}, "f": config{"g": config{"h": ""}}}, config{}, nil},
		"the same, the other way":    {config{}, config{"a": nil, "b": "", "c": false, "d": []any{}, "e": config{}, "f": config{"g": config{"h": ""}}}, nil},
		"nothing, in two forms":      {config{"a": config{}, "b": ""}, config{"a": "", "b": []any{}}, nil},
		"a value is gone":            {config{"x": config{"y": "1"}}, config{"x": config{}}, []string{"x.y"}},
		"a value came":               {config{}, config{"x": config{"y": "1"}}, []string{"x.y"}},
		"another value":              {config{"x": "1"}, config{"x": "2"}, []string{"x"}},
		"a mapping became a string":  {config{"x": config{"y": "1"}}, config{"x": "1"}, []string{"x"}},
		"a list is another":          {config{"x": []any{"1"}}, config{"x": []any{"2"}}, []string{"x"}},
		"the UI's empty block came":  {config{"cloudProvider": config{}}, config{"cloudProvider": config{"awsCloudProvider": config{}}}, []string{"cloudProvider.awsCloudProvider"}},
		"it came with its parent":    {config{}, config{"cloudProvider": config{"awsCloudProvider": config{}}}, []string{"cloudProvider.awsCloudProvider"}},
		"it is there in both":        {config{"cloudProvider": config{"awsCloudProvider": config{}}}, config{"cloudProvider": config{"awsCloudProvider": config{"global": nil}}}, nil},
		"two, in their order":        {config{"b": "1", "a": "1"}, config{}, []string{"a", "b"}},
		"what Rancher fills in":      {config{}, config{"systemImages": config{"etcd": "x"}}, nil},
		"Rancher filled in and more": {config{}, config{"systemImages": config{"etcd": "x"}, "network": config{"plugin": "canal"}}, []string{"network.plugin"}},
	} {
		if d := cmp.Diff(tt.want, specDifferences(tt.a, tt.b)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// An empty block stays empty.
func TestProviderOf(t *testing.T) {
	type block = map[string]any
	for name, tt := range map[string]struct{ given, want block }{
		"none":        {block{"name": "aws", "other": "x"}, block{"name": "aws"}},
		"empty":       {block{"awsCloudProvider": block{}}, block{"awsCloudProvider": block{}}},
		"empty parts": {block{"awsCloudProvider": block{"global": block{}, "serviceOverride": block{}}}, block{"awsCloudProvider": block{}}},
		"both": {block{"awsCloudProvider": block{"global": block{"vpc": "v"}, "serviceOverride": block{"1": block{}}}},
			block{"awsCloudProvider": block{"global": block{"vpc": "v"}, "service_override": block{"1": block{}}}}},
	} {
		if d := cmp.Diff(tt.want, providerOf(tt.given)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

func TestToSnakeCase(t *testing.T) {
	for camel, want := range map[string]string{"name": "name", "kubernetesVersion": "kubernetes_version", "maxUnavailableAZ": "max_unavailable_a_z", "extraArgsArray": "extra_args_array"} {
		if got := toSnakeCase(camel); got != want {
			t.Errorf("%s: %s, want %s", camel, got, want)
		}
	}
}

func TestAddressOf(t *testing.T) {
	config := rkestate.Config{Nodes: []rkestate.Node{{Address: "10.0.0.1"}, {Address: "10.0.0.2"}}}
	down := downstream.Cluster{Nodes: []downstream.Node{
		{Name: "a", Addresses: []downstream.Address{{Type: "InternalIP", Address: "10.0.0.1"}}}, {Name: "b", Addresses: []downstream.Address{{Type: "InternalIP", Address: "10.0.0.2"}}}}}
	for want, nodes := range map[string][]string{"10.0.0.1": {"a"}, "10.0.0.2": {"b"}, "": {"c"}} {
		if got := addressOf(config, nodes, down); got != want {
			t.Errorf("%v: %q, want %q", nodes, got, want)
		}
	}
	if got := addressOf(config, nil, down); got != "" {
		t.Errorf("no Node: %q", got)
	}
}

// A failure of an earlier configuration does not count.
func TestFailure_failedSpec_current(t *testing.T) {
	c := appliedCluster()
	c.Conditions["Updated"] = condition{Status: "False", Message: "host gone"}
	c.Failed = runtime.DeepCopyJSON(c.Applied)
	if err := c.failure(); fault.ClassOf(err) != fault.Check || !strings.Contains(err.Error(), "host gone") {
		t.Errorf("got %v", err)
	}
	c.Failed["cloudProvider"] = map[string]any{"name": "aws"}
	if err := c.failure(); err != nil {
		t.Errorf("an old failure counts: %v", err)
	}
}

func TestChoose(t *testing.T) {
	rke := func(id, name string) Cluster {
		return Cluster{ID: id, DisplayName: name, Driver: driverRKE, Config: map[string]any{}}
	}
	imported := Cluster{ID: "c-i", DisplayName: "imported", Driver: "imported"}
	newer := Cluster{ID: "c-m-1", DisplayName: "newer", Provisioned: true}
	local := Cluster{ID: "local", DisplayName: "local", Internal: true}
	all := []Cluster{rke("c-1", "prod"), rke("c-2", "twin"), rke("c-3", "twin"), rke("c-4", "c-1x"), imported, newer, local}
	for name, want := range map[string]struct {
		id, seen string
		class    fault.Class
	}{
		"c-1":      {id: "c-1"},
		"prod":     {id: "c-1"},
		"c-3":      {id: "c-3"},
		"twin":     {seen: "c-2 (twin), c-3 (twin)", class: fault.Usage},
		"unknown":  {seen: "no such id", class: fault.Usage},
		"imported": {seen: `driver "imported"`, class: fault.Check},
		"newer":    {seen: "provisioning.cattle.io", class: fault.Check},
		"local":    {seen: "Rancher itself", class: fault.Check},
	} {
		got, err := choose(all, name)
		switch {
		case want.seen == "" && (err != nil || got.ID != want.id):
			t.Errorf("%s: got %s, %v", name, got.ID, err)
		case want.seen != "" && (fault.ClassOf(err) != want.class || !strings.Contains(err.Error(), want.seen)):
			t.Errorf("%s: %v", name, err)
		}
	}
	// A name that equals another cluster's id is also ambiguous.
	if _, err := choose(append(all, rke("c-9", "c-1")), "c-1"); fault.ClassOf(err) != fault.Usage {
		t.Errorf("an id that is another's name: %v", err)
	}
}

func TestFileOf_rancherConfig_translated(t *testing.T) {
	config := uiConfig()
	config["services"].(map[string]any)["kubeController"] = map[string]any{"extraArgs": map[string]any{"leader-elect": "false"}, "extraArgsArray": map[string]any{"v": []any{"2"}}}
	config["cloudProvider"].(map[string]any)["awsCloudProvider"] = map[string]any{"global": map[string]any{"role-arn": "arn:x", "disable-security-group-ingress": true},
		"serviceOverride": map[string]any{"1": map[string]any{"service": "ec2", "signing-region": "r"}}}
	config["upgradeStrategy"] = map[string]any{"drain": true, "maxUnavailableControlplane": "2"}
	file, err := fileOf(Cluster{ID: "c-1", Config: config})
	if err != nil {
		t.Fatal(err)
	}
	c := file.Config()
	aws := c.CloudProvider.AWS
	if c.KubernetesVersion != "v1.26.9-rancher1-1" || c.Services.KubeController.ExtraArgs["leader-elect"] != "false" || c.Services.Kubelet.ExtraArgs["max-pods"] != "110" ||
		c.Services.KubeController.ExtraArgsArray["v"][0] != "2" || !c.UpgradeStrategy.Drains() || c.UpgradeStrategy.MaxUnavailableControlplane != "2" {
		t.Errorf("got %+v", c)
	}
	if aws == nil || aws.Global.RoleARN != "arn:x" || !aws.Global.DisableSecurityGroupIngress || aws.ServiceOverride["1"].SigningRegion != "r" {
		t.Errorf("awsCloudProvider is %+v", aws)
	}
	if file, err = fileOf(Cluster{ID: "c-1", Config: uiConfig()}); err != nil || file.Config().CloudProvider.AWS == nil {
		t.Errorf("the UI's empty block was lost: %v", err)
	}
}

// Malformed entries in the list are ignored.
func TestParseCluster_conditions_read(t *testing.T) {
	c := parseCluster(&unstructured.Unstructured{Object: map[string]any{
		"metadata": map[string]any{"name": "c-1"},
		"status": map[string]any{"conditions": []any{
			map[string]any{"type": "Updated", "status": "Unknown", "message": "updating", "lastUpdateTime": "x"},
			map[string]any{"type": "Ready", "status": "True"}, map[string]any{},
		}},
	}})
	if c.Conditions["Updated"] != (condition{Status: "Unknown", Message: "updating"}) || c.Conditions["Ready"].Status != "True" {
		t.Errorf("got %v", c.Conditions)
	}
	if _, there := c.Conditions["Provisioned"]; there {
		t.Error("a condition that is not there was read")
	}
}
