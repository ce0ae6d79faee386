package console

import "strings"

// Column is a column of a table.
type Column struct {
	Title string
	// Rank is the column's importance. If a row has no room for all columns, the one with the highest rank
	// goes first. A column of rank 0 stays.
	Rank int
	// Max is the width that it reserves at most, or 0 for any. The row continues below a longer cell.
	Max int
}

// Table holds cells below columns. It is written without cutting a cell.
type Table struct {
	Columns []Column
	Rows    [][]string
}

// Fitting returns the table without the columns for which a line has no room, and their titles.
func (l Layout) Fitting(t Table) (Table, []string) {
	var dropped []string
	for l.Width > 0 && l.TableWidth(t) > l.Width {
		at := leastImportant(t.Columns)
		if at < 0 {
			break
		}
		dropped = append(dropped, t.Columns[at].Title)
		t = without(t, at)
	}
	return t, dropped
}

// leastImportant returns the index of the column to drop first, or -1 if all must stay.
func leastImportant(columns []Column) int {
	at := -1
	for i, c := range columns {
		if c.Rank > 0 && (at < 0 || c.Rank > columns[at].Rank) {
			at = i
		}
	}
	return at
}

// without returns a table without one column.
func without(t Table, at int) Table {
	next := Table{Columns: append(append([]Column{}, t.Columns[:at]...), t.Columns[at+1:]...)}
	for _, row := range t.Rows {
		next.Rows = append(next.Rows, append(append([]string{}, row[:at]...), row[at+1:]...))
	}
	return next
}

// Lines returns the lines of each row, those of the titles first.
func (l Layout) Lines(t Table) [][]string {
	widths := l.widths(t)
	titles := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		titles[i] = c.Title
	}
	all := [][]string{l.join(titles, widths)}
	for _, row := range t.Rows {
		all = append(all, l.join(row, widths))
	}
	return all
}

// join returns the lines of a row. After a cell that is longer than its column, the others continue below. A
// cell without room on its line goes below, too.
func (l Layout) join(cells []string, widths []int) []string {
	var lines []string
	line, at := "", 0 // where the column begins
	for i, cell := range cells {
		switch {
		case at > belowIndent && l.Width > 0 && at+l.Columns(cell) > l.Width:
			lines = append(append(lines, line), l.Row(strings.Repeat(" ", belowIndent), cell, "")...)
			line = ""
		default:
			line += strings.Repeat(" ", max(at-l.Columns(line), 0)) + cell
		}
		at += widths[i] + gap
		if i+1 < len(cells) && line != "" && l.Columns(cell) > widths[i] {
			lines = append(lines, line)
			line = ""
		}
	}
	if line = strings.TrimRight(line, " "); line != "" || lines == nil {
		lines = append(lines, line)
	}
	return lines
}

// widths returns the width of each column.
func (l Layout) widths(t Table) []int {
	widths := make([]int, len(t.Columns))
	for i, c := range t.Columns {
		widths[i] = l.Columns(c.Title)
		for _, row := range t.Rows {
			if n := l.Columns(row[i]); c.Max == 0 || n <= c.Max || l.Width <= 0 {
				widths[i] = max(widths[i], n)
			}
		}
	}
	return widths
}

// TableWidth returns the columns that a table uses, without those of longer cells.
func (l Layout) TableWidth(t Table) int {
	all := -gap
	for _, w := range l.widths(t) {
		all += w + gap
	}
	return all
}
