package rancher

import (
	"errors"
	"fmt"
	"sort"
	"strings"
)

// waitError means that the planner waits; it is no failure.
type waitError string

func (e waitError) Error() string { return string(e) }

// ignoreError is reported at the end of a pass and does not stop the pass.
type ignoreError string

func (e ignoreError) Error() string { return string(e) }

// waitingf returns a waitError.
func waitingf(format string, args ...any) error { return waitError(fmt.Sprintf(format, args...)) }

// keepIgnored removes an ignoreError from err and keeps the first one.
func keepIgnored(first, err error) (error, error) {
	if ig, ok := errors.AsType[ignoreError](err); ok {
		if first == nil {
			return ig, nil
		}
		return first, nil
	}
	return first, err
}

func atMostThree(names []string) string {
	names = append([]string(nil), names...)
	sort.Strings(names)
	if len(names) > 3 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:3], ","), len(names)-3)
	}
	return strings.Join(names, ",")
}

// groupMessage returns a prefix, up to three machine names, and the message if there is only
// one machine. Source: rancher/rancher:pkg/capr/planner/messages.go@v2.8.5.
func groupMessage(prefix string, names []string, messages map[string][]string) string {
	out := prefix + atMostThree(names)
	if len(names) == 1 && len(messages[names[0]]) > 0 {
		out += ": " + strings.Join(messages[names[0]], ", ")
	}
	return out
}
