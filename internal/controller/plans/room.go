package plans

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

const (
	maxPlans = 3
	// maxPlansSize is the maximum size of all plans in one ConfigMap, in bytes.
	maxPlansSize = 1<<20 - 16<<10
)

// orderKey holds the keys of the plans in order of publication.
const orderKey = "order"

// prune removes old plans to make room for one more. It keeps altered texts: as long as one
// exists, no edition with its hash is published again.
func (p Store) prune(cm *corev1.ConfigMap, approved string) {
	order := strings.Fields(cm.Data[orderKey])
	all := slices.DeleteFunc(keysOf(cm), func(key string) bool {
		_, err := read(cm, key)
		return key == approved || err != nil && slices.Contains(order, key)
	})
	slices.SortFunc(all, func(a, b string) int { return slices.Index(order, b) - slices.Index(order, a) }) // unknown ones first
	for _, gone := range all[min(len(all), maxPlans-2):] {
		delete(cm.Data, gone)
		delete(cm.BinaryData, gone+packedSuffix)
	}
}

// orderedData returns the plain data of a ConfigMap with key as the last in the order of plans.
func orderedData(cm *corev1.ConfigMap, key string) map[string]string {
	data := maps.Clone(cm.Data)
	if data == nil {
		data = map[string]string{}
	}
	there := keysOf(cm)
	order := slices.DeleteFunc(strings.Fields(data[orderKey]), func(old string) bool { return old == key || !slices.Contains(there, old) })
	data[orderKey] = strings.Join(append(order, key), "\n")
	return data
}

// planKeyPattern matches the keys of plans. Other keys of the ConfigMap, such as the plan of a Job,
// belong to other writers.
var planKeyPattern = regexp.MustCompile(`^[0-9a-f]{64}\.json$`)

func keysOf(cm *corev1.ConfigMap) []string {
	var keys []string
	for key := range cm.Data {
		keys = append(keys, key)
	}
	for key := range cm.BinaryData {
		keys = append(keys, strings.TrimSuffix(key, packedSuffix))
	}
	return slices.DeleteFunc(keys, func(key string) bool { return !planKeyPattern.MatchString(key) })
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
