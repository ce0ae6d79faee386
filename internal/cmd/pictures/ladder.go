package main

import (
	"fmt"
	"strings"

	"github.com/awsmigrate/awsmigrate/internal/canvas"
	"github.com/awsmigrate/awsmigrate/internal/cli/board"
	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// A rung of the ladder and the way to the next one, in pixels.
const (
	rungHeight = 54
	rungWay    = 56
	rungLeft   = 20
	rungWidth  = 800
	wayOn      = 300 // where the arrow onwards is
	wayBack    = 560 // where the arrow back is
)

// ladder is every position with the steps that lead on and back.
func ladder() []byte {
	all := position.All()
	c := newPicture(840, 30+len(all)*(rungHeight+rungWay)+rungHeight, "Positions of a migration, and the steps between them", ladderInWords())
	before := procedure.StepInfos()
	y := 20
	for _, p := range all {
		c.rung(y, p)
		on, _ := procedure.StepsAt(p)
		_, back := procedure.StepsAt(p + 1)
		along := []string{}
		for len(before) > 0 && on != "" {
			id := before[0].ID
			before = before[1:]
			if id == on {
				break
			}
			along = append(along, string(id))
		}
		if on != "" {
			c.way(y+rungHeight, string(on), string(back), along)
		}
		y += rungHeight + rungWay
	}
	for _, rest := range before {
		c.noWayBack(y-rungWay, string(rest.ID), rest.Irreversible)
	}
	return c.SVG()
}

// rung is a position: how far it is, what holds there, and who runs the cloud controllers.
func (c picture) rung(y int, p position.Position) {
	runs, class := "kube-controller-manager", "kcm"
	if p.AtLeast(position.P4) {
		runs, class = "the CCM", "ccm"
	}
	c.Box(rungLeft, y, rungWidth, rungHeight, "box")
	c.Bar(rungLeft, float64(y)+6, 5, rungHeight-12, class)
	c.Text(rungLeft+20, y+24, "code bold", p.String())
	c.Text(rungLeft+56, y+24, "code dim", board.Rungs(p, true))
	c.Text(rungLeft+140, y+24, "", p.Words())
	c.Text(rungLeft+140, y+43, "small dim", p.Summary())
	c.Text(rungLeft+rungWidth-16, y+43, "small end "+class, "cloud controllers run in "+runs)
}

// way is the arrow on to the next position and the one back from it.
func (c picture) way(y int, on, back string, along []string) {
	c.Arrow("on", canvas.At(wayOn, y+4), canvas.At(wayOn, y+rungWay-4))
	if len(along) > 0 {
		c.Text(wayOn-14, y+24, "small dim end", strings.Join(along, ", ")+", then")
		c.Text(wayOn-14, y+41, "code on end", on)
	} else {
		c.Text(wayOn-14, y+33, "code on end", on)
	}
	if back != "" {
		c.Arrow("back", canvas.At(wayBack, y+rungWay-4), canvas.At(wayBack, y+4))
		c.Text(wayBack+14, y+33, "code back", back)
	}
}

// noWayBack is a step behind the last position.
func (c picture) noWayBack(y int, on, why string) {
	c.Arrow("on", canvas.At(wayOn, y+4), canvas.At(wayOn, y+rungWay-4))
	c.Text(wayOn-14, y+24, "small dim end", "if asked for:")
	c.Text(wayOn-14, y+41, "code on end", on)
	c.Box(rungLeft, y+rungWay, rungWidth, rungHeight-10, "inner")
	c.Text(rungLeft+20, y+rungWay+28, "bold", "No way back")
	c.Text(rungLeft+140, y+rungWay+28, "dim", why)
}

// ladderInWords says the picture to those who do not see it.
func ladderInWords() string {
	var words strings.Builder
	for _, p := range position.All() {
		fmt.Fprintf(&words, "%s: %s.", p, p.Words())
		if on, _ := procedure.StepsAt(p); on != "" {
			fmt.Fprintf(&words, " %s leads on.", on)
		}
		if _, back := procedure.StepsAt(p); back != "" {
			fmt.Fprintf(&words, " %s leads back.", back)
		}
		words.WriteString(" ")
	}
	return strings.TrimSpace(words.String())
}
