package node

import (
	"sort"
	"strings"
)

// mergeArguments adds a user's component arguments to RKE2's own, as k3s does
// (k3s-io/k3s:pkg/util/args.go, GetArgs). A user's flag replaces the default of the same name.
// A name that ends in "+" or "-" is put after or before it. A bare name means "=true". The
// result is sorted by flag, with repeats in order.
func mergeArguments(defaults map[string]string, user []string) []string {
	merged := make(map[string][]string, len(defaults))
	untouched := make(map[string]string, len(defaults))
	for name, value := range defaults {
		untouched[name] = value
	}
	for _, argument := range user {
		flag, value, given := strings.Cut(strings.TrimPrefix(argument, "--"), "=")
		if !given {
			value = "true"
		}
		name := strings.TrimRight(flag, "-+")
		base := merged[name]
		if own, ok := untouched[name]; ok && flag != name {
			base = append([]string{own}, base...)
		}
		delete(untouched, name)
		if strings.HasSuffix(flag, "-") {
			merged[name] = append([]string{value}, base...)
			continue
		}
		merged[name] = append(append([]string{}, base...), value)
	}
	for name, value := range untouched {
		merged[name] = []string{value}
	}
	names := make([]string, 0, len(merged))
	for name := range merged {
		names = append(names, name)
	}
	sort.Strings(names)
	var out []string
	for _, name := range names {
		for _, value := range merged[name] {
			out = append(out, "--"+name+"="+value)
		}
	}
	return out
}

// lastFlag returns the value in force of a repeated flag: the last one. A flag without "=" has
// the value "true".
func lastFlag(args []string, name string) (value string, ok bool) {
	for _, argument := range args {
		flag, v, given := strings.Cut(strings.TrimLeft(argument, "-"), "=")
		if flag != name {
			continue
		}
		if value, ok = v, true; !given {
			value = "true"
		}
	}
	return value, ok
}
