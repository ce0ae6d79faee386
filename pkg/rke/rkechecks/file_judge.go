package rkechecks

import (
	"cmp"
	"fmt"
	"reflect"
	"sort"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/rke/configtree"
	"github.com/awsmigrate/awsmigrate/pkg/rke/drift"
	"github.com/awsmigrate/awsmigrate/pkg/rke/naming"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkestate"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

func judgeTrap(p Prepared) []verify.Finding {
	c := p.Config.CloudProvider
	if c.Name == rkestate.ProviderExternal && c.AWS != nil && c.Custom == "" {
		return []verify.Finding{verify.Failure(p.file()+": cloud_provider.awsCloudProvider", "exists with name external-aws: rke then uses the in-tree provider regardless of the name",
			"no awsCloudProvider, not even an empty one", "remove the block; its options belong into the CCM's cloud config")}
	}
	return nil
}

// judgeServiceOverride returns a failure for a service_override that rke cannot write. rke
// omits an empty map, and another writer handles custom text.
func judgeServiceOverride(p Prepared) []verify.Finding {
	c := p.Config.CloudProvider
	if c.Custom != "" || c.AWS == nil || len(c.AWS.ServiceOverride) == 0 {
		return nil
	}
	return []verify.Finding{verify.Failure(p.file()+": cloud_provider.awsCloudProvider.service_override",
		fmt.Sprintf("has %d entries: `rke up` stops with \"Failed to parse AWS cloud config\"", len(c.AWS.ServiceOverride)), "no service_override",
		"put the whole cloud config, with its [ServiceOverride] sections, into customCloudProvider, next to name: aws, and remove awsCloudProvider")}
}

func judgeFileProvider(p Prepared) []verify.Finding {
	file, state := p.Config.CloudProvider.Resolved(), p.State.Current.Config.CloudProvider.Name
	object := p.file() + ": cloud_provider"
	switch {
	case file == state:
		return nil
	case file == rkestate.ProviderExternal && state == rkestate.ProviderAWS:
		one := verify.Failure(object, "external-aws, and the cluster still runs aws: the next `rke up` would switch it without the steps before", "aws until the switch", "set name: aws again")
		if p.Input.Position.Position == position.P3 {
			one.Status, one.Wanted, one.Fix = verify.Warn, "switch-provider is the next step", ""
		}
		return []verify.Finding{one}
	case file == rkestate.ProviderAWS:
		return []verify.Finding{verify.Failure(object, fmt.Sprintf("aws, and the cluster runs %s: the next `rke up` would restore the in-tree provider, next to the CCM", state),
			"what the cluster runs", "use the cluster.yml that was applied last")}
	}
	return []verify.Finding{verify.Failure(object, fmt.Sprintf("%q, and the cluster runs %q", file, state), "what the cluster runs", p.mistyped("cloud_provider"))}
}

func judgeVersionSet(p Prepared) []verify.Finding {
	if p.Config.KubernetesVersion != "" || p.Config.SystemImagesKubernetes != "" {
		return nil
	}
	if p.Offline {
		return []verify.Finding{verify.Failure(p.file(), "no kubernetes_version: rke takes its own newest, and which the cluster runs is not in the file",
			"the version that the cluster runs", cmp.Or(p.mistyped("kubernetes_version"), "set kubernetes_version to it"))}
	}
	now := p.State.Current.Config.KubernetesVersion
	return []verify.Finding{verify.Failure(p.file()+": kubernetes_version", "is empty: rke takes its own newest, and the first `rke up` would upgrade the cluster from "+now+", or fail where that has no provider aws",
		now, cmp.Or(p.mistyped("kubernetes_version"), "set kubernetes_version: "+now))}
}

func judgeKubernetesImage(p Prepared) []verify.Finding {
	image := p.Config.SystemImagesKubernetes
	if image == "" {
		return nil
	}
	object := p.file() + ": system_images.kubernetes"
	if p.Options.KubernetesVersion != "" {
		return []verify.Finding{verify.Failure(object, image+": it wins over kubernetes_version, and the upgrade would change nothing", "none", "remove it before the upgrade, in a run of rke of its own")}
	}
	return []verify.Finding{verify.Warning(object, image+": it wins over kubernetes_version", "none, or an image of the version in force ("+p.State.Current.Config.KubernetesVersion+")", "")}
}

// judgeOtherWork returns failures for keys with which `rke up` does other work and returns
// (rancher/rke:cmd/up.go@v1.5.9, ClusterUp).
func judgeOtherWork(p Prepared) []verify.Finding {
	tree := configtree.Of(p.File.Text())
	var found []verify.Finding
	refuse := func(key, state string) {
		found = append(found, verify.Failure(p.file()+": "+key, state, "not set", "remove it"))
	}
	if tree["rotate_certificates"] != nil {
		refuse("rotate_certificates", "is set: `rke up` rotates certificates and applies nothing")
	}
	if on, _ := configtree.Bool(fmt.Sprint(tree["rotate_encryption_key"])); on {
		refuse("rotate_encryption_key", "is true: `rke up` rotates the key and applies nothing")
	}
	if on, _ := configtree.Bool(fmt.Sprint(configtree.In(tree, "restore")["restore"])); on {
		refuse("restore.restore", "is true: `rke up` takes the cluster for one being restored and does not roll node by node")
	}
	return found
}

// judgeOtherProviders returns a failure for blocks of other providers. Custom text overrides
// every block.
func judgeOtherProviders(p Prepared) []verify.Finding {
	c := p.Config.CloudProvider
	if c.Custom != "" || len(c.Blocks) == 0 || c.Resolved() != rkestate.ProviderAWS {
		return nil
	}
	var keys []string
	for _, name := range c.Blocks {
		keys = append(keys, name+"CloudProvider")
	}
	return []verify.Finding{verify.Failure(p.file()+": cloud_provider."+keys[0], strings.Join(keys, ", ")+" with name aws: rke writes its cloud config, and none of AWS",
		"the options of AWS alone", "remove "+strings.Join(keys, ", "))}
}

func judgePending(p Prepared) []verify.Finding {
	var found []verify.Finding
	for _, change := range drift.Of(p.Facts, p.Options.KubernetesVersion) {
		found = append(found, verify.Warning(p.file()+": "+change.Path, cmp.Or(change.File, "not set"), "as applied: "+cmp.Or(change.State, "not set"), ""))
	}
	return found
}

func judgeLocalState(p Prepared) []verify.Finding {
	if p.managed() {
		return verify.Skipped("Rancher keeps the state")
	}
	const fix = "run `rke util get-state-file --config FILE`"
	if p.Local.Looked && p.Local.Err != nil {
		found := verify.FindingOf(p.Local.Err)
		found[0].Fix = cmp.Or(found[0].Fix, fix)
		return found
	}
	return verify.Judge(p.Local, "state file", func(local rkestate.Full) []verify.Finding {
		object := cmp.Or(local.Source, "state file")
		if !local.Current.Known {
			return []verify.Finding{verify.Failure(object, "has no currentState: rke takes the cluster for a new one", "the state of the cluster", fix)}
		}
		if differ := differences("", local.Current.Tree, p.State.Current.Tree); len(differ) > 0 {
			return []verify.Finding{verify.Failure(object, "differs from "+p.State.Source+": "+naming.Few(differ), "the same state in both: rke starts from the file", fix)}
		}
		return nil
	})
}

// differences returns the paths at which two states differ, without values.
func differences(path string, a, b any) []string {
	x, ok := a.(map[string]any)
	y, also := b.(map[string]any)
	if !ok || !also {
		if reflect.DeepEqual(a, b) {
			return nil
		}
		return []string{path}
	}
	keys := map[string]bool{}
	for key := range x {
		keys[key] = true
	}
	for key := range y {
		keys[key] = true
	}
	var out []string
	for key := range keys {
		out = append(out, differences(configtree.Join(path, key), x[key], y[key])...)
	}
	sort.Strings(out)
	return out
}
