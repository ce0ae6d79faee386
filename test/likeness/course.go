package likeness

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
)

// gone is the state of an object that does not exist.
const gone = "gone"

// Course holds the changes of state that a client saw of Nodes, mirror pods and leases. A state is
// described by what awsmigrate judges; objects of one kind share their changes. Machines
// that join are of a kind of their own.
type Course struct {
	mu      sync.Mutex
	begun   time.Time // zero until every object of the beginning was seen
	joined  map[string]bool
	now     map[string]moment
	changes map[string]Delay
}

// moment is a state since a time.
type moment struct {
	state string
	since time.Time
}

// Delay is how often a change was seen, and how long the state before it had lasted.
type Delay struct {
	Times       int
	Least, Most time.Duration
}

// NewCourse returns an empty course.
func NewCourse() *Course {
	return &Course{joined: map[string]bool{}, now: map[string]moment{}, changes: map[string]Delay{}}
}

// Begin says that every object of the beginning was seen.
func (c *Course) Begin(at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.begun = at
}

// Node adds what was seen of a Node at a time.
func (c *Course) Node(at time.Time, node *corev1.Node) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.see(at, c.of(node.Name)+"Node", "node/"+node.Name, nodeState(node))
}

// Pod adds what was seen of a pod at a time, or that it is gone. Pods that are no mirror pods are
// passed over.
func (c *Course) Pod(at time.Time, pod *corev1.Pod, isGone bool) {
	if _, mirror := pod.Annotations[corev1.MirrorPodAnnotationKey]; !mirror {
		return
	}
	state := gone
	if !isGone {
		state = podState(pod)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.see(at, c.of(pod.Spec.NodeName)+"pod "+pod.Labels["component"], "pod/"+pod.Name, state)
}

// Lease adds what was seen of a leader's lease at a time, or that it is gone.
func (c *Course) Lease(at time.Time, lease *coordinationv1.Lease, isGone bool) {
	if strings.HasPrefix(lease.Name, "kube-apiserver-") || strings.HasPrefix(lease.Name, "awsmigrate-") {
		return // of no leader, and of the run
	}
	state := "held"
	switch holder := lease.Spec.HolderIdentity; {
	case isGone:
		state = gone
	case holder == nil || *holder == "":
		state = "free"
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.see(at, "lease "+lease.Name, "lease/"+lease.Name, state)
}

// of returns the beginning of the kind of what belongs to a Node. A Node joined if it was not seen at
// the beginning; its pods may be seen before it.
func (c *Course) of(node string) string {
	if _, known := c.now["node/"+node]; !known && !c.begun.IsZero() {
		c.joined[node] = true
	}
	if c.joined[node] {
		return "joined "
	}
	return ""
}

// see adds a change if the state of an object differs from the last one. Before the beginning, an
// object may be one that was not listed yet; after it, it was gone.
func (c *Course) see(at time.Time, kind, object, state string) {
	last, known := c.now[object]
	if !known && !c.begun.IsZero() {
		last, known = moment{gone, c.begun}, true
	}
	if known && last.state == state {
		return
	}
	c.now[object] = moment{state, at}
	if !known {
		return
	}
	line, lasted := fmt.Sprintf("%s: %s → %s", kind, last.state, state), at.Sub(last.since)
	delay, seen := c.changes[line]
	if !seen {
		delay.Least = lasted
	}
	c.changes[line] = Delay{delay.Times + 1, min(delay.Least, lasted), max(delay.Most, lasted)}
}

// Lines returns the changes, sorted, without Known ones.
func (c *Course) Lines() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.DeleteFunc(slices.Sorted(maps.Keys(c.changes)), isKnown)
}

// Merge adds the changes of one more migration to a record, which is empty before the first one.
func Merge(record, seen []string) []string {
	if len(record) == 0 {
		return seen
	}
	var out []string
	for _, line := range record {
		if !slices.Contains(seen, line) && !strings.HasPrefix(line, atTimes) {
			line = atTimes + line
		}
		out = append(out, line)
	}
	for _, line := range seen {
		if !slices.Contains(record, line) && !slices.Contains(record, atTimes+line) {
			out = append(out, atTimes+line)
		}
	}
	slices.Sort(out)
	return out
}

// Delays returns the changes with how often they were seen, and how long the state before them
// lasted.
func (c *Course) Delays() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []string
	for line, delay := range c.changes {
		out = append(out, fmt.Sprintf("%s: %d times, after %.1f to %.1f s", line, delay.Times, delay.Least.Seconds(), delay.Most.Seconds()))
	}
	return slices.Sorted(slices.Values(out))
}

// nodeState omits taints of roles, a cordon, and what the node lifecycle controller derives from
// conditions, later.
func nodeState(node *corev1.Node) string {
	state := "without a status"
	for _, condition := range node.Status.Conditions {
		if condition.Type == corev1.NodeReady {
			state = map[corev1.ConditionStatus]string{corev1.ConditionTrue: "Ready", corev1.ConditionFalse: "not Ready", corev1.ConditionUnknown: "silent"}[condition.Status]
		}
	}
	var taints []string
	for _, taint := range node.Spec.Taints {
		if !strings.HasPrefix(taint.Key, "node.kubernetes.io/") && !strings.HasPrefix(taint.Key, "node-role.kubernetes.io/") {
			taints = append(taints, taint.Key+":"+string(taint.Effect))
		}
	}
	slices.Sort(taints)
	return strings.Join(append([]string{state}, taints...), " ")
}

// podState tells no reasons: whether a client sees each depends on the moments of the kubelet's
// writes.
func podState(pod *corev1.Pod) string {
	if pod.DeletionTimestamp != nil {
		return "to be deleted"
	}
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodReady && condition.Status == corev1.ConditionTrue {
			return "ready"
		}
	}
	return "not ready"
}
