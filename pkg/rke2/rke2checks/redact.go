package rke2checks

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rancher"
	"github.com/awsmigrate/awsmigrate/pkg/verify/bundle"
)

// redactFacts returns a copy without secrets. A text that no check reads becomes a mark. Equal
// texts have equal marks, because checks compare Rancher's two copies of a configuration and
// the arguments of a Node.
func redactFacts(r *bundle.Redactor, f rancher.Facts) rancher.Facts {
	f.Rancher = bundle.Unread(f.Rancher)
	f.Cluster.Labels, f.Cluster.Annotations = ownerMarks(f.Cluster.Labels), ownerMarks(f.Cluster.Annotations)
	f.Cluster.Spec.Global = redactKeys(r, f.Cluster.Spec.Global)
	f.Cluster.Spec.Entries = slices.Clone(f.Cluster.Spec.Entries)
	for i, entry := range f.Cluster.Spec.Entries {
		f.Cluster.Spec.Entries[i].Config = redactKeys(r, entry.Config)
	}
	f.Cluster.Spec.Mirrors = nil // the registries that checks judge are in the Input
	f.Cluster.Spec.AdditionalManifest = r.Mark(f.Cluster.Spec.AdditionalManifest)
	f.ControlPlane.Spec, f.ControlPlane.AppliedSpec = redactPlane(r, f.ControlPlane.Spec), redactPlane(r, f.ControlPlane.AppliedSpec)
	f.ControlPlane.Conditions = scrubConditions(f.ControlPlane.Conditions)
	f.Machines = slices.Clone(f.Machines)
	for i, machine := range f.Machines {
		f.Machines[i].Conditions = scrubConditions(machine.Conditions)
	}
	return f
}

// ownerMarks returns only the keys that identify an owner, without their values except for the
// name of a Helm release.
func ownerMarks(all map[string]string) map[string]string {
	out := map[string]string{}
	for key, value := range all {
		switch {
		case key == "meta.helm.sh/release-name":
			out[key] = bundle.Scrub(value)
		case len((rancher.Cluster{Labels: map[string]string{key: ""}, Annotations: map[string]string{key: ""}}).Owners()) > 0:
			out[key] = ""
		}
	}
	return out
}

func scrubConditions(conditions rancher.Conditions) rancher.Conditions {
	out := maps.Clone(conditions)
	for kind, c := range out {
		out[kind] = rancher.Condition{Status: c.Status, Reason: c.Reason, Message: bundle.Scrub(c.Message)}
	}
	return out
}

// publicKeys holds the keys of RKE2 whose values are not secret.
var publicKeys = []string{config.KeyProvider, config.KeyDisableCCM, config.KeyNodeName, "cni", "profile", "protect-kernel-defaults"} //nolint:gochecknoglobals // a constant table

// redactKeys returns a redacted copy of a map of RKE2's keys.
func redactKeys(r *bundle.Redactor, keys map[string]any) map[string]any {
	if keys == nil {
		return nil
	}
	out := map[string]any{}
	for key, value := range keys {
		switch {
		case slices.Contains(publicKeys, key):
			out[key] = value
		case strings.HasSuffix(key, "-arg"):
			out[key] = mapStrings(value, r.Argument)
		case key == config.KeyCloudConfig:
			out[key] = mapStrings(value, func(text string) string {
				if strings.HasPrefix(text, "secret://") {
					return text // names a Secret
				}
				return r.Mark(text)
			})
		default:
			out[key] = mapStrings(value, r.Mark)
		}
	}
	return out
}

// mapStrings returns a copy of a value in which replace was applied to every string.
func mapStrings(value any, replace func(string) string) any {
	switch v := value.(type) {
	case string:
		return replace(v)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = mapStrings(v[i], replace)
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for key := range v {
			out[key] = mapStrings(v[key], replace)
		}
		return out
	}
	return value // numbers, booleans, null
}

// redactPlane returns the fields of an RKEControlPlane that awsmigrate parses, and a mark of
// the other fields. Checks compare the whole with the applied configuration.
func redactPlane(r *bundle.Redactor, spec map[string]any) map[string]any {
	if spec == nil {
		return nil
	}
	out, rest := map[string]any{}, map[string]any{}
	for key, value := range spec {
		switch key {
		case "machineGlobalConfig":
			keys, is := value.(map[string]any)
			if out[key] = redactKeys(r, keys); !is {
				out[key] = value
			}
		case "machineSelectorConfig":
			out[key] = redactEntries(r, value)
		case "additionalManifest":
			out[key] = mapStrings(value, r.Mark)
		case "kubernetesVersion", "upgradeStrategy", "etcdSnapshotCreate":
			out[key] = value
		default:
			rest[key] = value
		}
	}
	text, err := json.Marshal(rest) // with sorted keys
	if err != nil {
		text = []byte(err.Error())
	}
	out["rest"] = r.Mark(string(text))
	return out
}

func redactEntries(r *bundle.Redactor, value any) any {
	list, is := value.([]any)
	if !is {
		return value
	}
	out := make([]any, len(list))
	for i, element := range list {
		entry, is := element.(map[string]any)
		if !is {
			out[i] = element
			continue
		}
		copied := maps.Clone(entry)
		for key, part := range entry {
			if keys, is := part.(map[string]any); is && key == "config" {
				copied[key] = redactKeys(r, keys)
			} else if key != "machineLabelSelector" {
				copied[key] = mapStrings(part, r.Mark)
			}
		}
		out[i] = copied
	}
	return out
}
