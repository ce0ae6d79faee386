package config

import (
	"fmt"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config/notation"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
)

// Setting is the value of one key for one machine, with its origin.
type Setting struct {
	Machine  string
	Location string // empty if not set
	Value    string // empty if not set, or if Rancher drops it
	Dropped  string // why Rancher drops it
	Set      bool
	Odd      string // the type of a value that is not text, such as "a list"
}

// String formats the setting for people, without the value of a cloud configuration.
func (s Setting) String() string {
	switch {
	case s.Dropped != "":
		return fmt.Sprintf("%s: dropped at %s, %s", s.Machine, s.Location, s.Dropped)
	case !s.Set:
		return s.Machine + ": not set"
	case strings.HasSuffix(s.Location, "."+KeyCloudConfig) && !strings.HasPrefix(s.Value, "secret://"):
		return fmt.Sprintf("%s: inline text sha256 %.12s (%s)", s.Machine, notation.Digest(s.Value), s.Location)
	case s.Odd != "":
		return fmt.Sprintf("%s: %s, which is %s (%s)", s.Machine, s.Value, s.Odd, s.Location)
	case s.Value == "":
		return fmt.Sprintf(`%s: "" (%s)`, s.Machine, s.Location)
	default:
		return fmt.Sprintf("%s: %s (%s)", s.Machine, s.Value, s.Location)
	}
}

// settings returns one key of each machine, in the order of the machines.
func settings(s Spec, machines []Machine, key string) []Setting {
	out := make([]Setting, 0, len(machines))
	for _, m := range machines {
		c := Effective(s, m)
		v, ok := c[key]
		one := Setting{Machine: m.Name, Set: ok, Dropped: v.Dropped, Value: c.Text(key)}
		if ok {
			one.Location = v.Location.String()
			if _, text := v.Raw.(string); !text && v.Dropped == "" {
				one.Odd = notation.TypeName(v.Raw)
			}
		}
		out = append(out, one)
	}
	return out
}

// Providers returns the cloud provider of each machine.
func Providers(s Spec, machines []Machine) []Setting { return settings(s, machines, KeyProvider) }

// CloudConfigs returns the in-tree cloud configuration of each machine: inline text, which may
// hold secrets, or secret://namespace:name.
func CloudConfigs(s Spec, machines []Machine) []Setting {
	return settings(s, machines, KeyCloudConfig)
}

// Agree returns an error unless all settings have the same value. The error names one machine for
// each value.
func Agree(object, key string, settings []Setting) error {
	seen := map[string]bool{}
	var examples []string
	for _, one := range settings {
		if !seen[one.Value] {
			seen[one.Value] = true
			examples = append(examples, one.String())
		}
	}
	if len(examples) < 2 {
		return nil
	}
	return &fault.Error{
		Class: fault.Check, Reason: "MachinesDisagree", Object: object,
		Seen:   fmt.Sprintf("machines disagree about %s: %s", key, strings.Join(examples, "; ")),
		Wanted: "one value for every machine",
		Fix:    "give every machine the same " + key + ", wait until Rancher has applied it, and start again",
	}
}

// ManagerProvider returns the effective provider of a control plane's kube-controller-manager on
// RKE2 up to 1.28: the last cloud-provider among its own arguments, or else cloud-provider-name.
func ManagerProvider(c Config) string { return componentProvider(c, KeyManagerArg) }

// KubeletProvider returns the effective provider of a kubelet, as ManagerProvider does.
func KubeletProvider(c Config) string { return componentProvider(c, KeyKubeletArg) }

func componentProvider(c Config, key string) string {
	if v, ok := notation.Last(c.Args(key), FlagProvider); ok {
		return v
	}
	return c.Text(KeyProvider)
}

// ManagerMode returns how a control plane's kube-controller-manager runs the cloud controllers.
func ManagerMode(c Config) component.Mode {
	words := []string{"--" + component.CloudProvider + "=" + ManagerProvider(c)}
	if LeaderMigrationOn(c) {
		words = append(words, "--"+component.EnableLeaderMigration)
	}
	return component.Parse(words).Mode()
}

// LeaderMigrationOn reports whether a configuration enables leader migration.
func LeaderMigrationOn(c Config) bool {
	return notation.On(c.Args(KeyManagerArg), FlagLeaderMigration)
}
