package status

import (
	"encoding/json"

	"github.com/awsmigrate/awsmigrate/pkg/plaintext"
)

// prose returns text as one line of at most limit characters, for people. In JSON it takes at most
// twice as many bytes, although JSON needs six for some characters.
func prose(text string, limit int) string { return bounded(text, limit, 2*limit) }

// word returns a name or an ID, in which every character is one byte.
func word(text string, limit int) string { return bounded(text, limit, limit) }

func bounded(text string, characters, bytes int) string {
	if enough := 4 * (characters + 1); len(text) > enough { // a character has at most four bytes
		text = text[:enough]
	}
	text = plaintext.Line(text)
	for {
		kept := plaintext.Clip(text, characters, false)
		if size(kept)-len(`""`) <= bytes {
			return kept
		}
		characters = characters * 3 / 4
	}
}

// size returns the length of a value as the JSON that an API server stores.
func size(value any) int {
	encoded, err := json.Marshal(value)
	if err != nil {
		return 0 // cannot happen
	}
	return len(encoded)
}
