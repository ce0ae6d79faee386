package board

import (
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// Rungs is a position as the way there is: one rung for each that is reached, and one
// for each that is not.
func Rungs(p position.Position, unicode bool) string {
	if p == position.Unknown {
		return ""
	}
	look := Look{Unicode: unicode}
	reached := int(p) + 1
	return strings.Repeat(look.full(), reached) + strings.Repeat(look.empty(), len(position.All())-reached)
}
