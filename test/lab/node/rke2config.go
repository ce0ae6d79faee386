package node

import (
	"fmt"
	"sort"
	"strconv"
	"strings"

	"sigs.k8s.io/yaml"
)

// RKE2Config is the merged configuration of one machine: every key with its values, in the
// order of RKE2's command-line arguments.
type RKE2Config struct {
	keys   []string
	values map[string][]string
}

// ParseRKE2Config merges configuration files like k3s' configfilearg: a later file replaces an
// earlier one's key, or adds to it if the key ends in "+". Keys of one file are in alphabetical
// order, as Rancher writes them.
func ParseRKE2Config(files ...File) (RKE2Config, error) {
	c := RKE2Config{values: map[string][]string{}}
	for _, file := range files {
		var doc map[string]any
		if err := yaml.Unmarshal(file.Content, &doc); err != nil {
			return RKE2Config{}, fmt.Errorf("reading RKE2 configuration %s: %w", file.Path, err)
		}
		keys := make([]string, 0, len(doc))
		for key := range doc {
			keys = append(keys, key)
		}
		sort.Strings(keys)
		for _, key := range keys {
			values, err := scalars(doc[key])
			if err != nil {
				return RKE2Config{}, fmt.Errorf("RKE2 configuration %s: key %s: %w", file.Path, key, err)
			}
			c.set(key, values)
		}
	}
	return c, nil
}

func (c *RKE2Config) set(key string, values []string) {
	name, adds := strings.CutSuffix(key, "+")
	old, known := c.values[name]
	if !known {
		c.keys = append(c.keys, name)
	}
	if adds {
		values = append(append([]string{}, old...), values...)
	}
	c.values[name] = values
}

func scalars(value any) ([]string, error) {
	list, ok := value.([]any)
	if !ok {
		list = []any{value}
	}
	out := make([]string, 0, len(list))
	for _, item := range list {
		switch item := item.(type) {
		case nil:
			out = append(out, "")
		case string:
			out = append(out, item)
		case bool:
			out = append(out, strconv.FormatBool(item))
		case float64:
			out = append(out, strconv.FormatFloat(item, 'f', -1, 64))
		default:
			return nil, fmt.Errorf("a %T is no value of a flag", item)
		}
	}
	return out, nil
}

// List returns a repeated flag's values; a plain string is a list of one.
func (c RKE2Config) List(key string) []string { return c.values[key] }

// String returns a flag's last value, or empty if it is not set.
func (c RKE2Config) String(key string) string {
	if values := c.values[key]; len(values) > 0 {
		return values[len(values)-1]
	}
	return ""
}

// Bool parses a switch; an absent one is false.
func (c RKE2Config) Bool(key string) bool { return c.String(key) == "true" }

// IsSet reports whether a file names the key at all.
func (c RKE2Config) IsSet(key string) bool {
	_, ok := c.values[key]
	return ok
}

// Arguments returns the flags as k3s puts them on its own command line.
func (c RKE2Config) Arguments() []string {
	var out []string
	for _, key := range c.keys {
		for _, value := range c.values[key] {
			out = append(out, "--"+key+"="+value)
		}
	}
	return out
}
