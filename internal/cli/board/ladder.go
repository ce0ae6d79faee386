package board

import (
	"github.com/awsmigrate/awsmigrate/internal/plaintext"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// Rungs are those of a position, also where there is no Unicode.
func Rungs(p position.Position, unicode bool) string {
	if unicode {
		return p.Rungs()
	}
	return plaintext.ASCII(p.Rungs())
}
