package board

import (
	"github.com/awsmigrate/awsmigrate/pkg/plaintext"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// Rungs returns the rungs of a position, in ASCII if the terminal has no Unicode.
func Rungs(p position.Position, unicode bool) string {
	if unicode {
		return p.Rungs()
	}
	return plaintext.ASCII(p.Rungs())
}
