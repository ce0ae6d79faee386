package rkechecks

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
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
		return []verify.Finding{verify.Failure(p.file()+": cloud_provider.awsCloudProvider", "is there beside name external-aws: rke takes the in-tree provider then, whatever the name says",
			"no awsCloudProvider, not even an empty one", "remove the block; its options belong into the CCM's cloud config")}
	}
	return nil
}

// judgeServiceOverride: an empty map is left out, custom text is not written by
// that writer.
func judgeServiceOverride(p Prepared) []verify.Finding {
	c := p.Config.CloudProvider
	if c.Custom != "" || c.AWS == nil || len(c.AWS.ServiceOverride) == 0 {
		return nil
	}
	return []verify.Finding{verify.Failure(p.file()+": cloud_provider.awsCloudProvider.service_override",
		fmt.Sprintf("has %d entries: `rke up` stops with \"Failed to parse AWS cloud config\"", len(c.AWS.ServiceOverride)), "no service_override",
		"put the whole cloud config, with its [ServiceOverride] sections, into customCloudProvider, beside name: aws, and remove awsCloudProvider")}
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
		return []verify.Finding{verify.Failure(object, fmt.Sprintf("aws, and the cluster runs %s: the next `rke up` would bring the in-tree provider back, beside the CCM", state),
			"what the cluster runs", "use the cluster.yml that was applied last")}
	}
	return []verify.Finding{verify.Failure(object, fmt.Sprintf("%q, and the cluster runs %q", file, state), "what the cluster runs", "")}
}

func judgeVersionSet(p Prepared) []verify.Finding {
	if p.Config.KubernetesVersion != "" || p.Config.SystemImagesKubernetes != "" {
		return nil
	}
	if p.Offline {
		return []verify.Finding{verify.Failure(p.file(), "no kubernetes_version: rke takes its own newest, and which the cluster runs is not in the file",
			"the version that the cluster runs", "set kubernetes_version to it")}
	}
	now := p.State.Current.Config.KubernetesVersion
	return []verify.Finding{verify.Failure(p.file()+": kubernetes_version", "is empty: rke takes its own newest, and the first `rke up` would upgrade the cluster from "+now+", or fail where that has no provider aws",
		now, "set kubernetes_version: "+now)}
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

// judgeOtherWork: with one of these `rke up` does something else and returns
// (rancher/rke:cmd/up.go@v1.5.9, ClusterUp).
func judgeOtherWork(p Prepared) []verify.Finding {
	tree := configtree.Of(p.File.Text())
	var found []verify.Finding
	refuse := func(key, seen string) {
		found = append(found, verify.Failure(p.file()+": "+key, seen, "not set", "remove it"))
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

// mostFindings is how many keys, values or lines of one kind a check names.
const mostFindings = 50

func judgeMisspelt(p Prepared) []verify.Finding {
	var found []verify.Finding
	for _, f := range p.File.Findings() {
		one := verify.Warning(fmt.Sprintf("%s, line %d: %s", p.file(), f.Line, f.Path), "rke ignores "+f.Seen, "a key that rke knows", "remove it, or correct it")
		if f.Wanted != "" {
			one.Wanted, one.Fix = f.Wanted, "did you mean "+f.Wanted+"? Corrected, it takes effect with the next `rke up`"
		}
		if grave(f.Path, f.Wanted) {
			one.Status = verify.Fail
		}
		found = append(found, one)
	}
	return firstOf(found, p.file(), "keys that rke ignores")
}

// firstOf keeps the gravest of many findings, and says how many there are.
func firstOf(found []verify.Finding, object, what string) []verify.Finding {
	if len(found) <= mostFindings {
		return found
	}
	slices.SortStableFunc(found, func(a, b verify.Finding) int {
		return strings.Compare(string(a.Status), string(b.Status)) // fail before warn
	})
	return append(found[:mostFindings:mostFindings], verify.Warning(object, fmt.Sprintf("%d more %s", len(found)-mostFindings, what), "none", ""))
}

// grave are misspelt keys on which arguments, the provider or names depend. What rke
// ignores of the services in indifferent it ignores before a migration and after it:
// nothing that is edited, waited for or judged is theirs
// (rancher/rke:types/rke_types.go@v1.5.9, RKEConfigServices, read by ParseConfig with
// yaml.v2, which drops keys it has no field for).
func grave(path, wanted string) bool {
	at := strings.Split(path, ".")
	switch {
	case wanted == "":
		return false
	case len(at) == 1:
		return wanted == "services" || wanted == "cloud_provider" || wanted == "nodes" || wanted == "kubernetes_version"
	case strings.HasPrefix(path, "nodes["):
		return len(at) == 2 && (wanted == "hostname_override" || wanted == "internal_address" || wanted == "address" || wanted == "role")
	}
	service := at[1]
	if len(at) == 2 {
		service = wanted
	}
	return len(at) == 2 && meant(at[0], "cloud_provider") || len(at) <= 3 && meant(at[0], "services") && !indifferent(service)
}

// indifferent are the services whose settings decide nothing of a migration.
func indifferent(service string) bool {
	return slices.ContainsFunc([]string{"kube-api", "etcd", "scheduler", "kubeproxy"}, func(known string) bool { return meant(service, known) })
}

// meant compares keys as a person reads them.
func meant(key, known string) bool { return configtree.Folded(key) == configtree.Folded(known) }

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

// differences are the paths at which two states differ, without their values.
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
