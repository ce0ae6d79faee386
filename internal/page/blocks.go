package page

import (
	"regexp"
	"strings"
)

type kind int

const (
	paragraph kind = iota
	heading
	item
	code
	table
)

// block is one block between blank lines, or one item of a list.
type block struct {
	kind  kind
	level int        // of a heading; of an item, its indentation
	mark  string     // of an item: "-" or "1."
	text  string     // in one line; of code, verbatim
	rows  [][]string // of a table, header row first
}

var (
	headingLine = regexp.MustCompile(`^(#{1,6}) +(.*)$`)
	itemLine    = regexp.MustCompile(`^( *)([-*]|\d+\.) +(.*)$`)
	tableRule   = regexp.MustCompile(`^\|[-:| ]+\|$`)
	anchor      = regexp.MustCompile(`<a id="[^"]*"></a>`)
)

// blocksOf parses a document.
func blocksOf(markdown string) []block {
	var all []block
	continues := false // whether the next line may continue the last block
	lines := strings.Split(markdown, "\n")
	for i := 0; i < len(lines); i++ {
		line := anchor.ReplaceAllString(lines[i], "")
		next, more := startBlock(line)
		switch {
		case strings.HasPrefix(strings.TrimSpace(line), "```"):
			var inside []string
			for i++; i < len(lines) && !strings.HasPrefix(strings.TrimSpace(lines[i]), "```"); i++ {
				inside = append(inside, lines[i])
			}
			all, continues = append(all, block{kind: code, text: strings.Join(inside, "\n")}), false
		case strings.TrimSpace(line) == "" || strings.HasPrefix(line, "<!--"):
			continues = false
		case strings.HasPrefix(line, "|"):
			if !continues || all[len(all)-1].kind != table {
				all = append(all, block{kind: table})
			}
			if last := &all[len(all)-1]; !tableRule.MatchString(line) {
				last.rows = append(last.rows, cells(line))
			}
			continues = true
		case next.kind != paragraph || !continues:
			all, continues = append(all, next), more
		default:
			all[len(all)-1].text += " " + strings.TrimSpace(line)
		}
	}
	return all
}

// startBlock returns the block that a line begins, and whether the next line may continue it.
func startBlock(line string) (block, bool) {
	if match := headingLine.FindStringSubmatch(line); match != nil {
		return block{kind: heading, level: len(match[1]), text: match[2]}, false
	}
	if match := itemLine.FindStringSubmatch(line); match != nil {
		return block{kind: item, level: len(match[1]), mark: match[2], text: match[3]}, true
	}
	return block{text: strings.TrimSpace(strings.TrimPrefix(line, ">"))}, true
}

// cells splits a table row at pipes that are neither escaped nor in code.
func cells(line string) []string {
	var all []string
	var cell strings.Builder
	inCode := false
	for _, r := range strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(line), "|"), "|") {
		switch {
		case r == '|' && !inCode && !strings.HasSuffix(cell.String(), `\`):
			all = append(all, unescape(cell.String()))
			cell.Reset()
			continue
		case r == '`':
			inCode = !inCode
		}
		cell.WriteRune(r)
	}
	return append(all, unescape(cell.String()))
}

func unescape(cell string) string {
	return strings.TrimSpace(strings.ReplaceAll(cell, `\|`, "|"))
}
