package main

import (
	"html"
	"strings"
	"unicode/utf8"
)

// goldenScreen is what the renderer of the board makes of the sample run in its tests, with
// colours.
const goldenScreen = "internal/cli/board/testdata/frame-120-colour.txt"

// A cell of the terminal, in pixels.
const (
	cellWidth  = 7.4
	cellHeight = 21
	screenTop  = 48
	screenLeft = 20
)

// boardStill is that screen as a terminal shows it: dark, wherever it is shown.
func boardStill(screen string) []byte {
	lines := strings.Split(strings.TrimRight(screen, "\n"), "\n")
	height := screenTop + len(lines)*cellHeight + 40
	c := newPicture(int(120*cellWidth)+2*screenLeft, height, "The board of a run", "What a terminal shows during the step switch-provider: "+plainText(lines))
	c.Raw("%s", `<style>.term{fill:#0d1117}.t{font:12.3px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#e6edf3;white-space:pre}`+
		`.t1{font-weight:700}.t2{fill:#8b949e}.t32{fill:#56d364}.t36{fill:#39c5cf}.tn{fill:#8b949e}</style>`)
	c.Raw("<rect width=\"%d\" height=\"%d\" rx=\"8\" class=\"term\"/>", c.Width, c.Height)
	for i, colour := range []string{"#ff5f57", "#febc2e", "#28c840"} {
		c.Raw("<circle cx=\"%d\" cy=\"22\" r=\"5.5\" fill=\"%s\"/>", 26+i*20, colour)
	}
	for i, line := range lines {
		c.terminalLine(screenTop+14+i*cellHeight, line)
	}
	c.Raw("<text x=\"%d\" y=\"%d\" class=\"t tn\">%s</text>", screenLeft, height-16, "a sample run, as the board's own renderer draws it at 120 columns")
	return c.SVG()
}

// terminalLine is one line with its colours. Each word has a place of its own, so that
// columns stand in any font.
func (c picture) terminalLine(y int, line string) {
	column, class := 0, "t"
	for i, piece := range strings.Split(line, "␛[") {
		if i > 0 {
			code, rest, _ := strings.Cut(piece, "m")
			class, piece = "t t"+code, rest
		}
		for _, word := range strings.SplitAfter(piece, " ") {
			if shown := strings.TrimRight(word, " "); shown != "" {
				c.Raw("<text x=\"%.1f\" y=\"%d\" class=\"%s\" textLength=\"%.1f\" lengthAdjust=\"spacingAndGlyphs\">%s</text>",
					screenLeft+float64(column)*cellWidth, y, class, float64(utf8.RuneCountInString(shown))*cellWidth, html.EscapeString(shown))
			}
			column += utf8.RuneCountInString(word)
		}
	}
}

// plainText are the lines without what colours them, as one text.
func plainText(lines []string) string {
	var words []string
	for _, line := range lines {
		for i, piece := range strings.Split(line, "␛[") {
			if i > 0 {
				_, piece, _ = strings.Cut(piece, "m")
			}
			words = append(words, strings.Fields(piece)...)
		}
	}
	return strings.Join(words, " ")
}
