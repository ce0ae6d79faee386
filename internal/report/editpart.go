package report

import (
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/record"
)

const (
	// maxDiffLines limits the lines of all diffs of a page, and maxLinesOfDiff those of one.
	maxDiffLines   = 4000
	maxLinesOfDiff = 400
	// maxEdits limits the changes of a page.
	maxEdits = 300
	// foldedDiff is the number of lines from which a diff is folded.
	foldedDiff = 24
)

// editPart holds one change with its diff.
type editPart struct {
	Step, Object string
	Note         string // how certain it is that it was written so
	Lines        []diffLine
	More         int // number of omitted lines
	Folded       bool
}

// diffLine is a line of a diff. Class is in, out, at (a location) or empty.
type diffLine struct{ Class, Text string }

// editParts returns the changes of a run, and the lines that remain of room.
func editParts(all []record.Edit, room int) (parts []editPart, left int) {
	for _, e := range all[:min(len(all), maxEdits)] {
		p := editPart{Step: e.Step, Object: strings.TrimSpace(e.Object + " " + e.Location), Note: "as the plan had it when the step began"}
		if e.Written {
			p.Note = "written"
		}
		var lines []string
		if e.Diff != "" {
			lines = strings.Split(e.Diff, "\n")
		}
		most := min(len(lines), maxLinesOfDiff, room)
		p.More, room = e.Left+len(lines)-most, room-most
		for _, line := range lines[:most] {
			p.Lines = append(p.Lines, diffLine{diffClass(line), line})
		}
		p.Folded = len(p.Lines) > foldedDiff
		parts = append(parts, p)
	}
	return parts, room
}

func diffClass(line string) string {
	switch {
	case strings.HasPrefix(line, "@@"):
		return "at"
	case strings.HasPrefix(line, "+"):
		return "in"
	case strings.HasPrefix(line, "-"):
		return "out"
	}
	return ""
}
