package view

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/internal/inventory"
	"github.com/awsmigrate/awsmigrate/pkg/fleet/rollout"
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
	{inventory.Unknown, "could not be checked"}, {inventory.Stopped, "stopped"}, {inventory.Locked, "with a run"}, {inventory.Begun, "begun"},
	{inventory.NotBegun, "not begun"}, {inventory.NotAsked, "not asked"}, {inventory.Done, "done"}, {inventory.None, "nothing to migrate"},
}

// listColumns returns the columns of the table. On a narrow screen the owner goes first, and the name stays.
func listColumns(width int) []console.Column {
	return []console.Column{
		{}, {Title: "cluster", Max: min(max(width/2, min(width-14, 30)), maxName)}, {Title: "made by", Rank: 4, Max: maxCell}, {Title: "version", Rank: 3, Max: maxCell},
		{Title: "provider", Rank: 2, Max: maxCell}, {Title: "at", Rank: 1, Max: maxCell}, {Title: "owner", Rank: 5, Max: maxCell},
	}
}

const (
	maxName = 50 // columns of a name in its column
	maxCell = 20 // of every other cell
	gap     = 2  // blanks before a remark
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
			s.Prose("", "no checks were run: `plan` shows what would stop a run, `verify` what is wrong")
			s.Command("next   ", row.Next)
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
	table := console.Table{Columns: listColumns(s.Paragraph())}
	for _, row := range rows {
		table.Rows = append(table.Rows, listCells(s, row))
	}
	table, dropped := s.Fitting(table)
	lines, columns := s.Lines(table), s.TableWidth(table)
	for i, row := range lines {
		remark := ""
		if i > 0 {
			remark = s.Plain(remarkOf(rows[i-1]))
		}
		writeCluster(s, row, remark, columns)
	}
	if len(dropped) > 0 {
		s.Prose("", "not shown at this width: "+strings.Join(dropped, ", "))
	}
}

// writeCluster prints a row, and its remark behind the columns of the table or below them.
func writeCluster(s console.Screen, row []string, remark string, columns int) {
	last := row[len(row)-1]
	whole := last + strings.Repeat(" ", max(columns-s.Columns(last), 0)+gap) + remark
	if remark != "" && (s.Width <= 0 || s.Columns(whole) <= s.Width) {
		row, remark = append(row[:len(row)-1:len(row)-1], whole), ""
	}
	for _, line := range row {
		s.Line("%s", line)
	}
	if remark != "" {
		s.Prose("      ", remark)
	}
}

// listCells returns the columns of a row.
func listCells(s console.Screen, row inventory.Row) []string {
	name := row.Name
	if row.Namespace != "" {
		name = row.Namespace + "/" + name
	}
	cells := []string{listMarks[row.State], s.Plain(rollout.ShownName(name, row.DisplayName))}
	for _, text := range []string{string(row.Distribution), row.Release(), providerCell(row), row.Position, ownerCell(row)} {
		cells = append(cells, s.Plain(cmp.Or(text, "–")))
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
