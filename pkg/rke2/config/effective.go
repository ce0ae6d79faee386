package config

import (
	"fmt"
	"maps"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/awsmigrate/awsmigrate/pkg/rke2/config/notation"
)

// Value is the value of one key for one machine.
type Value struct {
	Raw      any // as written; the result of the merge
	Location Location
	// Dropped describes why Rancher silently drops the value, or is empty.
	Dropped string
	// Shadowed holds the weaker places that set the key without effect for this machine.
	Shadowed []Place

	value any // as RKE2 receives it
}

// Config is the effective configuration of one machine, without Rancher's own additions (node
// labels, taints, certificate directories).
type Config map[string]Value

// Effective merges Rancher's default, machineGlobalConfig, and every matching entry in list
// order. Each key is replaced as a whole. A null is assigned like any other value: it hides the
// previous one and is dropped at the end.
func Effective(s Spec, m Machine) Config {
	c := Config{"cni": {Raw: "calico", Location: Location{Default, "cni"}}}
	for _, p := range s.AllPlaces() {
		if !s.Matches(p, m) {
			continue
		}
		for k, v := range s.ValuesAt(p) {
			next := Value{Raw: v, Location: Location{p, k}}
			if old, ok := c[k]; ok {
				next.Shadowed = append(append(next.Shadowed, old.Shadowed...), old.Location.Place)
			}
			c[k] = next
		}
	}
	c.filter(m)
	return c
}

// Matches reports whether a place applies to a machine. An absent selector matches everything;
// metav1.LabelSelectorAsSelector alone would match nothing.
func (s Spec) Matches(p Place, m Machine) bool {
	if p < 0 {
		return true
	}
	e := s.Entries[p]
	if e.Selector == nil {
		return true
	}
	sel, err := metav1.LabelSelectorAsSelector(e.Selector)
	return err == nil && sel.Matches(labels.Set(m.Labels))
}

func (c Config) filter(m Machine) {
	server := m.Server()
	for k, v := range c {
		kind, known := agentKey(k)
		forServers, serverOnly := serverKey(k)
		if !known && server {
			kind, known = forServers, serverOnly
		}
		v.value = v.Raw
		switch {
		case !known && serverOnly:
			v.Dropped = "only servers take this key"
		case !known:
			v.Dropped = "RKE2's release metadata does not know this key"
		case v.Raw == nil:
			v.Dropped = "the value is null"
		default:
			switch v.Raw.(type) {
			case string, bool, []any:
			default:
				v.Dropped = fmt.Sprintf("the value is %s", notation.TypeName(v.Raw))
			}
		}
		if v.Dropped == "" && kind == boolean {
			v.value = toBool(v.Raw)
		}
		c[k] = v
	}
}

// toBool converts as Rancher does for keys of type boolean
// (rancher/norman:types/convert/convert.go ToBool).
func toBool(v any) bool {
	if list, ok := v.([]any); ok {
		if len(list) == 0 {
			return false
		}
		v = list[0]
	}
	switch strings.ToLower(strings.TrimSpace(fmt.Sprint(v))) {
	case "true", "t", "yes", "y":
		return true
	}
	return false
}

// Get returns the value that RKE2 receives; ok is false if Rancher drops the key or if it is not
// set.
func (c Config) Get(key string) (any, bool) {
	v, ok := c[key]
	if !ok || v.Dropped != "" {
		return nil, false
	}
	return v.value, true
}

// Text returns a value as RKE2 reads it, or is empty. It does not trim the cloud configuration,
// which Rancher writes to a separate file.
func (c Config) Text(key string) string {
	v, ok := c.Get(key)
	if !ok {
		return ""
	}
	s, ok := v.(string)
	switch {
	case !ok:
		return fmt.Sprint(v)
	case key == KeyCloudConfig:
		return s
	}
	return notation.Trimmed(s)
}

// Args returns the arguments under a key as RKE2 reads them, or nil.
func (c Config) Args(key string) []string {
	v, ok := c.Get(key)
	if !ok {
		return nil
	}
	var args []string
	for _, arg := range notation.Args(v) {
		args = append(args, notation.Trimmed(arg))
	}
	return args
}

// Values returns the values that RKE2 receives, by key.
func (c Config) Values() map[string]any {
	out := map[string]any{}
	for k := range maps.Keys(c) {
		if v, ok := c.Get(k); ok {
			out[k] = v
		}
	}
	return out
}
