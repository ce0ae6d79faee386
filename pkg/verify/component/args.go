// Package component reads the command line of a Kubernetes component as the component
// itself does. It does not know where the command line came from.
package component

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Flags of kube-controller-manager and aws-cloud-controller-manager.
const (
	CloudProvider         = "cloud-provider"
	CloudConfig           = "cloud-config"
	EnableLeaderMigration = "enable-leader-migration"
	LeaderMigrationConfig = "leader-migration-config"
	Controllers           = "controllers"
	ConfigureCloudRoutes  = "configure-cloud-routes"
	AllocateNodeCIDRs     = "allocate-node-cidrs"
	ClusterCIDR           = "cluster-cidr"
	FeatureGates          = "feature-gates"
)

// booleans holds the flags that do not consume the next word: pflag reads a bare boolean
// as true.
var booleans = map[string]bool{
	EnableLeaderMigration: true, ConfigureCloudRoutes: true, AllocateNodeCIDRs: true, "leader-elect": true,
	"use-service-account-credentials": true, "allow-untagged-cloud": true, "profiling": true,
}

// Args holds the flags of one process. The last value of a repeated flag counts, as in
// pflag. RKE2 relies on that: it appends the user's arguments to its own.
type Args struct {
	values map[string][]string
}

// Parse reads the words of a command line and skips words that are not flags, for instance
// the program itself. It splits the script of a shell's "-c" into words.
func Parse(words ...[]string) Args {
	a := Args{values: map[string][]string{}}
	var flat []string
	for _, ws := range words {
		for _, w := range ws {
			if !strings.HasPrefix(w, "-") && strings.ContainsAny(w, " \n\t") && strings.Contains(w, "--") {
				flat = append(flat, strings.Fields(w)...)
				continue
			}
			flat = append(flat, w)
		}
	}
	for i := 0; i < len(flat); i++ {
		name, ok := strings.CutPrefix(flat[i], "--")
		if !ok || name == "" {
			continue
		}
		name, value, hasValue := strings.Cut(name, "=")
		name = strings.ReplaceAll(name, "_", "-")
		if !hasValue {
			value = "true"
			if i+1 < len(flat) && !booleans[name] && !strings.HasPrefix(flat[i+1], "-") {
				i++
				value = flat[i]
			}
		}
		a.values[name] = append(a.values[name], strings.TrimSpace(value))
	}
	return a
}

// Has reports whether the flag is given.
func (a Args) Has(name string) bool { return len(a.values[name]) > 0 }

// Last returns the last value of the flag, or "" without the flag.
func (a Args) Last(name string) string {
	vs := a.values[name]
	if len(vs) == 0 {
		return ""
	}
	return vs[len(vs)-1]
}

// Bool returns the last value as pflag parses it, or def without the flag.
func (a Args) Bool(name string, def bool) (bool, error) {
	if !a.Has(name) {
		return def, nil
	}
	b, err := strconv.ParseBool(a.Last(name))
	if err != nil {
		return def, a.parseError(name)
	}
	return b, nil
}

// Duration returns the last value, or def without the flag.
func (a Args) Duration(name string, def time.Duration) (time.Duration, error) {
	if !a.Has(name) {
		return def, nil
	}
	d, err := time.ParseDuration(a.Last(name))
	if err != nil {
		return def, a.parseError(name)
	}
	return d, nil
}

// Gates returns the feature gates of all --feature-gates flags.
func (a Args) Gates() Gates { return ParseGates(a.values[FeatureGates]...) }

func (a Args) parseError(name string) error {
	return fmt.Errorf("--%s=%s cannot be read", name, a.Last(name))
}
