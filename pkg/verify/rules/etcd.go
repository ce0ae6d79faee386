package rules

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
)

// Redundant says whether so many members of an etcd survive the restart of one, and
// none of them is there for nothing.
func Redundant(members int) bool { return members >= 3 && members%2 == 1 }

// Restart judges whether a control plane survives a restart, by the configuration of
// object.
func Restart(object string, members, planes int) []verify.Finding {
	var found []verify.Finding
	if !Redundant(members) {
		found = append(found, verify.Warning(object, fmt.Sprintf("%d etcd members", members), "3 or 5", ""))
	}
	if planes < 2 {
		found = append(found, verify.Warning(object, fmt.Sprintf("%d control plane: no API while it restarts", planes), "at least 2", ""))
	}
	return found
}

// Zones are how many members of an etcd are in each zone; "": in none that is known.
type Zones map[string]int

// Members are all of them.
func (z Zones) Members() int {
	members := 0
	for _, n := range z {
		members += n
	}
	return members
}

// Spread says whether no zone takes the quorum with it. Fewer than three members have
// none to lose.
func (z Zones) Spread() bool { return z.Members() < 3 || len(z) >= 3 }

// Judge judges the zones of an etcd that object configures.
func (z Zones) Judge(object string) []verify.Finding {
	if z.Spread() {
		return nil
	}
	var parts []string
	for zone, n := range z {
		parts = append(parts, fmt.Sprintf("%s ×%d", cmp.Or(zone, "no zone"), n))
	}
	slices.Sort(parts)
	return []verify.Finding{verify.Warning(object, fmt.Sprintf("%d etcd members in %d zones: %s", z.Members(), len(z), strings.Join(parts, ", ")), "3 zones", "")}
}
