package rancher

import (
	"maps"
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
)

// ownerMark describes a mark that a tool leaves on the objects that it applies.
type ownerMark struct {
	name   string // as in migration.KnownOwners
	prefix string
}

// labelMarks returns prefixes of label keys that tools leave on the objects that they apply.
// annotationMarks does the same for annotations.
func labelMarks() []ownerMark { return []ownerMark{{"Fleet", "objectset.rio.cattle.io/"}} }

func annotationMarks() []ownerMark {
	return []ownerMark{
		{"Fleet", "objectset.rio.cattle.io/id"}, {"Fleet", "fleet.cattle.io/bundle"}, {"Helm", "meta.helm.sh/release-name"},
		{"Argo CD", "argocd.argoproj.io/"}, {"Flux", "kustomize.toolkit.fluxcd.io/"},
	}
}

// managerMarks returns words that identify tools in the names of field managers.
func managerMarks() []ownerMark {
	return []ownerMark{{"Terraform", "terraform"}, {"Fleet", "fleet"}, {"Argo CD", "argocd"}, {"Flux", "kustomize-controller"},
		{"Helm", "helm"}, {"Crossplane", "crossplane"}, {"Pulumi", "pulumi"}}
}

// Owners returns the tools that hold the Cluster object's configuration elsewhere and would
// revert an edit at their next run. Each tool appears once, with the first mark found.
// Writers through Rancher's API, such as Terraform's rancher2 provider, leave no mark.
func (c Cluster) Owners() []migration.Owner {
	var found []migration.Owner
	add := func(name, mark string) {
		if !slices.ContainsFunc(found, func(o migration.Owner) bool { return o.Name == name }) {
			found = append(found, migration.Owner{Name: name, Mark: mark})
		}
	}
	for _, keyed := range []struct {
		kind  string
		keys  map[string]string
		marks []ownerMark
	}{{"label", c.Labels, labelMarks()}, {"annotation", c.Annotations, annotationMarks()}} {
		for _, key := range slices.Sorted(maps.Keys(keyed.keys)) {
			for _, m := range keyed.marks {
				switch {
				case !strings.HasPrefix(key, m.prefix):
				case m.name == "Helm":
					add(m.name, "release "+keyed.keys[key])
				default:
					add(m.name, keyed.kind+" "+key)
				}
			}
		}
	}
	for _, manager := range c.Managers {
		for _, m := range managerMarks() {
			if strings.Contains(strings.ToLower(manager), m.prefix) {
				add(m.name, "field manager "+manager)
				break
			}
		}
	}
	return found
}
