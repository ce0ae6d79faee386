package fault

import (
	"slices"
	"strings"

	"github.com/agext/levenshtein"
)

// nearest returns the known words closest to a mistyped one. It returns nil if more than
// three are equally close.
func nearest(word string, known []string) []string {
	const maxWords = 3
	var found []string
	for limit := 1; limit <= maxTypos(word) && len(found) == 0; limit++ {
		found = filterWords(known, func(k string) bool {
			return levenshtein.Distance(strings.ToLower(word), strings.ToLower(k), nil) <= limit
		})
	}
	if len(found) == 0 && len(word) >= maxWords {
		found = filterWords(known, func(k string) bool { return strings.HasPrefix(strings.ToLower(k), strings.ToLower(word)) })
	}
	if len(found) > maxWords {
		return nil
	}
	return found
}

// maxTypos returns how many letters of a word may be wrong: one of three is a lot.
func maxTypos(word string) int {
	if len(word) <= 3 {
		return 1
	}
	return 2
}

func filterWords(words []string, fits func(string) bool) []string {
	var found []string
	for _, word := range words {
		if word != "" && fits(word) && !slices.Contains(found, word) {
			found = append(found, word)
		}
	}
	slices.Sort(found)
	return found
}

// Nearer returns second if only it names what the user probably meant, else first.
func Nearer(first, second error) error {
	one, known := As(first)
	if other, ok := As(second); ok && other.Near && (!known || !one.Near) {
		return second
	}
	return first
}

// DidYouMean returns a question that names the words closest to a mistyped one, or is empty.
func DidYouMean(word string, known []string) string {
	words := nearest(word, known)
	if len(words) == 0 {
		return ""
	}
	return "did you mean " + strings.Join(words, " or ") + "?"
}
