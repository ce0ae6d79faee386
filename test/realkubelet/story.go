package realkubelet

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/record"
)

// Story holds the entries of the pods with one name, and their processes.
type Story struct {
	Entries   []record.Entry
	Processes []Process
}

// Unsound returns the moments in which the product's rule would have called a process gone that
// was running or unknown.
func (s Story) Unsound() []string {
	var wrong []string
	for _, e := range s.Entries {
		for _, c := range e.Pod.Containers {
			if !c.Ended() {
				continue
			}
			p, known := s.process(c.ID)
			switch {
			case !known:
				wrong = append(wrong, fmt.Sprintf("container %q is called ended, but was never seen running", c.ID))
			case p.RanAt(e.At):
				wrong = append(wrong, fmt.Sprintf("container %s is called ended while process %d runs", c.ID, p.PID))
			}
		}
	}
	return wrong
}

// EndShown returns the time at which the end of a container was shown, by the product's rule.
func (s Story) EndShown(container string) (at time.Time, shown bool) {
	return s.first(func(p record.Pod) bool {
		return slices.ContainsFunc(p.Containers, func(c record.Container) bool { return c.Ended() && bareID(c.ID) == bareID(container) })
	})
}

// Invented returns the time at which the kubelet first called a container terminated because it
// found no trace of it.
func (s Story) Invented() (at time.Time, shown bool) {
	return s.first(func(p record.Pod) bool {
		return slices.ContainsFunc(p.Containers, func(c record.Container) bool { return c.State == record.Terminated && !c.Ended() })
	})
}

// ReadyIn returns the time at which a pod was first shown Ready with this container.
func (s Story) ReadyIn(container string) (at time.Time, shown bool) {
	return s.first(func(p record.Pod) bool { return p.Ready && !p.Gone && runsIn(p, container) })
}

// ReplacedIn returns the time at which a pod other than the first was shown Ready with this
// container: its object has the new manifest's hash. Earlier, the old pod may be shown with the
// new container.
func (s Story) ReplacedIn(container string) (at time.Time, shown bool) {
	return s.first(func(p record.Pod) bool {
		return p.Ready && !p.Gone && runsIn(p, container) && p.UID != s.Entries[0].Pod.UID
	})
}

// StartOf returns the start of the last shown pod, by its kubelet.
func (s Story) StartOf() time.Time { return s.Entries[len(s.Entries)-1].Pod.Started }

func (s Story) first(is func(record.Pod) bool) (time.Time, bool) {
	for _, e := range s.Entries {
		if is(*e.Pod) {
			return e.At, true
		}
	}
	return time.Time{}, false
}

// runsIn reports whether a pod is shown with this container running.
func runsIn(p record.Pod, container string) bool {
	return slices.ContainsFunc(p.Containers, func(c record.Container) bool {
		return c.State == record.Running && bareID(c.ID) == bareID(container)
	})
}

func (s Story) process(container string) (Process, bool) {
	i := slices.IndexFunc(s.Processes, func(p Process) bool { return p.Container == bareID(container) })
	if i < 0 {
		return Process{}, false
	}
	return s.Processes[i], true
}

// letter names a container for people: A is the first one that ran.
func (s Story) letter(container string) string {
	i := slices.IndexFunc(s.Processes, func(p Process) bool { return p.Container == bareID(container) })
	if i < 0 || i > 25 {
		return "an unseen container"
	}
	return string(rune('A' + i))
}

// States returns the states shown since from, in seconds relative to zero.
func (s Story) States(from, zero time.Time) string {
	var lines []string
	last, uids := "", map[string]bool{}
	for _, e := range s.Entries {
		line := s.phrase(*e.Pod, uids)
		if line == last {
			continue
		}
		if last = line; e.At.Before(from) {
			continue
		}
		lines = append(lines, fmt.Sprintf("%.1f s: %s", e.At.Sub(zero).Seconds(), line))
	}
	if len(lines) == 0 {
		return "nothing"
	}
	return strings.Join(lines, "; ")
}

// phrase describes one state of a pod.
func (s Story) phrase(p record.Pod, uids map[string]bool) string {
	uids[p.UID] = true
	pod := "pod"
	if len(uids) > 1 {
		pod = fmt.Sprintf("pod %d", len(uids))
	}
	if p.Gone {
		return pod + " is gone"
	}
	words := []string{pod}
	if p.Deleting {
		words = append(words, "is being deleted")
	}
	for i, c := range p.Containers {
		before := i < len(p.Containers)-1
		words = append(words, s.container(c, before))
	}
	if p.Ready {
		words = append(words, "Ready")
	} else {
		words = append(words, "not Ready")
	}
	return strings.Join(words, ", ")
}

func (s Story) container(c record.Container, before bool) string {
	prefix := ""
	if before {
		prefix = "before it "
	}
	switch {
	case c.State == record.Running:
		return prefix + s.letter(c.ID) + " running"
	case c.State == record.Waiting:
		return prefix + "waiting " + c.Reason
	case c.Ended():
		return fmt.Sprintf("%s%s terminated, exit %d", prefix, s.letter(c.ID), c.Exit)
	}
	return fmt.Sprintf("%sterminated, exit %d, %s, container ID %q", prefix, c.Exit, c.Reason, c.ID)
}

// Ran returns the processes with their times in seconds relative to zero.
func (s Story) Ran(zero time.Time) string {
	var lines []string
	for _, p := range s.Processes {
		line := s.letter(p.Container)
		if p.Seen.After(zero) {
			line += fmt.Sprintf(" from %.1f s", p.Seen.Sub(zero).Seconds())
		}
		switch {
		case p.Ended.IsZero():
			line += " on"
		default:
			line += fmt.Sprintf(" until %.1f s", p.Ended.Sub(zero).Seconds())
		}
		lines = append(lines, line)
	}
	if side := s.SideBySide(); side > 0 {
		lines = append(lines, fmt.Sprintf("two at once for %.1f s", side.Seconds()))
	}
	return strings.Join(lines, "; ")
}

// SideBySide returns the longest time for which two processes ran at once.
func (s Story) SideBySide() time.Duration {
	var longest time.Duration
	for i, a := range s.Processes {
		for _, b := range s.Processes[i+1:] {
			until := time.Now()
			for _, p := range []Process{a, b} {
				if !p.Ended.IsZero() && p.Ended.Before(until) {
					until = p.Ended
				}
			}
			longest = max(longest, until.Sub(b.Seen)) // b came later
		}
	}
	return longest
}
