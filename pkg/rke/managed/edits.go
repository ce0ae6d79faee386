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

// Element is one key that an edit sets or removes.
type Element struct {
	Path   []string // under spec.rancherKubernetesEngineConfig
	Value  any      // nil: removed
	Before any      // nil: was not there
	Had    bool     // was there, be it null
	// Pruned is a mapping that an edit of ours made, and that is empty without
	// the element before.
	Pruned bool
}

// Edit is a computed change of Rancher's configuration. It is pure.
type Edit struct {
	Config   map[string]any // as it was read
	Elements []Element
}

// Empty says whether nothing is to be changed.
func (e Edit) Empty() bool { return len(e.Elements) == 0 }

// editOf sets or removes keys; those that are as wanted are left out.
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

// flagPath is where Rancher's configuration has the flag.
func flagPath() []string { return []string{"services", "kubeController", "extraArgs", keyFlag} }

// Enable puts the flag on every kube-controller-manager.
func Enable(config map[string]any) Edit {
	return editOf(config, Element{Path: flagPath(), Value: "true"})
}

// Switch makes the provider external in one edit that also takes the flag
// away. awsCloudProvider goes, even empty, as Rancher's UI leaves it: while it is
// there rke takes the in-tree provider. useInstanceMetadataHostname is written
// explicitly: Rancher's defaults for it are its API's, not the CRD's
// (rancher/rancher:pkg/api/norman/store/cluster/cluster_store.go@v2.8.5).
// made are the mappings that Enable made, by pointer: they go again with
// the flag, if it is all they hold.
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

// prune takes the mappings above a key that goes with it, where an edit of ours
// made them and they hold nothing else.
func (e *Edit) prune(path, made []string) {
	for depth := len(path) - 1; depth > 0 && slices.Contains(made, pointer(path[:depth])); depth-- {
		before, is := mapAt(e.Config, path[:depth-1])[path[depth-1]].(map[string]any)
		if _, holds := before[path[depth]]; !is || !holds || len(before) > 1 {
			break
		}
		e.Elements = append(e.Elements, Element{Path: path[:depth], Before: before, Had: true, Pruned: true})
	}
}

// Upgrade sets the version, in an edit of its own.
func Upgrade(config map[string]any, version string) Edit {
	return editOf(config, Element{Path: []string{"kubernetesVersion"}, Value: version})
}

// editable returns an error if something other than a mapping is where an edit needs
// one, which would be overwritten, or if ParseInverses would refuse what an edit replaces.
func editable(object string, config map[string]any) error {
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
				Seen:   fmt.Sprintf("spec.%s.%s is %.100s, which an undo could not restore", rkeConfigKey, strings.Join(l.path, "."), told(value)),
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

// Apply is the configuration after the edit.
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

// Patch is the edit as a JSON patch. Its tests are what was read: the element
// itself, or where it was not there the nearest thing above it, which cannot have
// gained it then.
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
			depth, value := nearest(e.Config, el.Path)
			test(el.Path[:depth], value)
		}
		if el.Value == nil {
			writes = append(writes, kube.Remove(pointer(el.Path)))
			continue
		}
		depth, _ := nearest(now, el.Path)
		set := el.Value
		for i := len(el.Path) - 1; i > depth; i-- {
			set = map[string]any{el.Path[i]: set}
		}
		writes = append(writes, kube.Add(pointer(el.Path[:min(depth+1, len(el.Path))]), set))
		now = Edit{Config: now, Elements: []Element{el}}.Apply()
	}
	return kube.JSONPatch(append(tests, writes...)...)
}

// nearest is the deepest mapping above a path that is there, and its depth.
func nearest(config map[string]any, path []string) (int, any) {
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

// Made are the mappings that the whole edit makes, by pointer.
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
	depth, _ := nearest(e.Config, el.Path)
	for depth++; depth < len(el.Path); depth++ {
		made = append(made, pointer(el.Path[:depth]))
	}
	return made
}

// locations are the paths that it changes.
func (e Edit) locations() []string {
	all := make([]string, 0, len(e.Elements))
	for _, el := range e.Elements {
		all = append(all, "spec."+rkeConfigKey+"."+strings.Join(el.Path, "."))
	}
	return all
}

// Changes shows the edit in a plan, without the values of awsCloudProvider.
func (e Edit) Changes(object string) []runner.Change {
	changes := make([]runner.Change, 0, len(e.Elements))
	for _, el := range e.Elements {
		c := runner.Change{Object: object, Location: "spec." + rkeConfigKey + "." + strings.Join(el.Path, ".")}
		if el.Had {
			before := told(el.Before)
			if el.Pruned {
				before = "{}"
			}
			c.Before, c.Diff = before, "- "+before+"\n"
		}
		if el.Value != nil {
			after := told(el.Value)
			c.After, c.Diff = after, c.Diff+"+ "+after+"\n"
		}
		c.SHA256 = hiddenDigest(el)
		changes = append(changes, c)
	}
	return changes
}

// hiddenDigest stands for the values of a block that the plan does not show; "": it
// shows all.
func hiddenDigest(el Element) string {
	_, before := el.Before.(map[string]any)
	_, after := el.Value.(map[string]any)
	if !before && !after {
		return ""
	}
	return runner.Digest(fmt.Sprint(el.Before), fmt.Sprint(el.Value))
}

func told(v any) string {
	if m, ok := v.(map[string]any); ok {
		if void(m) {
			return "{}"
		}
		return fmt.Sprintf("{%s: %s}", strings.Join(configtree.Keys(maps.Clone(m)), ", "), configtree.NotShown)
	}
	return fmt.Sprintf("%v", v)
}
