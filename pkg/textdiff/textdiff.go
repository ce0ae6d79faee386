// Package textdiff compares two texts line by line, for people. It is a leaf. No other
// package knows which library it uses.
//
// The library (pmezard/go-difflib) is frozen and kept on purpose. We tried
// aymanbagabas/go-udiff: its toUnified adds the lines that join two edits to a hunk without
// counting them (aymanbagabas/go-udiff:unified.go@v0.4.1). Later hunks then have wrong
// numbers, and patch(1) applies them in the wrong place. It also pairs the wrong lines among
// repeated ones, as in lists of YAML. A replacement must pass TestUnified_randomTexts_apply.
package textdiff

import (
	"strings"

	"github.com/pmezard/go-difflib/difflib"
)

// context is the number of equal lines around a change.
const context = 3

// Unified returns a unified diff of two texts under one name, or is empty if they are equal.
// The text after the last line break counts as a line, even if empty, and may be part of a
// hunk.
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

// Sign describes the change of a line.
type Sign byte

const (
	// Equal marks a line of both texts.
	Equal Sign = ' '
	// Removed marks a line of the old text.
	Removed Sign = '-'
	// Added marks a line of the new text.
	Added Sign = '+'
)

// Line is a line of either text with its change.
type Line struct {
	Sign Sign
	Text string
}

// Lines returns all lines of two texts, in order. Removed lines precede the added lines that
// replace them.
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
