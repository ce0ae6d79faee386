package likeness

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Trouble returns what a kubelet says of pods that do not start: a line for each state in which a
// container waits, and for each event. Pods that are being deleted are passed over, and a file that
// the API server refuses for a moment, because its authorizer has not seen the pod yet.
func Trouble(pods []corev1.Pod, events []corev1.Event) []string {
	names, lines := map[types.UID]*strings.Replacer{}, map[string]bool{}
	for _, pod := range pods {
		if pod.DeletionTimestamp != nil {
			continue
		}
		names[pod.UID] = strings.NewReplacer(pod.Name, "POD", string(pod.UID), "UID")
		for _, status := range pod.Status.ContainerStatuses {
			if waits := status.State.Waiting; waits != nil {
				lines[inGeneral(names[pod.UID], "waits: "+waits.Reason+": "+waits.Message)] = true
			}
		}
	}
	for _, e := range events {
		if of := names[e.InvolvedObject.UID]; of != nil && e.Source.Component == "kubelet" && !strings.Contains(e.Message, "no relationship found between node") {
			lines[inGeneral(of, "event: "+e.Type+" "+e.Reason+": "+e.Message)] = true
		}
	}
	return slices.Sorted(maps.Keys(lines))
}

var (
	pullFailure = regexp.MustCompile(`(rpc error: code = ).*`)
	backOff     = regexp.MustCompile(`(back-off )\S+( restarting)`)
)

// inGeneral replaces what differs from pod to pod, and why an image cannot be pulled: real machines of
// the tests reach no registry at all.
func inGeneral(of *strings.Replacer, line string) string {
	line = pullFailure.ReplaceAllString(of.Replace(line), "${1}CAUSE")
	return strings.TrimSuffix(backOff.ReplaceAllString(line, "${1}DELAY${2}"), ": ")
}
