// Package position computes how far a cluster has moved from the in-tree provider to the
// external one. It takes the evidence as values and makes no requests.
package position

import (
	"fmt"
	"strings"
)

// Position is a stage of the migration. The order is that of the migration.
type Position int

// Unknown is the position of a cluster with missing evidence, or of one that was partly
// migrated by hand. No step may be derived from it.
const Unknown Position = -1

const (
	// P0 has the in-tree provider, unchanged.
	P0 Position = iota
	// P1 adds the grant on the migration lease.
	P1
	// P2 has the leader migration flag on every kube-controller-manager.
	P2
	// P3 adds the cloud controller manager with the flag.
	P3
	// P4 has every kube-controller-manager external; the CCM holds the migration lease.
	P4
	// P5 has the CCM without the flag, no grant and no migration lease.
	P5
)

// All returns the positions in order, without Unknown.
func All() []Position { return []Position{P0, P1, P2, P3, P4, P5} }

// String returns the short name: "P0" to "P5", or "unknown".
func (p Position) String() string {
	if p < P0 || p > P5 {
		return "unknown"
	}
	return fmt.Sprintf("P%d", int(p))
}

// Summary describes the position in a few words.
func (p Position) Summary() string {
	switch p {
	case P0:
		return "in-tree"
	case P1:
		return "in-tree, migration lease granted"
	case P2:
		return "in-tree, flag on every KCM"
	case P3:
		return "CCM with flag next to the in-tree provider"
	case P4:
		return "external, leader migration still on"
	case P5:
		return "external, leader migration off"
	case Unknown:
		return "position not known"
	}
	return "no such position"
}

// Runs describes which process runs the service, route and node lifecycle controllers.
func (p Position) Runs() string {
	switch p {
	case P0:
		return "the leading kube-controller-manager, under its own lease"
	case P1:
		return "the leading kube-controller-manager, under its own lease; it may use the migration lease, and does not yet"
	case P2:
		return "the leading kube-controller-manager, while it holds the migration lease"
	case P3:
		return "the holder of the migration lease: the leading kube-controller-manager, or the CCM after an early hand-over"
	case P4:
		return "the CCM, while it holds the migration lease; the kube-controller-managers are external and run none of them"
	case P5:
		return "the CCM, under its own lease"
	case Unknown:
	}
	return ""
}

// Stays describes how long a cluster may stay at the position.
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

// AtLeast reports whether a step that leads to q is done. It is false for Unknown.
func (p Position) AtLeast(q Position) bool { return p != Unknown && p >= q }

// MarshalText returns the short name.
func (p Position) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText parses the short name.
func (p *Position) UnmarshalText(text []byte) error {
	for _, q := range append(All(), Unknown) {
		if strings.EqualFold(q.String(), string(text)) {
			*p = q
			return nil
		}
	}
	return fmt.Errorf("position %q is none of P0 to P5", text)
}
