package ccmchart

import "strings"

// Flags of the cloud controller manager that affect its safety.
const (
	flagLeaderMigration = "--enable-leader-migration"
	flagMigrationConfig = "--leader-migration-config"
	flagCloudRoutes     = "--configure-cloud-routes"
	flagClusterCIDR     = "--cluster-cidr"
	flagCloudProvider   = "--cloud-provider"
	flagCloudConfig     = "--cloud-config"
	flagLeaderElect     = "--leader-elect"
)

// arguments is a list of flags. Of a repeated flag the last value counts, as for the
// components.
type arguments []string

// get returns the last value of a flag; a flag without value is "true".
func (a arguments) get(flag string) (string, bool) {
	for i := len(a) - 1; i >= 0; i-- {
		if name, value := splitFlag(a[i]); name == flag {
			return value, true
		}
	}
	return "", false
}

func (a arguments) without(flags ...string) arguments {
	out := make(arguments, 0, len(a))
	for _, arg := range a {
		name, _ := splitFlag(arg)
		keep := true
		for _, f := range flags {
			keep = keep && name != f
		}
		if keep {
			out = append(out, arg)
		}
	}
	return out
}

// with appends a flag and removes earlier ones of its name.
func (a arguments) with(flag, value string) arguments {
	return append(a.without(flag), flag+"="+value)
}

func (a arguments) list() []any {
	out := make([]any, len(a))
	for i, arg := range a {
		out[i] = arg
	}
	return out
}

// splitFlag splits "--a=b", "-a=b" and a bare "--a".
func splitFlag(arg string) (name, value string) {
	name, value, found := strings.Cut(strings.Trim(strings.TrimSpace(arg), `'"`), "=")
	if !strings.HasPrefix(name, "--") {
		name = "-" + name
	}
	if !found {
		value = "true"
	}
	return name, value
}

// isTrue parses a boolean as the flag library does; invalid text is false.
func isTrue(value string) bool {
	switch strings.ToLower(value) {
	case "true", "t", "1":
		return true
	}
	return false
}
