// Package trace says what a run wrote, in words that are the same on the
// simulated cluster and on the lab. Both are held against the same files: a
// simulator that drifted away from the real components would lead a run to
// other writes.
//
// It may know names that differ from cluster to cluster, and nothing else.
package trace

import (
	"embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Write is one request that changed something.
type Write struct {
	Server string // "management" or "downstream"
	Verb   string // of HTTP
	Path   string // of the request, with its query
}

var node = regexp.MustCompile(`/nodes/[^/]+`)

// ours are lock and journal, and the requests that make them.
var ours = regexp.MustCompile(`/(leases|configmaps)/awsmigrate-[^/]+$|/namespaces/(fleet-default|cattle-global-data)/configmaps$|/leases$`)

// Lines are the writes in their order, without lock and journal: how often those
// are written is a matter of time. Requests of one kind in a row are sorted, each
// once: Helm makes what is of one kind at once.
func Lines(writes []Write) []string {
	var lines []string
	begin := 0
	for _, w := range writes {
		path, _, _ := strings.Cut(w.Path, "?")
		if ours.MatchString(path) {
			continue
		}
		line := w.Server + " " + w.Verb + " " + node.ReplaceAllString(path, "/nodes/NODE")
		if len(lines) > 0 && kind(lines[len(lines)-1]) != kind(line) {
			begin = len(lines)
		}
		lines = append(lines, line)
		slices.Sort(lines[begin:])
		lines = append(lines[:begin], slices.Compact(lines[begin:])...)
	}
	return lines
}

// kind is a line without the name of its object.
func kind(line string) string {
	return line[:strings.LastIndexByte(line, '/')]
}

//go:embed testdata
var files embed.FS

// File is where the lines of a scenario are, such as "rke2", below this folder.
func File(scenario string) string {
	return "testdata/" + strings.ReplaceAll(scenario, " ", "-") + ".txt"
}

// Wanted are the lines of a scenario.
func Wanted(scenario string) ([]string, error) {
	text, err := files.ReadFile(File(scenario))
	if err != nil {
		return nil, fmt.Errorf("read the writes of %s: %w", scenario, err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n"), nil
}
