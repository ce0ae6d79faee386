// Package leaf has no tests of its own: those of the package above it have to notice.
package leaf

// Below says whether counting down from n ends at zero.
func Below(n int) bool {
	for {
		if n <= 0 {
			return n == 0
		}
		n--
	}
}
