package position

import "strings"

// Rungs is a position as the way there is: one rung for each that is reached, and one for
// each that is not; "" for none.
func (p Position) Rungs() string {
	if p < P0 || p > P5 {
		return ""
	}
	reached := int(p) + 1
	return strings.Repeat("●", reached) + strings.Repeat("○", len(All())-reached)
}

// Words say for people what holds at a position; "" where none is known.
func (p Position) Words() string {
	switch p {
	case P0:
		return "in-tree provider in charge, nothing changed"
	case P1:
		return "in-tree provider in charge, its migration lease allowed"
	case P2:
		return "in-tree provider in charge, ready to share by the migration lease"
	case P3:
		return "new controller installed, old one still in charge"
	case P4:
		return "new controller in charge, leader migration still on"
	case P5:
		return "new controller in charge, leader migration off"
	case Unknown:
	}
	return ""
}
