// Package position computes how far a cluster is on the way from the in-tree
// provider to the external one, from what was read and from nothing else.
package position

import (
	"fmt"
	"strings"
)

// Position is how far a cluster is. The order is the order of the migration.
type Position int

// Unknown is the position of a cluster of which too little could be read, or
// which somebody took half-way by hand: no step may be derived from it.
const Unknown Position = -1

const (
	// P0 is the in-tree provider, untouched.
	P0 Position = iota
	// P1 adds the grant on the migration lease.
	P1
	// P2 has the leader migration flag on every kube-controller-manager.
	P2
	// P3 has the cloud controller manager with the flag beside them.
	P3
	// P4 has every kube-controller-manager external and the lease with the CCM.
	P4
	// P5 has the CCM without the flag, no grant and no lease.
	P5
)

// All are the positions in order.
func All() []Position { return []Position{P0, P1, P2, P3, P4, P5} }

// String is the short name: "P0" to "P5", "unknown".
func (p Position) String() string {
	if p < P0 || p > P5 {
		return "unknown"
	}
	return fmt.Sprintf("P%d", int(p))
}

// Summary says the position in a few words.
func (p Position) Summary() string {
	switch p {
	case P0:
		return "in-tree"
	case P1:
		return "in-tree, migration lease granted"
	case P2:
		return "in-tree, flag on every KCM"
	case P3:
		return "CCM with flag beside the in-tree provider"
	case P4:
		return "external, leader migration still on"
	case P5:
		return "external, leader migration off"
	case Unknown:
		return "position not known"
	}
	return "no such position"
}

// Runs says who runs the service, route and node lifecycle controllers there.
func (p Position) Runs() string {
	switch p {
	case P0:
		return "the leading kube-controller-manager, under its own lease"
	case P1:
		return "the leading kube-controller-manager, under its own lease; it may use the migration lease, and does not yet"
	case P2:
		return "the leading kube-controller-manager, while it holds the migration lease"
	case P3:
		return "the leading kube-controller-manager, while it holds the migration lease; the CCM's pods wait for that lease"
	case P4:
		return "the CCM, while it holds the migration lease; the kube-controller-managers are external and run none of them"
	case P5:
		return "the CCM, under its own lease"
	case Unknown:
	}
	return ""
}

// Stays says for how long a cluster may stay there.
func (p Position) Stays() string {
	switch p {
	case P0, P1, P2:
		return "as long as you like"
	case P3, P4:
		return "as long as you like; where another tool keeps the configuration, only while it does not put the old one back"
	case P5:
		return "for good: this is the end of a migration; a tool that puts the old configuration back makes two managers"
	case Unknown:
	}
	return ""
}

// AtLeast says whether a step that leads to q is done. Unknown is never at
// least anything.
func (p Position) AtLeast(q Position) bool { return p != Unknown && p >= q }

// MarshalText writes the short name.
func (p Position) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText reads the short name.
func (p *Position) UnmarshalText(text []byte) error {
	for _, q := range append(All(), Unknown) {
		if strings.EqualFold(q.String(), string(text)) {
			*p = q
			return nil
		}
	}
	return fmt.Errorf("position %q is none of P0 to P5", text)
}
