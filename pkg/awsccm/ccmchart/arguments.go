package ccmchart

import "strings"

// Flags of the cloud controller manager that decide its safety.
const (
	flagLeaderMigration = "--enable-leader-migration"
	flagMigrationConfig = "--leader-migration-config"
	flagCloudRoutes     = "--configure-cloud-routes"
	flagClusterCIDR     = "--cluster-cidr"
	flagCloudProvider   = "--cloud-provider"
	flagCloudConfig     = "--cloud-config"
	flagLeaderElect     = "--leader-elect"
)

// arguments is a list of flags. A flag given twice counts as it stands last,
// as the components read it.
type arguments []string

// get is the last value of a flag; a flag without value is "true".
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

// with sets a flag, once, at the end.
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

// splitFlag reads "--a=b", "-a=b" and a bare "--a".
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

// isTrue reads a boolean as the flag library does; what it cannot read is false.
func isTrue(value string) bool {
	switch strings.ToLower(value) {
	case "true", "t", "1":
		return true
	}
	return false
}
