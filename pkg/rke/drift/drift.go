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

// Change is a difference between cluster.yml and what rke applied last,
// which our `rke up` would apply as well.
type Change struct {
	Path  string // in cluster.yml: "services.kubelet.extra_args.max-pods"
	File  string // "" where it is not set
	State string // "" where nothing is stored
}

// String is one line for messages.
func (p Change) String() string {
	return fmt.Sprintf("%s: %s (applied: %s)", p.Path, cmp.Or(p.File, "not set"), cmp.Or(p.State, "not set"))
}

// Of are the changes of cluster.yml that were not applied yet and are not
// ours: values that are set and differ from currentState, arguments, binds,
// labels and taints that are stored and no longer set, nodes that come or go,
// and system images that the binary takes for the version in force and that are
// not the stored ones. target is the Kubernetes version of our own upgrade, or "".
//
// Other values that were removed from the file are not seen: the state holds
// rke's defaults as well, and nothing tells which. A cluster that Rancher manages
// has no such changes: its state is not at rest then.
func Of(f rkestate.Facts, target string) []Change {
	if f.Path == "" || f.File == nil || !f.State.Current.Known {
		return nil
	}
	file := configtree.Of(f.File.Text())
	d := differ{schema: schema()}
	d.object("", "", file, f.State.Current.Tree)
	d.removedArguments(file, f.State.Current.Tree)
	d.nodes(configtree.List(file["nodes"]), configtree.List(f.State.Current.Tree["nodes"]))
	d.provider(file, f.State.Current.Tree)
	d.images(f, file)
	d.found = slices.DeleteFunc(d.found, func(p Change) bool {
		return p.Path == "kubernetes_version" && p.File == target || p.Path == pathFlag
	})
	sort.SliceStable(d.found, func(i, j int) bool { return d.found[i].Path < d.found[j].Path })
	return d.found
}

// pathFlag is what our own step sets and removes.
const pathFlag = "services.kube-controller.extra_args.enable-leader-migration"

type differ struct {
	schema map[string]string
	found  []Change
}

func (d *differ) add(path string, file, state any) {
	p := Change{Path: path, File: shown(file), State: shown(state)}
	if configtree.Hidden(path) {
		p.File, p.State = veil(p.File), veil(p.State)
	}
	d.found = append(d.found, p)
}

func veil(value string) string {
	if _, isBool := configtree.Bool(value); value == "" || value == `""` || isBool {
		return value
	}
	return configtree.NotShown
}

// object compares the keys that rke knows at a place. at is the path for
// messages, place the one in the schema.
func (d *differ) object(at, place string, file, state map[string]any) {
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
			d.data(path, value, stored)
		case strings.HasSuffix(entry, "~"):
			d.structure(path, value, stored)
		case d.schema[child] != "":
			d.known(path, child, value, stored)
		default:
			d.leaf(path, value, stored)
		}
	}
}

// known compares a structure of rke's, or a list of them.
func (d *differ) known(path, place string, file, state any) {
	switch file := file.(type) {
	case map[string]any:
		stored, _ := state.(map[string]any)
		d.object(path, place, file, stored)
	case []any:
		stored, _ := state.([]any)
		if len(file) != len(stored) {
			d.add(path, file, state)
			return
		}
		for i, one := range file {
			d.known(fmt.Sprintf("%s[%d]", path, i), place, one, stored[i])
		}
	default:
		d.leaf(path, file, state)
	}
}

// switchedOff says whether rke leaves out a configuration because what it
// configures is not enabled (rancher/rke:cluster/cluster.go@v1.5.9).
func switchedOff(file map[string]any, key string) bool {
	on, _ := configtree.Bool(fmt.Sprint(file["enabled"]))
	return !on && (key == "custom_config" || key == "configuration")
}

// data compares a map whose keys are data: what is set there counts, be it empty.
func (d *differ) data(path string, file, state any) {
	values, ok := file.(map[string]any)
	stored, also := state.(map[string]any)
	if !ok || state != nil && !also {
		d.leaf(path, file, state)
		return
	}
	for _, key := range configtree.Keys(values) {
		value := values[key]
		if value == nil {
			value = configtree.Text("") // which is what rke stores
		}
		was, given := stored[key]
		if !given || !same(value, was) {
			d.add(configtree.Join(path, key), value, was)
		}
	}
}

// structure compares one of Kubernetes': what is set must be stored, and more
// may be.
func (d *differ) structure(path string, file, state any) {
	switch file := file.(type) {
	case map[string]any:
		stored, _ := state.(map[string]any)
		for _, key := range configtree.Keys(file) {
			d.structure(configtree.Join(path, key), file[key], configtree.LookUp(stored, key))
		}
	case []any:
		stored, _ := state.([]any)
		if len(file) != len(stored) {
			d.add(path, file, state)
			return
		}
		for i, one := range file {
			d.structure(fmt.Sprintf("%s[%d]", path, i), one, stored[i])
		}
	default:
		d.leaf(path, file, state)
	}
}

func (d *differ) leaf(path string, file, state any) {
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

// byDefault says whether rke puts a default of its own for a value: for what is
// empty, and for some numbers that are zero (rancher/rke:cluster/defaults.go@v1.5.9).
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

// withoutChecksum leaves out what rke appends to extra_env, once for each node
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

// shown is a value on one line.
func shown(v any) string {
	const most = 80
	var s string
	switch v := v.(type) {
	case nil:
		return ""
	case []any:
		parts := make([]string, len(v))
		for i, one := range v {
			parts[i] = shown(one)
		}
		s = "[" + strings.Join(parts, ", ") + "]"
	case map[string]any:
		parts := make([]string, 0, len(v))
		for _, key := range configtree.Keys(v) {
			if configtree.Hidden("." + key) {
				parts = append(parts, key+": "+configtree.NotShown)
				continue
			}
			parts = append(parts, key+": "+shown(v[key]))
		}
		s = "{" + strings.Join(parts, ", ") + "}"
	default:
		if s = fmt.Sprint(v); s == "" {
			return `""`
		}
	}
	if len(s) > most || strings.Contains(s, "\n") {
		return configtree.NotShown
	}
	return s
}
