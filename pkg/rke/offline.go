package rke

import (
	"fmt"
	"slices"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// OfflinePlan computes the edits of a cluster.yml without its cluster. How Nodes
// keep their names cannot be known then; the note says what was assumed.
func OfflinePlan(path, version string) (steps []runner.PlannedStep, note string, err error) {
	file, err := clusterfile.Read(path)
	if err != nil {
		return nil, "", err
	}
	names, note := assumeNames(file.Config(), version)
	add := func(id runner.StepID, edit clusterfile.Edit) error {
		if edit.Empty() {
			return nil
		}
		added, removed := edit.Lines()
		for _, info := range migration.StepInfos() {
			if info.ID == id {
				steps = append(steps, runner.PlannedStep{Info: info, State: runner.State{Kind: runner.Todo},
					Plan: runner.Plan{Summary: []string{fmt.Sprintf("~ %s (+%d −%d)", path, added, removed)}, Changes: ChangeOf(path, edit)}})
			}
		}
		file, err = clusterfile.Parse(path, edit.After)
		return err
	}
	var made [][]string
	if file.Config().CloudProvider.Name != externalName {
		edit, err := EnableEdit(file)
		if err == nil {
			made, err = edit.Created, add(migration.StepEnable, edit)
		}
		if err != nil {
			return nil, "", err
		}
	}
	edit, err := SwitchEdit(file, names, made)
	if err == nil {
		err = add(migration.StepSwitch, edit)
	}
	if err != nil || version == "" {
		return steps, note, err
	}
	if edit, err = UpgradeEdit(file, version); err == nil {
		err = add(migration.StepUpgrade, edit)
	}
	return steps, note, err
}

// assumeNames is the name rule by the file alone: rke-tools of its version decide
// whether the metadata service can name the kubelet.
func assumeNames(config clusterfile.Config, target string) (NameRule, string) {
	provider := config.CloudProvider
	if provider.Name == externalName && provider.UseInstanceMetadataHostname != nil {
		return NameRule{UseMetadata: *provider.UseInstanceMetadataHostname}, "names as the file says; not verified"
	}
	versions := []string{config.KubernetesVersion}
	if target != "" {
		versions = append(versions, target)
	}
	old := slices.ContainsFunc(versions, func(v string) bool { return !metadataNamesKubelet(v) })
	if old {
		return NameRule{UseMetadata: false}, fmt.Sprintf("assumes useInstanceMetadataHostname: false, since rke-tools of %v does not name the kubelet; "+
			"this needs hostname_override = Node name on every node. Not verified: no cluster was asked", versions)
	}
	return NameRule{UseMetadata: true}, "assumes useInstanceMetadataHostname: true; every node's internal_address must be its InternalIP. Not verified: no cluster was asked"
}

// metadataNamesKubelet says whether the rke-tools of a version do; of an unknown
// one, nobody knows, and true would rename.
func metadataNamesKubelet(version string) bool {
	tools := ToolsFor(version)
	return tools != nil && !tools.LessThan(toolsNameKubelet)
}
