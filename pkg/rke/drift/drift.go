package drift

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/rke/configtree"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkestate"
)

// Change is a difference between cluster.yml and the configuration that rke applied last. Our
// `rke up` would apply it too.
type Change struct {
	Path  string // in cluster.yml: "services.kubelet.extra_args.max-pods"
	File  string // empty if not set
	State string // empty if not stored
}

// String formats the change on one line.
func (p Change) String() string {
	return fmt.Sprintf("%s: %s (applied: %s)", p.Path, cmp.Or(p.File, "not set"), cmp.Or(p.State, "not set"))
}

// Of returns the changes of cluster.yml that rke has not applied and that are not ours. These
// are set values that differ from currentState; arguments, binds, labels and taints that are
// stored but no longer set; added or removed nodes; and system images that the binary uses for
// the version in force but that are not stored. target is the Kubernetes version of our own
// upgrade, or empty.
//
// Other values that were removed from the file remain unnoticed: the state holds rke's defaults
// too and does not mark them. For a cluster that Rancher manages, Of returns nothing, because
// its state may still be changing.
func Of(f rkestate.Facts, target string) []Change {
	if f.Path == "" || f.File == nil || !f.State.Current.Known {
		return nil
	}
	file := configtree.Of(f.File.Text())
	d := differ{schema: schema()}
	d.compareObject("", "", file, f.State.Current.Tree)
	d.removedArguments(file, f.State.Current.Tree)
	d.compareNodes(configtree.List(file["nodes"]), configtree.List(f.State.Current.Tree["nodes"]))
	d.compareProvider(file, f.State.Current.Tree)
	d.compareImages(f, file)
	d.found = slices.DeleteFunc(d.found, func(p Change) bool {
		return p.Path == "kubernetes_version" && p.File == target || p.Path == pathFlag
	})
	sort.SliceStable(d.found, func(i, j int) bool { return d.found[i].Path < d.found[j].Path })
	return d.found
}

// pathFlag is the path of the flag that our own step sets and removes.
const pathFlag = "services.kube-controller.extra_args.enable-leader-migration"

type differ struct {
	schema map[string]string
	found  []Change
}

func (d *differ) add(path string, file, state any) {
	p := Change{Path: path, File: format(file), State: format(state)}
	if configtree.Hidden(path) {
		p.File, p.State = hide(p.File), hide(p.State)
	}
	d.found = append(d.found, p)
}

func hide(value string) string {
	if _, isBool := configtree.Bool(value); value == "" || value == `""` || isBool {
		return value
	}
	return configtree.NotShown
}

// compareObject compares the keys that rke knows in one place. at is the path for messages,
// place the path in the schema.
func (d *differ) compareObject(at, place string, file, state map[string]any) {
	for _, entry := range strings.Fields(d.schema[place]) {
		key := strings.TrimRight(entry, "*~")
		value := file[key]
		if value == nil {
			continue
		}
		stored := configtree.LookUp(state, key)
		path, child := configtree.Join(at, key), configtree.Join(place, key)
		switch {
		case switchedOff(file, key):
		case strings.HasSuffix(entry, "*"):
			d.compareData(path, value, stored)
		case strings.HasSuffix(entry, "~"):
			d.compareStructure(path, value, stored)
		case d.schema[child] != "":
			d.compareKnown(path, child, value, stored)
		default:
			d.compareLeaf(path, value, stored)
		}
	}
}

// compareKnown compares a structure of rke, or a list of them.
func (d *differ) compareKnown(path, place string, file, state any) {
	switch file := file.(type) {
	case map[string]any:
		stored, _ := state.(map[string]any)
		d.compareObject(path, place, file, stored)
	case []any:
		stored, _ := state.([]any)
		if len(file) != len(stored) {
			d.add(path, file, state)
			return
		}
		for i, one := range file {
			d.compareKnown(fmt.Sprintf("%s[%d]", path, i), place, one, stored[i])
		}
	default:
		d.compareLeaf(path, file, state)
	}
}

// switchedOff reports whether rke omits a configuration because the feature is not enabled
// (rancher/rke:cluster/cluster.go@v1.5.9).
func switchedOff(file map[string]any, key string) bool {
	on, _ := configtree.Bool(fmt.Sprint(file["enabled"]))
	return !on && (key == "custom_config" || key == "configuration")
}

// compareData compares a map whose keys are data: every set key counts, even an empty one.
func (d *differ) compareData(path string, file, state any) {
	values, ok := file.(map[string]any)
	stored, also := state.(map[string]any)
	if !ok || state != nil && !also {
		d.compareLeaf(path, file, state)
		return
	}
	for _, key := range configtree.Keys(values) {
		value := values[key]
		if value == nil {
			value = configtree.Text("") // as rke stores it
		}
		was, given := stored[key]
		if !given || !same(value, was) {
			d.add(configtree.Join(path, key), value, was)
		}
	}
}

// compareStructure compares a structure of Kubernetes: set values must be stored; more may be
// stored.
func (d *differ) compareStructure(path string, file, state any) {
	switch file := file.(type) {
	case map[string]any:
		stored, _ := state.(map[string]any)
		for _, key := range configtree.Keys(file) {
			d.compareStructure(configtree.Join(path, key), file[key], configtree.LookUp(stored, key))
		}
	case []any:
		stored, _ := state.([]any)
		if len(file) != len(stored) {
			d.add(path, file, state)
			return
		}
		for i, one := range file {
			d.compareStructure(fmt.Sprintf("%s[%d]", path, i), one, stored[i])
		}
	default:
		d.compareLeaf(path, file, state)
	}
}

func (d *differ) compareLeaf(path string, file, state any) {
	if state == nil && nothing(file) || byDefault(path, file) || same(file, state) {
		return
	}
	if strings.HasSuffix(path, ".extra_env") {
		if same(file, withoutChecksum(state)) {
			return
		}
	}
	d.add(path, file, state)
}

// byDefault reports whether rke replaces a value by its own default: an empty value, and zero
// for some numbers (rancher/rke:cluster/defaults.go@v1.5.9).
func byDefault(path string, file any) bool {
	switch file := file.(type) {
	case nil:
		return true
	case []any:
		return len(file) == 0
	case map[string]any:
		return len(file) == 0
	case configtree.Text:
		n, isNumber := configtree.Number(string(file))
		return file == "" || isNumber && n == 0 && slices.Contains([]string{
			"addon_job_timeout", "ingress.http_port", "ingress.https_port", "services.etcd.backup_config.interval_hours",
			"services.etcd.backup_config.retention", "services.etcd.backup_config.timeout"}, path)
	}
	return false
}

// withoutChecksum removes the values that rke appends to extra_env, once for each node
// (rancher/rke:cluster/plan.go@v1.5.9).
func withoutChecksum(state any) any {
	list, ok := state.([]any)
	if !ok {
		return state
	}
	var out []any
	for _, one := range list {
		if s, _ := one.(string); !strings.HasPrefix(s, "RKE_CLOUD_CONFIG_CHECKSUM=") {
			out = append(out, one)
		}
	}
	return out
}

// format formats a value on one line.
func format(v any) string {
	const maxLength = 80
	var s string
	switch v := v.(type) {
	case nil:
		return ""
	case []any:
		parts := make([]string, len(v))
		for i, one := range v {
			parts[i] = format(one)
		}
		s = "[" + strings.Join(parts, ", ") + "]"
	case map[string]any:
		parts := make([]string, 0, len(v))
		for _, key := range configtree.Keys(v) {
			if configtree.Hidden("." + key) {
				parts = append(parts, key+": "+configtree.NotShown)
				continue
			}
			parts = append(parts, key+": "+format(v[key]))
		}
		s = "{" + strings.Join(parts, ", ") + "}"
	default:
		if s = fmt.Sprint(v); s == "" {
			return `""`
		}
	}
	if len(s) > maxLength || strings.Contains(s, "\n") {
		return configtree.NotShown
	}
	return s
}
