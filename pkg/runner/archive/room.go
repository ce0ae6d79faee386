package archive

import (
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

const (
	// maxTotal limits the size of all records of a cluster: the API server accepts 1 MiB of data
	// in a ConfigMap (k8s.io/kubernetes pkg/apis/core/validation, ValidateConfigMap); the rest is
	// for keys and for others' additions.
	maxTotal = 1<<20 - 16<<10
	// maxRecords limits their number.
	maxRecords = 20
)

// dropped returns the keys that must go to store a record under a key: that of its first runs
// alone, and as many of the oldest as necessary. Runs are named by their begin.
func dropped(sizes map[string]int, key string, size int) []string {
	var gone []string
	room, left := maxTotal-size, maxRecords-1
	for _, old := range slices.Backward(inOrder(sizes)) {
		switch {
		case old == key:
		case strings.HasPrefix(key, strings.TrimSuffix(old, ending)+between):
			gone = append(gone, old)
		case sizes[old] > room || left == 0:
			gone, left = append(gone, old), 0 // and all older ones
		default:
			room, left = room-sizes[old], left-1
		}
	}
	return gone
}

func inOrder[V any](byKey map[string]V) []string { return slices.Sorted(maps.Keys(byKey)) }

func sizes(cm *corev1.ConfigMap) map[string]int {
	all := map[string]int{}
	for key, packed := range cm.BinaryData {
		all[key] = len(packed)
	}
	return all
}

// keyOf returns the key of the record of some runs.
func keyOf(runs []string) string { return strings.Join(runs, between) + ending }

// runsOf returns the runs that a key names.
func runsOf(key string) []string { return strings.Split(strings.TrimSuffix(key, ending), between) }
