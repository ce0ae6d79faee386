package edits

import (
	"fmt"
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
)

// BenchmarkSwitchProvider computes an edit for a cluster of 5,000 machines.
func BenchmarkSwitchProvider(b *testing.B) {
	s := parse(b, fromYAML(b, `
machineGlobalConfig: {cni: calico, kubelet-arg: [max-pods=110]}
machineSelectorConfig:
- config: {cloud-provider-name: aws}
- config: {kube-controller-manager-arg: [v=4, enable-leader-migration]}
  machineLabelSelector: {matchLabels: {rke.cattle.io/control-plane-role: "true"}}
- config: {kubelet-arg: [max-pods=250]}
  machineLabelSelector: {matchExpressions: [{key: pool, operator: In, values: [big]}]}
`))
	machines := []config.Machine{machine("cp-0", "ce"), machine("cp-1", "ce"), machine("cp-2", "ce")}
	for i := range 5000 {
		machines = append(machines, machine(fmt.Sprintf("w-%d", i), "w", "pool", []string{"big", "small"}[i%2]))
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := SwitchProvider(s, machines, Overrides); err != nil {
			b.Fatal(err)
		}
	}
}
