package edits

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
)

// compute runs an edit by its name in the table.
func compute(name string, s config.Spec, machines []config.Machine) (Edit, error) {
	switch name {
	case "enable":
		return EnableLeaderMigration(s, machines)
	case "disable":
		return DisableLeaderMigration(s, machines)
	case "external", "overrides":
		return SwitchProvider(s, machines, EndState(name))
	case "back":
		return SwitchBack(s, machines)
	default:
		return Edit{}, fmt.Errorf("no edit %q", name)
	}
}

func readMachines(list []string) []config.Machine {
	var out []config.Machine
	for _, text := range list {
		fields := strings.Fields(text)
		var labels []string
		for _, l := range fields[2:] {
			k, v, _ := strings.Cut(l, "=")
			labels = append(labels, k, v)
		}
		out = append(out, machine(fields[0], fields[1], labels...))
	}
	return out
}

func TestEdits(t *testing.T) {
	var cases []struct {
		Name     string         `json:"name"`
		Edit     string         `json:"edit"`
		Machines []string       `json:"machines"`
		RKE      map[string]any `json:"rke"`
		Want     map[string]any `json:"want"`
		Refused  string         `json:"refused"`
	}
	readYAML(t, "testdata/edits.yaml", &cases)
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			s, machines := parse(t, c.RKE), readMachines(c.Machines)
			e, err := compute(c.Edit, s, machines)
			if c.Refused != "" {
				wantFault(t, err, fault.Check, c.Refused)
				if !strings.Contains(err.Error(), "Cluster fleet-default/demo") {
					t.Errorf("the refusal names no object: %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			after, err := e.Apply(s)
			if err != nil {
				t.Fatal(err)
			}
			same(t, "after the edit", content(after), c.Want)
			same(t, "the spec it was computed from", content(s), content(parse(t, c.RKE)))
			checkEdit(t, c.RKE, s, e)

			again, err := compute(c.Edit, after, machines)
			if c.Edit != "overrides" && c.Edit != "external" && (err != nil || !again.Empty()) {
				t.Errorf("a second time changes %v, error %v", again.Diff(), err)
			}
		})
	}
}

// checkEdit checks the promises for every edit of every spec.
func checkEdit(t testing.TB, rke map[string]any, s config.Spec, e Edit) {
	t.Helper()
	after, err := e.Apply(s)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "the JSON patch against Apply", content(patched(t, rke, e)), content(after))
	if ok, missing := e.AppliedIn(after); !ok {
		t.Errorf("AppliedIn after the edit: missing %v", missing)
	}
	if ok, _ := e.AppliedIn(s); ok != e.Empty() {
		t.Errorf("AppliedIn before the edit: %v, want %v", ok, e.Empty())
	}
	inverse, err := stored(t, e.Inverse()).Edit(after)
	if err != nil {
		t.Fatalf("inverse: %v", err)
	}
	stored(t, inverse.Inverse()) // an undo is paused by it
	back, err := inverse.Apply(after)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "after the inverse", content(back), content(s))
	afterRKE := content(after)
	same(t, "the inverse's JSON patch", content(patched(t, afterRKE, inverse)), content(s))
	twice, err := stored(t, e.Inverse()).Edit(back)
	if err != nil || !twice.Empty() {
		t.Errorf("the inverse a second time: %v, error %v", twice.Diff(), err)
	}
}

func TestRolls(t *testing.T) {
	s := parse(t, fromYAML(t, `{machineGlobalConfig: {cloud-provider-name: aws}}`))
	machines := []config.Machine{machine("cp-0", "c"), machine("etcd-0", "e"), machine("w-0", "w")}
	for _, c := range []struct {
		edit string
		want []string
	}{
		{"enable", []string{"cp-0"}},
		{"external", []string{"cp-0", "etcd-0", "w-0"}},
	} {
		e, err := compute(c.edit, s, machines)
		if err != nil {
			t.Fatal(err)
		}
		got, err := e.Rolls(s, machines)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s rolls %v, error %v; want %v", c.edit, got, err, c.want)
		}
	}
}

func TestDiff(t *testing.T) {
	s := parse(t, fromYAML(t, `
machineSelectorConfig:
- config: {cloud-provider-name: aws, kube-controller-manager-arg: [feature-gates=RotateKubeletServerCertificate=true]}
`))
	e, err := EnableLeaderMigration(s, []config.Machine{machine("cp-0", "ce")})
	if err != nil {
		t.Fatal(err)
	}
	want := `machineSelectorConfig[0].config.kube-controller-manager-arg
    - feature-gates=RotateKubeletServerCertificate=true
  + - enable-leader-migration
`
	if e.Diff() != want {
		t.Errorf("diff is\n%s\nwant\n%s", e.Diff(), want)
	}
}

func TestNotes(t *testing.T) {
	s := parse(t, fromYAML(t, `{machineGlobalConfig: {cloud-provider-name: aws, kube-controller-manager-arg: v=4}}`))
	e, err := EnableLeaderMigration(s, []config.Machine{machine("cp-0", "ce")})
	if err != nil || len(e.Notes) != 1 || !strings.Contains(e.Notes[0], "machineGlobalConfig.kube-controller-manager-arg becomes a list") {
		t.Errorf("notes %q, error %v", e.Notes, err)
	}
}

// TestPoolMachines shows why edits should include pools without machines.
func TestPoolMachines(t *testing.T) {
	s := parse(t, fromYAML(t, `
machineGlobalConfig: {cloud-provider-name: aws, kube-controller-manager-arg: [enable-leader-migration]}
machineSelectorConfig:
- config: {kubelet-arg: [max-pods=30]}
  machineLabelSelector: {matchLabels: {rke.cattle.io/rke-machine-pool-name: spot}}
machinePools:
- {name: cp, quantity: 3, controlPlaneRole: true, etcdRole: true}
- {name: spot, quantity: 0, workerRole: true, labels: {tier: spot}}
`))
	machines := append([]config.Machine{machine("cp-0", "ce")}, s.PoolMachines()...)
	e, err := SwitchProvider(s, machines, Overrides)
	if err != nil {
		t.Fatal(err)
	}
	after, err := e.Apply(s)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "the empty pool's kubelet arguments", after.Entries[0].Config["kubelet-arg"], []any{"max-pods=30", "cloud-provider=external"})
	idle := config.IdleSettings(s, machines[:1])
	if len(idle) != 1 || idle[0].Location != "machineSelectorConfig[0].config.kubelet-arg" {
		t.Errorf("idle settings without the pool: %v", idle)
	}
}

// Selectors by labels that Rancher gives every pool's machines also match the next machine of a
// pool.
func TestSelectorsByLabelsOfEveryPool(t *testing.T) {
	const pools = "machinePools:\n- {name: cp, quantity: 1, controlPlaneRole: true, etcdRole: true}\n- {name: w, quantity: 1, workerRole: true}\n"
	machines := func(s config.Spec) []config.Machine {
		cp := machine("cp-0", "ce", "cluster.x-k8s.io/deployment-name", "demo-cp", "cluster.x-k8s.io/control-plane", "true")
		return append([]config.Machine{cp, machine("w-0", "w", "cluster.x-k8s.io/deployment-name", "demo-w")}, s.PoolMachines()...)
	}
	byDeployment := parse(t, fromYAML(t, pools+`machineSelectorConfig:
- config: {cloud-provider-name: aws}
  machineLabelSelector: {matchExpressions: [{key: cluster.x-k8s.io/deployment-name, operator: In, values: [demo-cp, demo-w]}]}
`))
	if _, err := SwitchProvider(byDeployment, machines(byDeployment), Overrides); err != nil {
		t.Errorf("by the deployment's name: %v", err)
	}
	byPlane := parse(t, fromYAML(t, pools+`machineGlobalConfig: {cloud-provider-name: aws}
machineSelectorConfig:
- config: {kube-controller-manager-arg: [v=4]}
  machineLabelSelector: {matchExpressions: [{key: cluster.x-k8s.io/control-plane, operator: Exists}]}
`))
	e, err := EnableLeaderMigration(byPlane, machines(byPlane))
	if err != nil {
		t.Fatal(err)
	}
	after, err := e.Apply(byPlane)
	if err != nil {
		t.Fatal(err)
	}
	if len(after.Entries) != 1 {
		t.Errorf("%d entries, wanted the flag in the one that is there", len(after.Entries))
	}
}
