package fault

import "fmt"

// Count returns a number with its noun, for example "1 node" or "6 nodes". Nouns with an irregular
// plural are not supported.
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
