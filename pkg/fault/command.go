package fault

import (
	"regexp"
	"strings"
)

// plainWord is what every shell takes as it stands.
var plainWord = regexp.MustCompile(`^[\w@%+=:,./-]+$`)

// Command is a line that a shell takes as these words, whatever they hold: a name
// that came from a cluster, a file or a user is never a command of its own. Every
// command that is printed to be pasted is made here.
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
