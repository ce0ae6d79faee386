package managed

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/kube"
	"github.com/awsmigrate/awsmigrate/pkg/rke/configtree"
	"github.com/awsmigrate/awsmigrate/pkg/rke/naming"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkestate"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// Keys of the elements that a migration edits, under spec.rancherKubernetesEngineConfig.
const (
	keyFlag     = "enable-leader-migration"
	keyMetadata = "useInstanceMetadataHostname"
	keyAWSBlock = "awsCloudProvider"
)

// Element describes one key that an edit sets or removes.
type Element struct {
	Path   []string // under spec.rancherKubernetesEngineConfig
	Value  any      // new value, or nil to remove the key
	Before any      // value before the edit, or nil
	Had    bool     // whether the key existed, even as null
	// Pruned reports whether the element is a mapping that an earlier edit created, and that
	// becomes empty without the previous element.
	Pruned bool
}

// Edit holds a computed change of Rancher's configuration.
type Edit struct {
	Config   map[string]any // configuration that was read
	Elements []Element
}

// Empty reports whether the edit changes nothing.
func (e Edit) Empty() bool { return len(e.Elements) == 0 }

// editOf returns an edit of the wanted elements, without those that already have their value.
func editOf(config map[string]any, wanted ...Element) Edit {
	e := Edit{Config: config}
	for _, w := range wanted {
		parent := mapAt(config, w.Path[:len(w.Path)-1])
		w.Before, w.Had = parent[w.Path[len(w.Path)-1]]
		if w.Value == nil && !w.Had || w.Value != nil && w.Had && reflect.DeepEqual(w.Before, w.Value) {
			continue
		}
		e.Elements = append(e.Elements, w)
	}
	return e
}

// flagPath returns the path of the flag in Rancher's configuration.
func flagPath() []string { return []string{"services", "kubeController", "extraArgs", keyFlag} }

// Enable returns the edit that sets the flag on every kube-controller-manager.
func Enable(config map[string]any) Edit {
	return editOf(config, Element{Path: flagPath(), Value: "true"})
}

// Switch returns one edit that makes the provider external and removes the flag. It also
// removes awsCloudProvider, even the empty one that Rancher's UI writes: while the key exists,
// rke uses the in-tree provider. useInstanceMetadataHostname is set explicitly, because only
// Rancher's API has a default for it, not the CRD
// (rancher/rancher:pkg/api/norman/store/cluster/cluster_store.go@v2.8.5).
// made lists the pointers of mappings that Enable created. The edit removes them together with
// the flag if they hold nothing else.
func Switch(config map[string]any, names naming.Rule, made []string) Edit {
	provider := func(key string) []string { return []string{"cloudProvider", key} }
	e := editOf(config,
		Element{Path: provider("name"), Value: rkestate.ProviderExternal},
		Element{Path: provider(keyMetadata), Value: names.UseMetadata},
		Element{Path: provider(keyAWSBlock)},
		Element{Path: flagPath()})
	e.prune(flagPath(), made)
	return e
}

// prune adds the removal of the mappings above a removed key, if an earlier edit created them
// and they hold nothing else.
func (e *Edit) prune(path, made []string) {
	for depth := len(path) - 1; depth > 0 && slices.Contains(made, pointer(path[:depth])); depth-- {
		before, is := mapAt(e.Config, path[:depth-1])[path[depth-1]].(map[string]any)
		if _, holds := before[path[depth]]; !is || !holds || len(before) > 1 {
			break
		}
		e.Elements = append(e.Elements, Element{Path: path[:depth], Before: before, Had: true, Pruned: true})
	}
}

// Upgrade returns the edit that sets the version.
func Upgrade(config map[string]any, version string) Edit {
	return editOf(config, Element{Path: []string{"kubernetesVersion"}, Value: version})
}

// checkEditable returns an error if an edit would overwrite a value that is not a mapping. It
// also refuses values that parseInverses would not accept for an undo.
func checkEditable(object string, config map[string]any) error {
	for _, path := range [][]string{{"cloudProvider"}, {"services"}, {"services", "kubeController"}, {"services", "kubeController", "extraArgs"}} {
		value := mapAt(config, path[:len(path)-1])[path[len(path)-1]]
		if _, ok := value.(map[string]any); !ok && value != nil {
			return &fault.Error{Class: fault.Check, Reason: "BadConfiguration", Object: object,
				Seen: fmt.Sprintf("spec.%s.%s is no mapping", rkeConfigKey, strings.Join(path, ".")), Wanted: "a mapping, or nothing", Fix: "correct it in Rancher"}
		}
	}
	for _, l := range leaves() {
		value := mapAt(config, l.path[:len(l.path)-1])[l.path[len(l.path)-1]]
		if _, isMap := value.(map[string]any); !l.may(value) && (!l.block || !isMap) {
			return &fault.Error{Class: fault.Check, Reason: "BadConfiguration", Object: object,
				Seen:   fmt.Sprintf("spec.%s.%s is %.100s, which an undo could not restore", rkeConfigKey, strings.Join(l.path, "."), describeValue(value)),
				Wanted: "a value that rke takes", Fix: "correct it in Rancher"}
		}
	}
	return nil
}

func mapAt(config map[string]any, path []string) map[string]any {
	for _, key := range path {
		config = configtree.Map(config[key])
	}
	return config
}

// Apply returns the configuration after the edit.
func (e Edit) Apply() map[string]any {
	out := runtime.DeepCopyJSON(e.Config)
	for _, el := range e.Elements {
		at := out
		for _, key := range el.Path[:len(el.Path)-1] {
			next, ok := at[key].(map[string]any)
			if !ok {
				next = map[string]any{}
				at[key] = next
			}
			at = next
		}
		if last := el.Path[len(el.Path)-1]; el.Value == nil {
			delete(at, last)
		} else {
			at[last] = el.Value
		}
	}
	return out
}

// Patch returns the edit as a JSON patch that tests the values that were read. For a missing
// element it tests the nearest mapping above, which then still lacks it.
func (e Edit) Patch() ([]byte, error) {
	var tests, writes []kube.PatchOp
	tested := map[string]bool{}
	test := func(path []string, value any) {
		if p := pointer(path); !tested[p] {
			tested[p] = true
			tests = append(tests, kube.Test(p, value))
		}
	}
	now := runtime.DeepCopyJSON(e.Config)
	for _, el := range e.Elements {
		if el.Had {
			test(el.Path, el.Before)
		} else {
			depth, value := nearestMapping(e.Config, el.Path)
			test(el.Path[:depth], value)
		}
		if el.Value == nil {
			writes = append(writes, kube.Remove(pointer(el.Path)))
			continue
		}
		depth, _ := nearestMapping(now, el.Path)
		set := el.Value
		for i := len(el.Path) - 1; i > depth; i-- {
			set = map[string]any{el.Path[i]: set}
		}
		writes = append(writes, kube.Add(pointer(el.Path[:min(depth+1, len(el.Path))]), set))
		now = Edit{Config: now, Elements: []Element{el}}.Apply()
	}
	return kube.JSONPatch(append(tests, writes...)...)
}

// nearestMapping returns the deepest existing mapping above a path, and its depth.
func nearestMapping(config map[string]any, path []string) (int, any) {
	at := config
	for i, key := range path[:len(path)-1] {
		next, ok := at[key].(map[string]any)
		if !ok {
			return i, at
		}
		at = next
	}
	return len(path) - 1, at
}

func pointer(path []string) string {
	return kube.Pointer(append([]string{"spec", rkeConfigKey}, path...)...)
}

// Made returns the pointers of the mappings that the whole edit creates.
func (e Edit) Made() []string {
	var all []string
	for _, el := range e.Elements {
		all = append(all, e.made(el)...)
	}
	return all
}

func (e Edit) made(el Element) []string {
	if el.Value == nil {
		return nil
	}
	var made []string
	depth, _ := nearestMapping(e.Config, el.Path)
	for depth++; depth < len(el.Path); depth++ {
		made = append(made, pointer(el.Path[:depth]))
	}
	return made
}

// locations returns the paths that the edit changes.
func (e Edit) locations() []string {
	all := make([]string, 0, len(e.Elements))
	for _, el := range e.Elements {
		all = append(all, "spec."+rkeConfigKey+"."+strings.Join(el.Path, "."))
	}
	return all
}

// Changes returns the edit for a plan, without the values of awsCloudProvider.
func (e Edit) Changes(object string) []runner.Change {
	changes := make([]runner.Change, 0, len(e.Elements))
	for _, el := range e.Elements {
		c := runner.Change{Object: object, Location: "spec." + rkeConfigKey + "." + strings.Join(el.Path, ".")}
		if el.Had {
			before := describeValue(el.Before)
			if el.Pruned {
				before = "{}"
			}
			c.Before, c.Diff = before, "- "+before+"\n"
		}
		if el.Value != nil {
			after := describeValue(el.Value)
			c.After, c.Diff = after, c.Diff+"+ "+after+"\n"
		}
		c.SHA256 = hiddenDigest(el)
		changes = append(changes, c)
	}
	return changes
}

// hiddenDigest returns the digest of the values of a block that the plan does not show, or
// empty if it shows all.
func hiddenDigest(el Element) string {
	_, before := el.Before.(map[string]any)
	_, after := el.Value.(map[string]any)
	if !before && !after {
		return ""
	}
	return runner.Digest(fmt.Sprint(el.Before), fmt.Sprint(el.Value))
}

func describeValue(v any) string {
	if m, ok := v.(map[string]any); ok {
		if isEmpty(m) {
			return "{}"
		}
		return fmt.Sprintf("{%s: %s}", strings.Join(configtree.Keys(maps.Clone(m)), ", "), configtree.NotShown)
	}
	return fmt.Sprintf("%v", v)
}
