package observer

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// klogLine matches a klog text line: Lmmdd hh:mm:ss.uuuuuu threadid file:line] message. The
// thread ID is the process ID (k8s.io/klog/v2: klog.go, formatHeader).
var klogLine = regexp.MustCompile(`^[IWEF](\d\d)(\d\d) (\d\d):(\d\d):(\d\d)\.(\d{6})\s+(\d+) ([^:\]]+):\d+\] (.*)$`)

type logLine struct {
	time time.Time
	pid  int
	file string
	text string
}

// parseLine parses one line. klog writes local time without a year; near is any moment within
// half a year of it.
func parseLine(line string, near time.Time, zone *time.Location) (logLine, bool) {
	m := klogLine.FindStringSubmatch(line)
	if m == nil {
		return logLine{}, false
	}
	n := func(i int) int {
		v, _ := strconv.Atoi(m[i]) // digits, by the expression
		return v
	}
	at := func(year int) time.Time {
		return time.Date(year, time.Month(n(1)), n(2), n(3), n(4), n(5), n(6)*1000, zone)
	}
	best := at(near.In(zone).Year())
	for _, year := range []int{best.Year() - 1, best.Year() + 1} {
		if other := at(year); other.Sub(near).Abs() < best.Sub(near).Abs() {
			best = other
		}
	}
	return logLine{time: best, pid: n(7), file: m[8], text: m[9]}, true
}

var startedLine = regexp.MustCompile(`^Started "([^"]+)"$`)

// startedController parses a component's own start line. Both components write `Started
// "<name>"` from controllermanager.go (k8s.io/kubernetes@v1.26:
// cmd/kube-controller-manager/app, k8s.io/cloud-provider@v0.26, v0.28: app).
func (l logLine) startedController() (string, bool) {
	if l.file != "controllermanager.go" {
		return "", false
	}
	m := startedLine.FindStringSubmatch(l.text)
	if m == nil {
		return "", false
	}
	return controllerOf(m[1])
}

// routesOff reports whether the route controller logs that it ends at once.
func (l logLine) routesOff() bool {
	return strings.HasPrefix(l.text, "Will not configure cloud provider routes")
}
