package report

import (
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/record"
)

const (
	// mostDiffLines bounds the lines of all diffs of a page, and mostOfDiff those of one.
	mostDiffLines = 4000
	mostOfDiff    = 400
	// mostEdits bounds the changes of a page.
	mostEdits = 300
	// foldedDiff is from how many lines on a diff is folded.
	foldedDiff = 24
)

// editPart is one change, with its diff.
type editPart struct {
	Step, Object string
	Note         string // how sure it is that it was made so
	Lines        []diffLine
	More         int // lines that are not shown
	Folded       bool
}

// diffLine is a line of a diff. Class is in, out, at (where it is) or "".
type diffLine struct{ Class, Text string }

// editParts are the changes of a run; what is left of the room for lines is for others.
func editParts(all []record.Edit, room int) (parts []editPart, left int) {
	for _, e := range all[:min(len(all), mostEdits)] {
		p := editPart{Step: e.Step, Object: strings.TrimSpace(e.Object + " " + e.Location), Note: "as the plan had it when the step began"}
		if e.Written {
			p.Note = "written"
		}
		var lines []string
		if e.Diff != "" {
			lines = strings.Split(e.Diff, "\n")
		}
		most := min(len(lines), mostOfDiff, room)
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
