package migration

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// Choices are what of the options shapes a migration, by flag, as an approval is bound to
// it: texts by their digest, of skipped checks the IDs. Left out are how the cluster is
// reached, how long is waited, and where a chart lies, whose content a plan shows.
func (o Options) Choices() map[string]string {
	choices := map[string]string{
		"--install-method": string(o.InstallMethod), "--kubernetes-version": o.KubernetesVersion, "--cloud-routes": o.CloudRoutes,
		"--ccm-image": o.CCMImage, "--aws": o.AWS, "--region": o.Region, "--assume-role": o.AssumeRole,
		"--skip": strings.Join(slices.Sorted(maps.Keys(o.Skip)), ","), "--only": sorted(o.OnlyChecks), "--owner-informed": sorted(o.OwnersInformed),
		"--etcd-snapshot": onlyTrue(o.Snapshot), "--keep-leader-migration": onlyTrue(o.KeepLeaderMigration),
	}
	if o.DisableAsked {
		choices["--keep-leader-migration"] = strconv.FormatBool(false)
	}
	switch {
	case o.ClearFence:
		choices["--hand-over"] = "clear"
	case o.EarlyHandOver:
		choices["--hand-over"] = "early"
	}
	if o.FailOnWarning {
		choices["--fail-on"] = "warning"
	}
	if o.HandOver {
		choices["--edits"] = "handoff"
	}
	if o.CloudConfig != "" {
		choices["--cloud-config"] = "sha256:" + runner.Digest(o.CloudConfig)
	}
	if text, err := json.Marshal(o.Values); err == nil && len(o.Values) > 0 { // values came out of YAML: JSON can hold them
		choices["--values"] = "sha256:" + runner.Digest(string(text))
	}
	return Given(choices)
}

// Given are the choices that were made: one that is left out and one that is empty are
// the same.
func Given(choices map[string]string) map[string]string {
	maps.DeleteFunc(choices, func(_, value string) bool { return value == "" })
	return choices
}

func sorted(words []string) string { return strings.Join(slices.Sorted(slices.Values(words)), ",") }

func onlyTrue(b bool) string {
	if b {
		return strconv.FormatBool(b)
	}
	return ""
}
