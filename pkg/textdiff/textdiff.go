// Package textdiff compares two texts line by line, for people. It is a leaf, and the one
// place that knows which library does it.
//
// The library (pmezard/go-difflib) is frozen, and kept. aymanbagabas/go-udiff was tried
// in its place: toUnified adds the lines that join two edits to a hunk and does not
// count them (aymanbagabas/go-udiff:unified.go@v0.4.1), so that the hunks behind it are
// numbered wrong and patch(1) puts them elsewhere; and among lines that repeat, as in
// lists of YAML, it pairs others. What replaces the library has to pass TestPatches.
package textdiff

import (
	"strings"

	"github.com/pmezard/go-difflib/difflib"
)

// context is how many equal lines stand around a change.
const context = 3

// Unified is a unified diff of two texts under one name; "" where they are equal.
// As the last line break begins a line of its own, that line may be part of a hunk.
func Unified(name, before, after string) string {
	if before == after {
		return ""
	}
	var out strings.Builder
	_ = difflib.WriteUnifiedDiff(&out, difflib.UnifiedDiff{ // a Builder takes everything
		A: difflib.SplitLines(before), B: difflib.SplitLines(after), FromFile: name, ToFile: name, Context: context,
	})
	return out.String()
}

// Sign says what becomes of a line.
type Sign byte

const (
	// Equal stays.
	Equal Sign = ' '
	// Removed goes.
	Removed Sign = '-'
	// Added comes.
	Added Sign = '+'
)

// Line is one line of either text.
type Line struct {
	Sign Sign
	Text string
}

// Lines are all lines of two texts, in order. Where lines are replaced, those that go
// come first.
func Lines(before, after []string) []Line {
	var out []Line
	add := func(sign Sign, lines []string) {
		for _, line := range lines {
			out = append(out, Line{sign, line})
		}
	}
	for _, op := range difflib.NewMatcher(before, after).GetOpCodes() {
		if op.Tag == 'e' {
			add(Equal, before[op.I1:op.I2])
			continue
		}
		add(Removed, before[op.I1:op.I2])
		add(Added, after[op.J1:op.J2])
	}
	return out
}
