package position

import "strings"

// Rungs renders the position as ●●○○○○, one rung for each of P0 to P5, or returns "" if it is
// unknown.
func (p Position) Rungs() string {
	if p < P0 || p > P5 {
		return ""
	}
	reached := int(p) + 1
	return strings.Repeat("●", reached) + strings.Repeat("○", len(All())-reached)
}

// Words describes the position for people, or returns "" if it is unknown. Result.Words also
// knows which controller is in charge at P3.
func (p Position) Words() string {
	switch p {
	case P0:
		return "in-tree provider in charge, nothing changed"
	case P1:
		return "in-tree provider in charge, its migration lease allowed"
	case P2:
		return "in-tree provider in charge, ready to share by the migration lease"
	case P3:
		return "new controller installed, not every machine switched"
	case P4:
		return "new controller in charge, leader migration still on"
	case P5:
		return "new controller in charge, leader migration off"
	case Unknown:
	}
	return ""
}
