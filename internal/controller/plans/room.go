package plans

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

const (
	keptPlans = 3
	// mostPlans is what all of them may have in one ConfigMap, in bytes.
	mostPlans = 1<<20 - 16<<10
)

// orderKey has the keys of the plans, in the order in which they were published.
const orderKey = "order"

// prune leaves room for one more. A published text that was changed stays: as long as it is
// there, no edition with its hash comes back.
func (p Store) prune(cm *corev1.ConfigMap, approved string) {
	order := strings.Fields(cm.Data[orderKey])
	all := slices.DeleteFunc(keysOf(cm), func(key string) bool {
		_, err := read(cm, key)
		return key == approved || err != nil && slices.Contains(order, key)
	})
	slices.SortFunc(all, func(a, b string) int { return slices.Index(order, b) - slices.Index(order, a) }) // unknown ones go first
	for _, gone := range all[min(len(all), keptPlans-2):] {
		delete(cm.Data, gone)
		delete(cm.BinaryData, gone+packed)
	}
}

// ordered returns the plain data of a ConfigMap with the order of its plans, of which key is
// the last.
func ordered(cm *corev1.ConfigMap, key string) map[string]string {
	data := maps.Clone(cm.Data)
	if data == nil {
		data = map[string]string{}
	}
	there := keysOf(cm)
	order := slices.DeleteFunc(strings.Fields(data[orderKey]), func(old string) bool { return old == key || !slices.Contains(there, old) })
	data[orderKey] = strings.Join(append(order, key), "\n")
	return data
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
