//go:build slow

package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/test/scenario"
)

// flagEntry is the first edit of Rancher's guide, word for word.
func flagEntry(rkeConfig map[string]any) {
	scenario.SelectorEntry(rkeConfig, scenario.ControlPlaneLabel, map[string]any{"kube-controller-manager-arg": []any{"enable-leader-migration"}})
}

// theGrant holds the rights that the guide omits.
const theGrant = `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: by-hand, namespace: kube-system}
rules:
- {apiGroups: [coordination.k8s.io], resources: [leases], verbs: [create]}
- {apiGroups: [coordination.k8s.io], resources: [leases], resourceNames: [cloud-provider-extraction-migration], verbs: [get, update]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: by-hand, namespace: kube-system}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: by-hand}
subjects:
- {apiGroup: rbac.authorization.k8s.io, kind: User, name: system:kube-controller-manager}
`

// flagWithoutGrant follows the guide, which turns leader migration on without the right to its
// lease: the cloud controllers stop.
func flagWithoutGrant(ctx context.Context, t *testing.T, lab *scenario.Lab) {
	since := time.Now()
	must(t, lab.EditRKEConfig(ctx, flagEntry))
	must(t, lab.WaitApplied(ctx))
	kcmsRun(ctx, t, lab, "aws with flag")
	waitForNoController(ctx, t, lab, since)
	managers, err := lab.Running(scenario.KubeControllerManager)
	must(t, err)
	seen, text, err := lab.Observe(ctx, since)
	must(t, err)
	for _, controller := range []string{scenario.Service, scenario.Route, scenario.Lifecycle} {
		for _, interval := range seen.Of(controller).Intervals {
			for _, manager := range managers {
				if interval.Process.Name == manager.Name {
					t.Errorf("%s ran %s although it may not use the lease\n%s", manager.Name, controller, text)
				}
			}
		}
	}
	const cause = "may not use the migration lease"
	before := time.Now()
	wantRefused(ctx, t, lab, cause, "rke2", "status", "--cluster", "demo")
	wantRefused(ctx, t, lab, cause, "rke2", "--cluster", "demo", "--yes", "--edits", "apply")
	wroteNothing(t, lab, before)

	_, err = lab.Kubectl(ctx, theGrant, "apply", "-f", "-") // the reported cause was the cause
	must(t, err)
	runBy(ctx, t, lab, since, scenario.KubeControllerManager, scenario.Service, scenario.Route, scenario.Lifecycle)
}

// externalWithFlag makes the provider external and keeps the flag, as a reader may who takes
// "if you don't want it enabled" literally. A kube-controller-manager then holds the migration
// lease and runs nothing, and no CCM ever gets it.
func externalWithFlag(ctx context.Context, t *testing.T, lab *scenario.Lab) {
	migrate(ctx, t, lab, 0, "--no-etcd-snapshot", "--until", "enable-leader-migration")
	must(t, lab.EditRKEConfig(ctx, func(rkeConfig map[string]any) {
		winningEntry(rkeConfig)["cloud-provider-name"] = "external"
	}))
	must(t, lab.WaitApplied(ctx))
	kcmsRun(ctx, t, lab, "external with flag")
	since := time.Now()
	must(t, lab.UpstreamCCM(ctx, "registry.k8s.io/provider-aws/cloud-controller-manager:v1.26.14", "--enable-leader-migration"))
	_, err := lab.Kubectl(ctx, "", "-n", "kube-system", "rollout", "status", "daemonset/aws-cloud-controller-manager", "--timeout=2m")
	must(t, err)
	_, err = lab.WaitHolder(ctx, scenario.CCMLease)
	must(t, err)
	waitForNoController(ctx, t, lab, since.Add(-time.Minute))
	main, err := lab.WaitHolder(ctx, scenario.KCMLease)
	must(t, err)
	if holder, err := lab.WaitHolder(ctx, scenario.MigrationLease); err != nil || holder != main {
		t.Errorf("the migration lease is held by %q, %v; wanted the leading kube-controller-manager %q", holder, err, main)
	}
	const cause = "external KCM with enable-leader-migration"
	before := time.Now()
	wantRefused(ctx, t, lab, cause, "rke2", "status", "--cluster", "demo")
	wantRefused(ctx, t, lab, cause, "rke2", "--cluster", "demo", "--yes", "--edits", "apply")
	wroteNothing(t, lab, before)

	must(t, lab.EditRKEConfig(ctx, func(rkeConfig map[string]any) {
		entries, _ := rkeConfig["machineSelectorConfig"].([]any)
		rkeConfig["machineSelectorConfig"] = entries[:1]
	}))
	runBy(ctx, t, lab, since, scenario.CloudControllerManager, scenario.Service, scenario.Lifecycle)
}

// winningEntry returns the entry in which the lab's cluster, as Rancher's UI creates one, names its
// provider.
func winningEntry(rkeConfig map[string]any) map[string]any {
	entries, _ := rkeConfig["machineSelectorConfig"].([]any)
	entry, _ := entries[0].(map[string]any)
	config, _ := entry["config"].(map[string]any)
	return config
}

// externalWhereItDoesNotWin edits machineGlobalConfig, as the guide prints it, on a cluster
// whose provider is in a selector entry: nothing happens.
func externalWhereItDoesNotWin(ctx context.Context, t *testing.T, lab *scenario.Lab) {
	before, err := lab.Running(scenario.KubeControllerManager)
	must(t, err)
	since := time.Now()
	must(t, lab.EditRKEConfig(ctx, func(rkeConfig map[string]any) {
		global, _ := rkeConfig["machineGlobalConfig"].(map[string]any)
		global["cloud-provider-name"] = "external"
	}))
	must(t, lab.WaitApplied(ctx))
	after, err := lab.Running(scenario.KubeControllerManager)
	must(t, err)
	if fmt.Sprint(after) != fmt.Sprint(before) || len(after) != 3 {
		t.Errorf("kube-controller-managers %v\nwere %v", after, before)
	}
	seen, text, err := lab.Observe(ctx, since)
	if err != nil || len(seen.Of(scenario.Service).Gaps) > 0 || seen.Overlaps() > 0 {
		t.Errorf("observer: %v\n%s", err, text)
	}
	code, stdout, stderr, err := lab.Awsmigrate(ctx, testWriter{t}, "rke2", "plan", "--cluster", "demo", "-o", "json")
	if err != nil || code != 0 {
		t.Fatalf("plan: exit %d, %v\n%s", code, err, stderr)
	}
	edits := editsOf(t, stdout, "switch-provider")
	if edits["machineSelectorConfig[0].config.cloud-provider-name"] != "external" {
		t.Errorf("switch-provider edits %v, wanted the entry that wins", edits)
	}
	if _, there := edits["machineGlobalConfig.cloud-provider-name"]; there {
		t.Errorf("switch-provider edits what has no effect: %v", edits)
	}
}

// editsOf returns the values that a step of a plan writes, by location.
func editsOf(t *testing.T, document, step string) map[string]any {
	t.Helper()
	var plan struct {
		Steps []struct {
			ID      string
			Changes []struct {
				Location string
				After    any
			}
		}
	}
	must(t, json.Unmarshal([]byte(document), &plan))
	edits := map[string]any{}
	for _, s := range plan.Steps {
		for _, change := range s.Changes {
			if s.ID == step {
				edits[change.Location] = change.After
			}
		}
	}
	return edits
}
