package rules

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
)

// Redundant reports whether an etcd of that many members survives the restart of one, without a
// surplus member.
func Redundant(members int) bool { return members >= 3 && members%2 == 1 }

// Restart judges whether the control plane that object configures survives a restart.
func Restart(object string, members, planes int) []verify.Finding {
	var found []verify.Finding
	if !Redundant(members) {
		found = append(found, verify.Warning(object, fault.Count(members, "etcd member"), "3 or 5", ""))
	}
	if planes < 2 {
		found = append(found, verify.Warning(object, fmt.Sprintf("%d control plane: no API while it restarts", planes), "at least 2", ""))
	}
	return found
}

// Zones maps each zone to its number of etcd members; the empty zone counts members in an unknown
// zone.
type Zones map[string]int

// Members returns the number of members in all zones.
func (z Zones) Members() int {
	members := 0
	for _, n := range z {
		members += n
	}
	return members
}

// Spread reports whether the loss of one zone keeps the quorum. Fewer than three members have no
// spare to lose.
func (z Zones) Spread() bool { return z.Members() < 3 || len(z) >= 3 }

// Judge judges the zones of the etcd that object configures.
func (z Zones) Judge(object string) []verify.Finding {
	if z.Spread() {
		return nil
	}
	var parts []string
	for zone, n := range z {
		parts = append(parts, fmt.Sprintf("%s ×%d", cmp.Or(zone, "no zone"), n))
	}
	slices.Sort(parts)
	return []verify.Finding{verify.Warning(object, fmt.Sprintf("%s in %s: %s", fault.Count(z.Members(), "etcd member"), fault.Count(len(z), "zone"), strings.Join(parts, ", ")), "3 zones", "")}
}
