// Package trace lists the writes of a run, in the same words for the simulated cluster and the
// lab. Both are compared with the same files: a simulator that differs from the real components
// would cause other writes.
//
// It knows only the names that differ between clusters.
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
	Verb   string // HTTP method
	Path   string // with its query
	Object string // name of the written object; "" if unknown
}

var node = regexp.MustCompile(`/nodes/[^/]+`)

// pod matches the name of a pod of the CCM, which ends at random.
var pod = regexp.MustCompile(`/pods/aws-cloud-controller-manager-[^/]+`)

// ours matches lock and journal, and the requests that create them.
var ours = regexp.MustCompile(`/(leases|configmaps)/awsmigrate-[^/]+$|/namespaces/(fleet-default|cattle-global-data)/configmaps$|/leases$`)

// Lines returns the writes in order, without lock and journal, whose number depends on time.
// Consecutive requests of one kind are sorted and deduplicated, because Helm creates objects of
// one kind concurrently.
func Lines(writes []Write) []string {
	var lines []string
	begin := 0
	for _, w := range writes {
		path, _, _ := strings.Cut(w.Path, "?")
		if ours.MatchString(path) {
			continue
		}
		line := w.Server + " " + w.Verb + " " + pod.ReplaceAllString(node.ReplaceAllString(path, "/nodes/NODE"), "/pods/POD")
		if len(lines) > 0 && kind(lines[len(lines)-1]) != kind(line) {
			begin = len(lines)
		}
		lines = append(lines, line)
		slices.Sort(lines[begin:])
		lines = append(lines[:begin], slices.Compact(lines[begin:])...)
	}
	return lines
}

// kind returns a line without the name of its object.
func kind(line string) string {
	return line[:strings.LastIndexByte(line, '/')]
}

//go:embed testdata
var files embed.FS

// File returns the path of a scenario's lines below this folder; a scenario is for example "rke2".
func File(scenario string) string {
	return "testdata/" + strings.ReplaceAll(scenario, " ", "-") + ".txt"
}

// Wanted returns the lines of a scenario.
func Wanted(scenario string) ([]string, error) {
	text, err := files.ReadFile(File(scenario))
	if err != nil {
		return nil, fmt.Errorf("read the writes of %s: %w", scenario, err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n"), nil
}
