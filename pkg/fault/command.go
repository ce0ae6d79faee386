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

// commandWord matches a word as Command writes it, and what follows it.
var commandWord = regexp.MustCompile(`^((?:'[^']*'|\\'|[\w@%+=:,./-]+)+)(?: |$)`)

// SplitCommand returns the words of a line that Command made, or false for any other line.
func SplitCommand(line string) (words []string, ok bool) {
	for rest := line; rest != ""; {
		found := commandWord.FindStringSubmatch(rest)
		if found == nil {
			return nil, false
		}
		word := found[1]
		if strings.HasPrefix(word, "'") {
			word = strings.ReplaceAll(word[1:len(word)-1], `'\''`, "'")
		}
		words, rest = append(words, word), rest[len(found[0]):]
	}
	return words, Command(words...) == line
}
