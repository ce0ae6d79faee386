// Package component reads the command line of a Kubernetes component the way
// the component itself does. It knows nothing of where the line came from.
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

// booleans are the flags that take no following word: for pflag a bare boolean
// is true, and the next word is not its value.
var booleans = map[string]bool{
	EnableLeaderMigration: true, ConfigureCloudRoutes: true, AllocateNodeCIDRs: true, "leader-elect": true,
	"use-service-account-credentials": true, "allow-untagged-cloud": true, "profiling": true,
}

// Args are the flags of one process. Where a flag is repeated the last value
// counts, as in pflag; RKE2 relies on it when user arguments follow its own.
type Args struct {
	values map[string][]string
}

// Parse reads the words of a command line. Words that are no flags (the program
// itself, for instance) are passed over; a shell's "-c" script is read as words.
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

// Has says whether the flag is given at all.
func (a Args) Has(name string) bool { return len(a.values[name]) > 0 }

// Last is the value that counts, "" without the flag.
func (a Args) Last(name string) string {
	vs := a.values[name]
	if len(vs) == 0 {
		return ""
	}
	return vs[len(vs)-1]
}

// Bool is the last value as the component reads it, or def without the flag.
func (a Args) Bool(name string, def bool) (bool, error) {
	if !a.Has(name) {
		return def, nil
	}
	b, err := strconv.ParseBool(a.Last(name))
	if err != nil {
		return def, a.unreadable(name)
	}
	return b, nil
}

// Duration is the last value, or def without the flag.
func (a Args) Duration(name string, def time.Duration) (time.Duration, error) {
	if !a.Has(name) {
		return def, nil
	}
	d, err := time.ParseDuration(a.Last(name))
	if err != nil {
		return def, a.unreadable(name)
	}
	return d, nil
}

// Gates returns the feature gates that are named. Repeated flags add up.
func (a Args) Gates() Gates { return ParseGates(a.values[FeatureGates]...) }

func (a Args) unreadable(name string) error {
	return fmt.Errorf("--%s=%s cannot be read", name, a.Last(name))
}
