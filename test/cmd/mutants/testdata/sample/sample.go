// Package sample is made mutants of: one function is tested, one is not.
package sample

import (
	"fmt"

	"github.com/awsmigrate/awsmigrate/test/cmd/mutants/testdata/sample/leaf"
)

// Tested says whether a is below b.
func Tested(a, b int) bool {
	return a < b
}

// Untested says whether a is above b.
func Untested(a, b int) bool {
	return a > b
}

// Above needs what is below it.
func Above(n int) bool { return leaf.Below(n) }

// Size says how many there are.
func Size(n int) string {
	if n == 1 {
		return "is alone"
	}
	return fmt.Sprintf("has %d beside it", n-1)
}

type box struct{ full bool }

// String is for people.
func (b box) String() string {
	if b.full && !false {
		return "full"
	}
	return "empty"
}
