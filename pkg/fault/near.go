package fault

import (
	"slices"
	"strings"

	"github.com/agext/levenshtein"
)

// near are the known words that somebody may have meant by another, the nearest first:
// three at most, and none where more are equally near.
func near(word string, known []string) []string {
	const most = 3
	var found []string
	for limit := 1; limit <= slips(word) && len(found) == 0; limit++ {
		found = filter(known, func(k string) bool {
			return levenshtein.Distance(strings.ToLower(word), strings.ToLower(k), nil) <= limit
		})
	}
	if len(found) == 0 && len(word) >= most {
		found = filter(known, func(k string) bool { return strings.HasPrefix(strings.ToLower(k), strings.ToLower(word)) })
	}
	if len(found) > most {
		return nil
	}
	return found
}

// slips are how many letters may be wrong: of a word of three, one is much.
func slips(word string) int {
	if len(word) <= 3 {
		return 1
	}
	return 2
}

func filter(words []string, fits func(string) bool) []string {
	var kept []string
	for _, word := range words {
		if word != "" && fits(word) && !slices.Contains(kept, word) {
			kept = append(kept, word)
		}
	}
	slices.Sort(kept)
	return kept
}

// DidYouMean asks for the words that are near; "": none is.
func DidYouMean(word string, known []string) string {
	near := near(word, known)
	if len(near) == 0 {
		return ""
	}
	return "did you mean " + strings.Join(near, " or ") + "?"
}
