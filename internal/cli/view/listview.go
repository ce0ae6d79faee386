package view

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/internal/inventory"
	"github.com/awsmigrate/awsmigrate/internal/plaintext"
)

// ListDocument is the document of `list`.
type ListDocument struct {
	TypeMeta
	inventory.Fleet
	// Counts counts the clusters by state.
	Counts map[inventory.State]int `json:"counts"`
}

// NewList returns the document of a fleet.
func NewList(fleet inventory.Fleet) ListDocument {
	doc := ListDocument{TypeMeta: KindOf("ClusterList"), Fleet: fleet, Counts: map[inventory.State]int{}}
	for _, row := range fleet.Rows {
		doc.Counts[row.State]++
	}
	return doc
}

// listMarks shows a cluster's state without color.
var listMarks = map[inventory.State]string{
	inventory.None: "–", inventory.NotAsked: "·", inventory.NotBegun: "·", inventory.Begun: "◐", inventory.Locked: "◐",
	inventory.Done: "✓", inventory.Stopped: "!", inventory.Unknown: "?",
}

// listWords holds the words for the states in the line of counts, in order.
var listWords = []struct {
	state inventory.State
	words string
}{
	{inventory.Unknown, "could not be looked at"}, {inventory.Stopped, "stopped"}, {inventory.Locked, "with a run"}, {inventory.Begun, "begun"},
	{inventory.NotBegun, "not begun"}, {inventory.NotAsked, "not asked"}, {inventory.Done, "done"}, {inventory.None, "nothing to migrate"},
}

// Widths of the table's columns. A remark that does not fit on its row goes below it.
const (
	remarkWidth = 34 // fits "next undo-disable-leader-migration"
	minName     = 30 // of a name, even if no remark fits on its row then
	maxName     = 50
	maxCell     = 10 // of every other column
	indented    = "      "
)

// WriteList prints a table of clusters, the counts, and the next command.
func WriteList(streams console.Streams, doc ListDocument) {
	s := console.NewScreen(streams, streams.Out)
	if len(doc.Rows) == 0 {
		s.Line("no clusters")
	} else {
		writeClusters(s, doc.Rows)
		s.Line("")
		s.Prose("", listCounts(doc))
	}
	for _, stop := range doc.Unread {
		s.Prose("?  ", stopLine(stop))
	}
	for _, row := range doc.Rows {
		if row.Next != "" {
			s.Prose("", "no check was made: plan says what would stop a run, verify what is wrong")
			s.Line("next   %s", row.Next)
			break
		}
	}
}

// listCounts describes the number of clusters by state.
func listCounts(doc ListDocument) string {
	noun := "clusters"
	if len(doc.Rows) == 1 {
		noun = "cluster"
	}
	parts := []string{fmt.Sprintf("%d %s", len(doc.Rows), noun)}
	for _, one := range listWords {
		if n := doc.Counts[one.state]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, one.words))
		}
	}
	if doc.Rancher != "" {
		parts = append(parts, "Rancher "+doc.Rancher)
	}
	return strings.Join(parts, " · ")
}

func writeClusters(s console.Screen, rows []inventory.Row) {
	table := [][]string{{"", "cluster", "made by", "version", "provider", "at", "kept by"}}
	for _, row := range rows {
		table = append(table, listCells(s, row))
	}
	widths := columnWidths(table, s.Width)
	s.Line("%s", joinCells(s, table[0], widths))
	for i, row := range rows {
		writeCluster(s, joinCells(s, table[i+1], widths), s.Plain(remarkOf(row)))
	}
}

func writeCluster(s console.Screen, prefix, remark string) {
	if whole := prefix + remark; remark == "" || utf8.RuneCountInString(whole) <= s.Width {
		s.Line("%s", whole)
		return
	}
	s.Line("%s", prefix)
	for _, line := range console.TableRow(indented, remark, "", s.Width) {
		s.Line("%s", line)
	}
}

// listCells returns the columns of a row.
func listCells(s console.Screen, row inventory.Row) []string {
	name := row.Name
	if row.Namespace != "" {
		name = row.Namespace + "/" + name
	}
	if row.DisplayName != "" {
		name += " (" + row.DisplayName + ")"
	}
	cells := []string{listMarks[row.State], s.Plain(name)}
	for _, text := range []string{string(row.Distribution), row.Release(), providerCell(row), row.Position, ownerCell(row)} {
		cells = append(cells, plaintext.Clip(s.Plain(cmp.Or(text, "–")), maxCell, s.ASCII))
	}
	return cells
}

func providerCell(row inventory.Row) string {
	switch {
	case row.InTree && row.Mixed():
		return "mixed"
	case row.InTree:
		return "in-tree"
	}
	return row.Provider
}

func ownerCell(row inventory.Row) string {
	switch len(row.Owners) {
	case 0:
		return ""
	case 1:
		return row.Owners[0].Name
	}
	return fmt.Sprintf("%s +%d", row.Owners[0].Name, len(row.Owners)-1)
}

// gap is the number of blanks between two columns.
const gap = 2

// columnWidths returns the widths of the longest cells. A name is cut if its row would not fit, and down to
// minName if that makes room for a remark.
func columnWidths(table [][]string, width int) []int {
	widths := make([]int, len(table[0]))
	for _, cells := range table {
		for i, cell := range cells {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	rest := gap
	for i, w := range widths {
		if i != 1 {
			rest += w + gap
		}
	}
	widths[1] = min(widths[1], maxName, max(width-rest+gap, 1))
	if room := width - rest - remarkWidth; room >= minName {
		widths[1] = min(widths[1], room)
	}
	return widths
}

func joinCells(s console.Screen, cells []string, widths []int) string {
	var out strings.Builder
	for i, cell := range cells {
		cell = plaintext.Clip(cell, widths[i], s.ASCII)
		out.WriteString(cell + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)+gap))
	}
	return out.String()
}

// remarkOf returns what stops a cluster, else its next step, else "".
func remarkOf(row inventory.Row) string {
	var parts []string
	for _, stop := range row.Stops {
		parts = append(parts, stopLine(stop))
	}
	if m := row.Migration; m != nil {
		wanted := "goal " + m.Goal
		if m.State != "" {
			wanted += ", " + m.State
		}
		parts = append(parts, wanted)
	}
	if len(row.Stops) > 0 {
		return strings.Join(parts, "; ")
	}
	switch row.State {
	case inventory.NotBegun:
		parts = append(parts, "not begun")
	case inventory.Begun:
		parts = append(parts, "next "+string(row.Step))
	case inventory.Done:
		parts = append(parts, "done")
	case inventory.NotAsked:
		parts = append(parts, "not asked")
	case inventory.None, inventory.Locked, inventory.Stopped, inventory.Unknown:
	}
	return strings.Join(parts, "; ")
}

// stopLine returns a stop as one line.
func stopLine(stop inventory.Stop) string {
	if stop.Object == "" {
		return stop.Seen
	}
	return stop.Object + ": " + stop.Seen
}
