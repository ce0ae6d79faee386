package rancher

import (
	"context"
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// templates checks that an edit waits while a pool's template is missing, and that the pool's next
// machine gets it.
func (f *fixture) templates() {
	before := f.machineNames(labelWorker)
	f.patch(`{"spec":{"rkeConfig":{"machineGlobalConfig":{"debug":true},"machinePools":[
		{"name":"cp","quantity":2,"controlPlaneRole":true,"etcdRole":true},
		{"name":"worker","quantity":2,"workerRole":true,"machineConfigRef":{"kind":"Amazonec2Config","name":"nc-worker"}}]}}}`)
	f.await("the missing template", func(context.Context) (string, bool) {
		f.mu.Lock()
		defer f.mu.Unlock()
		seen := fmt.Sprint(f.errors)
		return seen, strings.Contains(seen, `amazonec2configs.rke-machine-config.cattle.io "nc-worker" not found`)
	})
	if got := mapAt(f.controlPlane(f.t.Context()), "spec", "machineGlobalConfig")["debug"]; got != nil {
		f.t.Errorf("debug is %v without the pool's template", got)
	}
	o := newObject(gvrMachineConfig, machineConfigKind, "fleet-default", "nc-worker")
	o.Object["tags"], o.Object["requestSpotInstance"] = "team,a", false
	if _, err := f.dyn.Resource(gvrMachineConfig).Namespace("fleet-default").Create(f.t.Context(), o, metav1.CreateOptions{}); err != nil {
		f.t.Fatal(err)
	}
	f.await("another worker with the template", func(context.Context) (string, bool) {
		for _, name := range f.machineNames(labelWorker) {
			f.machines.mu.Lock()
			template := f.machines.templates[name]
			f.machines.mu.Unlock()
			if len(before) == 1 && name != before[0] && template["tags"] == "team,a" {
				return "", true
			}
		}
		return fmt.Sprint(before), false
	})
	f.awaitSettled()
	if got := mapAt(f.controlPlane(f.t.Context()), "spec", "machineGlobalConfig")["debug"]; got != true {
		f.t.Errorf("debug is %v with the pool's template", got)
	}
}

func TestPoolTemplate_withoutDriver(t *testing.T) {
	for _, pool := range []map[string]any{nil, {"name": "a"}, {"machineConfigRef": map[string]any{"kind": "VmwarevsphereConfig", "name": "a"}}, {"machineConfigRef": map[string]any{"kind": machineConfigKind}}} {
		if got, err := new(Rancher).poolTemplate(t.Context(), "fleet-default", pool); got != nil || err != nil {
			t.Errorf("%v: template %v, error %v", pool, got, err)
		}
	}
}
