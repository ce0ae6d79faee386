package fault

import (
	"regexp"
	"strings"
)

// plainWord matches words that no shell interprets.
var plainWord = regexp.MustCompile(`^[\w@%+=:,./-]+$`)

// Command returns a line that a shell splits into exactly these words. A name from a cluster,
// a file or a user can therefore never run a command. Every command that we print for pasting
// is made here.
func Command(words ...string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		if !plainWord.MatchString(word) {
			word = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
		quoted[i] = word
	}
	return strings.Join(quoted, " ")
}
