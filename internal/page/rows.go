package page

import "strings"

// Row is one row of a table, with the table's headers and the section it is in.
type Row struct {
	Section string
	Heads   []string
	Cells   []string
}

// RowsOn returns the table rows of a document whose first cell contains word as code.
func RowsOn(markdown, word string) []Row {
	var found []Row
	section := ""
	for _, b := range blocksOf(markdown) {
		if b.kind == heading {
			section = b.text
		}
		if b.kind != table || len(b.rows) == 0 {
			continue
		}
		for _, row := range b.rows[1:] {
			if strings.Contains(row[0], "`"+word+"`") {
				found = append(found, Row{Section: section, Heads: b.rows[0], Cells: row})
			}
		}
	}
	return found
}

// SentencesOn returns the sentences of a document that contain word as code. It ignores the first
// cells of tables.
func SentencesOn(markdown, word string) []string {
	var found []string
	for _, b := range blocksOf(markdown) {
		texts := []string{b.text}
		for _, row := range b.rows {
			texts = append(texts, row[1:]...)
		}
		if b.kind == code || b.kind == heading {
			continue
		}
		for _, text := range texts {
			for _, sentence := range strings.SplitAfter(text, ". ") {
				if strings.Contains(sentence, "`"+word+"`") {
					found = append(found, strings.TrimSpace(sentence))
				}
			}
		}
	}
	return found
}

// Words returns the words that the first cells of a document's tables contain as code.
func Words(markdown string) []string {
	var words []string
	for _, b := range blocksOf(markdown) {
		for _, row := range b.rows {
			if parts := strings.Split(row[0], "`"); len(parts) > 2 {
				words = append(words, parts[1])
			}
		}
	}
	return words
}
