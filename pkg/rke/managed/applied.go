package managed

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"sort"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke/configtree"
	"github.com/awsmigrate/awsmigrate/pkg/rke/naming"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkestate"
)

// pendingConditions returns the conditions which show that Rancher has not applied the Cluster's
// configuration everywhere. No single condition is sufficient: Updated is True for a moment
// before rke starts. Rancher writes appliedSpec and sets Updated once rke has finished the
// control plane. Only then does it upgrade the workers, which have the condition Upgraded and
// plan versions of their own
// (rancher/rancher:pkg/controllers/management/clusterprovisioner/provisioner.go and
// rkeworkerupgrader/upgrade.go@v2.8.5).
func (c Cluster) pendingConditions(f rkestate.Facts) []migration.PendingCondition {
	var found []migration.PendingCondition
	add := func(bad bool, state, wanted string) {
		if bad {
			found = append(found, migration.PendingCondition{Object: c.object(), Seen: state, Wanted: wanted})
		}
	}
	add(c.Deleting, "is being deleted", "a cluster that stays")
	add(c.Failed != nil, "Rancher could not apply the configuration: "+c.Conditions["Updated"].Message, "no failedSpec")
	for _, kind := range []string{"Updated", "Provisioned", "Ready"} {
		add(c.Conditions[kind].Status != "True", conditionText(kind, c.Conditions[kind]), kind+"=True")
	}
	if upgraded, known := c.Conditions["Upgraded"]; known {
		add(upgraded.Status != "True", conditionText("Upgraded", upgraded), "Upgraded=True")
	}
	wanted := rkestate.Config{CloudProvider: rkestate.Provider{Name: f.Config.CloudProvider.Resolved()}}.Provider()
	differ := specDifferences(c.Config, c.Applied)
	add(len(differ) > 0, "not applied yet: "+naming.Few(differ), "appliedSpec equal to spec")
	for _, n := range c.Nodes {
		add(n.isWorkerOnly() && n.isBehind(), fmt.Sprintf("worker %s has applied version %d of its plan, not %d", n.Name, n.AppliedVersion, n.PlanVersion),
			"the newest plan on every worker")
		add(n.isWorkerOnly() && wanted != "" && !slices.Contains([]string{"", wanted}, n.provider()), fmt.Sprintf("worker %s has a plan for provider %q", n.Name, n.provider()),
			"a plan for provider "+wanted)
	}
	if why := f.Lag(); why != "" {
		add(true, why, "the same in "+f.State.Source)
	}
	return found
}

// missingFromPlan returns the reason why a worker's own plan does not run the external provider yet, or
// empty. The cluster's state does not cover workers.
func (c Cluster) missingFromPlan(address string) string {
	for _, n := range c.Nodes {
		if n.Address != address || !n.isWorkerOnly() {
			continue
		}
		switch {
		case len(n.Kubelet) > 0 && !slices.ContainsFunc(n.Kubelet, func(w string) bool { return strings.Contains(w, "--cloud-provider=external") }):
			return "Rancher's plan for its kubelet is not external yet"
		case n.isBehind():
			return "its agent has not applied the newest plan yet"
		}
	}
	return ""
}

// failure returns Rancher's own error about the current configuration, or nil.
func (c Cluster) failure() error {
	if c.Failed == nil || len(specDifferences(c.Config, c.Failed)) > 0 || c.Conditions["Updated"].Status != "False" {
		return nil
	}
	return &fault.Error{Class: fault.Check, Reason: "RancherCouldNotApply", Object: c.object(), Seen: cmp.Or(c.Conditions["Updated"].Message, "Updated=False"),
		Wanted: "a configuration that rke can apply", Fix: "fix the named problem; Rancher retries automatically; then run the same command again"}
}

func conditionText(kind string, c condition) string {
	if c.Status == "" {
		return "condition " + kind + " is missing"
	}
	text := kind + "=" + c.Status
	if c.Message != "" {
		text += ": " + c.Message
	}
	return text
}

// filledByRancher reports whether Rancher adds a key to appliedSpec that the spec does not
// have (provisioner.go, getConfig).
func filledByRancher(path string) bool {
	return path == "nodes" || path == "systemImages" || strings.HasPrefix(path, "systemImages.")
}

// specDifferences returns the paths at which two configurations differ, without values.
// Absent, null, false and empty are equal, as in the structures that Rancher decodes them to.
func specDifferences(spec, applied map[string]any) []string {
	found := diffValues("", spec, applied)
	sort.Strings(found)
	return found
}

func diffValues(path string, a, b any) []string {
	// Even an empty awsCloudProvider decides the provider.
	if path == "cloudProvider.awsCloudProvider" && (a == nil) != (b == nil) {
		return []string{path}
	}
	if filledByRancher(path) || isEmpty(a) && isEmpty(b) {
		if path == "" || path == "cloudProvider" {
			return diffKeys(path, a, b)
		}
		return nil
	}
	x, isMap := a.(map[string]any)
	y, also := b.(map[string]any)
	if !isMap && !also || !isMap && !isEmpty(a) || !also && !isEmpty(b) {
		if reflect.DeepEqual(a, b) {
			return nil
		}
		return []string{path}
	}
	return diffKeys(path, x, y)
}

func diffKeys(path string, a, b any) []string {
	x, y := configtree.Map(a), configtree.Map(b)
	keys := map[string]bool{}
	for key := range x {
		keys[key] = true
	}
	for key := range y {
		keys[key] = true
	}
	var found []string
	for key := range keys {
		found = append(found, diffValues(configtree.Join(path, key), x[key], y[key])...)
	}
	return found
}

// isEmpty reports whether a value is empty in any notation.
func isEmpty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case bool:
		return !v
	case []any:
		return len(v) == 0
	case map[string]any:
		for _, one := range v {
			if !isEmpty(one) {
				return false
			}
		}
		return true
	}
	return false
}
