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

// unapplied is what shows that Rancher has not applied the Cluster's
// configuration everywhere. No single sign will do: the condition Updated is True
// for a moment before anything was done; appliedSpec is written, and Updated
// becomes True, when rke has done the control plane, and only then are the workers
// looked at, under the condition Upgraded and a version of their own
// (rancher/rancher:pkg/controllers/management/clusterprovisioner/provisioner.go and
// rkeworkerupgrader/upgrade.go@v2.8.5).
func (c Cluster) unapplied(f rkestate.Facts) []migration.PendingCondition {
	var open []migration.PendingCondition
	add := func(bad bool, seen, wanted string) {
		if bad {
			open = append(open, migration.PendingCondition{Object: c.object(), Seen: seen, Wanted: wanted})
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
		add(n.workerOnly() && n.behind(), fmt.Sprintf("worker %s has applied version %d of its plan, not %d", n.Name, n.AppliedVersion, n.PlanVersion),
			"the newest plan on every worker")
		add(n.workerOnly() && wanted != "" && !slices.Contains([]string{"", wanted}, n.provider()), fmt.Sprintf("worker %s has a plan for provider %q", n.Name, n.provider()),
			"a plan for provider "+wanted)
	}
	if why := f.Lag(); why != "" {
		add(true, why, "the same in "+f.State.Source)
	}
	return open
}

// lacks is what a worker's own plan says it still lacks of the external provider.
// The cluster's state says nothing about workers.
func (c Cluster) lacks(address string) string {
	for _, n := range c.Nodes {
		if n.Address != address || !n.workerOnly() {
			continue
		}
		switch {
		case len(n.Kubelet) > 0 && !slices.ContainsFunc(n.Kubelet, func(w string) bool { return strings.Contains(w, "--cloud-provider=external") }):
			return "Rancher's plan for its kubelet is not external yet"
		case n.behind():
			return "its agent has not applied the newest plan yet"
		}
	}
	return ""
}

// failure is Rancher's own word on the configuration that is wanted now.
func (c Cluster) failure() error {
	if c.Failed == nil || len(specDifferences(c.Config, c.Failed)) > 0 || c.Conditions["Updated"].Status != "False" {
		return nil
	}
	return &fault.Error{Class: fault.Check, Reason: "RancherCouldNotApply", Object: c.object(), Seen: cmp.Or(c.Conditions["Updated"].Message, "Updated=False"),
		Wanted: "a configuration that rke can apply", Fix: "fix what it names: Rancher tries again by itself; then run the same command again"}
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

// filledByRancher are keys of appliedSpec that the spec does not have
// (provisioner.go, getConfig).
func filledByRancher(path string) bool {
	return path == "nodes" || path == "systemImages" || strings.HasPrefix(path, "systemImages.")
}

// specDifferences are the paths at which two configurations differ, without their
// values; what is absent, null, false or empty is one and the same, as for the
// structures that Rancher decodes them into.
func specDifferences(spec, applied map[string]any) []string {
	found := unlike("", spec, applied)
	sort.Strings(found)
	return found
}

func unlike(path string, a, b any) []string {
	// An empty awsCloudProvider is not nothing: it decides the provider.
	if path == "cloudProvider.awsCloudProvider" && (a == nil) != (b == nil) {
		return []string{path}
	}
	if filledByRancher(path) || void(a) && void(b) {
		if path == "" || path == "cloudProvider" {
			return unlikeKeys(path, a, b)
		}
		return nil
	}
	x, isMap := a.(map[string]any)
	y, also := b.(map[string]any)
	if !isMap && !also || !isMap && !void(a) || !also && !void(b) {
		if reflect.DeepEqual(a, b) {
			return nil
		}
		return []string{path}
	}
	return unlikeKeys(path, x, y)
}

func unlikeKeys(path string, a, b any) []string {
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
		found = append(found, unlike(configtree.Join(path, key), x[key], y[key])...)
	}
	return found
}

// void says whether a value means nothing, however it is written.
func void(v any) bool {
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
			if !void(one) {
				return false
			}
		}
		return true
	}
	return false
}
