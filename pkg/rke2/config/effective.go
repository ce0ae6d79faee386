package config

import (
	"fmt"
	"maps"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/awsmigrate/awsmigrate/pkg/rke2/config/notation"
)

// Value is what one key has for one machine.
type Value struct {
	Raw      any // as written; what the merge yields
	Location Location
	// Dropped says why Rancher drops the value without a word, "" if it does not.
	Dropped string
	// Shadowed are the weaker places that set the key for this machine in vain.
	Shadowed []Place

	value any // what RKE2 is given
}

// Config is the effective configuration of one machine, before what Rancher
// itself adds (node labels, taints, certificate directories).
type Config map[string]Value

// Effective merges: Rancher's default, machineGlobalConfig, then every matching
// entry in list order. Each key is replaced whole. A null is assigned like any
// other value, hides what was there before, and is dropped afterwards.
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

// Matches says whether a place counts for a machine. A selector that is absent
// matches everything, which metav1.LabelSelectorAsSelector alone would not say.
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
			v.value = truth(v.Raw)
		}
		c[k] = v
	}
}

// truth converts as Rancher does for keys of type boolean
// (rancher/norman:types/convert/convert.go ToBool).
func truth(v any) bool {
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

// Get gives the value that RKE2 is given, false where Rancher drops the key or
// nobody set it.
func (c Config) Get(key string) (any, bool) {
	v, ok := c[key]
	if !ok || v.Dropped != "" {
		return nil, false
	}
	return v.value, true
}

// Text gives a value as RKE2 reads it, "" where there is none. Rancher writes the cloud
// configuration into a file of its own, where nothing is trimmed.
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

// Args gives the arguments under a key as RKE2 reads them, nil where there are none.
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

// Values is what RKE2 is given, key by key.
func (c Config) Values() map[string]any {
	out := map[string]any{}
	for k := range maps.Keys(c) {
		if v, ok := c.Get(k); ok {
			out[k] = v
		}
	}
	return out
}
