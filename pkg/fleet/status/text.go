package status

import (
	"encoding/json"

	"github.com/awsmigrate/awsmigrate/internal/plaintext"
)

// prose is text for people, of so many characters at most: one line, and no more than
// twice as many bytes of JSON, which has six for some characters.
func prose(text string, most int) string { return bounded(text, most, 2*most) }

// word is a name or an ID, of which every character is one byte.
func word(text string, most int) string { return bounded(text, most, most) }

func bounded(text string, characters, bytes int) string {
	if enough := 4 * (characters + 1); len(text) > enough { // no character has more than four bytes
		text = text[:enough]
	}
	text = plaintext.Line(text)
	for {
		kept := plaintext.Clip(text, characters, false)
		if size(kept) <= bytes {
			return kept
		}
		characters = characters * 3 / 4
	}
}

// size is what a text has in JSON as an API server stores it.
func size(text string) int {
	encoded, err := json.Marshal(text)
	if err != nil {
		return len(text) // no text fails
	}
	return len(encoded) - len(`""`)
}
