package plans

import (
	"regexp"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
)

const (
	keptPlans = 3
	// mostPlans is what all of them may have in one ConfigMap, in bytes.
	mostPlans = 1<<20 - 16<<10
)

// prune leaves room for one more.
func (p Store) prune(cm *corev1.ConfigMap, approved string) {
	type old struct {
		key  string
		made time.Time
	}
	var all []old
	for _, key := range keysOf(cm) {
		doc, err := read(cm, key)
		if err != nil {
			doc.Made = time.Time{} // what cannot be read goes first
		}
		if key != approved {
			all = append(all, old{key, doc.Made})
		}
	}
	slices.SortFunc(all, func(a, b old) int { return b.made.Compare(a.made) })
	for _, gone := range all[min(len(all), keptPlans-2):] {
		delete(cm.Data, gone.key)
		delete(cm.BinaryData, gone.key+packed)
	}
}

// ofHash are the keys of plans by their hash. What else is in the ConfigMap, such as the
// plan of a Job, is somebody else's.
var ofHash = regexp.MustCompile(`^[0-9a-f]{64}\.json$`)

func keysOf(cm *corev1.ConfigMap) []string {
	var keys []string
	for key := range cm.Data {
		keys = append(keys, key)
	}
	for key := range cm.BinaryData {
		keys = append(keys, strings.TrimSuffix(key, packed))
	}
	return slices.DeleteFunc(keys, func(key string) bool { return !ofHash.MatchString(key) })
}

func sizeOf(cm *corev1.ConfigMap) int {
	size := 0
	for key, text := range cm.Data {
		size += len(key) + len(text)
	}
	for key, binary := range cm.BinaryData {
		size += len(key) + len(binary)
	}
	return size
}
