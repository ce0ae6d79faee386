package rolling

import (
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// raceLimit is the maximum number of equal exits, seen by this run while the API server
// answered, that a race at the start can explain.
const raceLimit = 3

// Exits counts the exits of kube-controller-managers that this run saw, by ID. It counts only
// static pods, since rke's containers have no pod that shows exits.
type Exits map[string]exits

// exits counts the exits of one kube-controller-manager. It exits without a fault of its own
// if its API server is down for longer than a renew deadline. The restart count shows neither
// time nor cause, so exits near an outage do not count.
type exits struct {
	pod    string    // UID and manifest
	server time.Time // start of the API server on the same Node
	code   int32     // exit code of the last exit
	spared int32     // exits that do not count
	all    int32     // all exits
}

// count returns the number of exits that count.
func (e exits) count() int { return int(e.all - e.spared) }

// Next returns the counts after another reading. It does not change e.
func (e Exits) Next(snap migration.Snapshot) Exits {
	next := maps.Clone(e)
	if next == nil {
		next = Exits{}
	}
	for _, k := range snap.Reading.KCMs {
		next[k.ID] = e[k.ID].next(k, snap.Unseen)
	}
	return next
}

// next returns the counts after another reading. unseen reports whether the previous reading
// failed.
func (e exits) next(k migration.KCM, unseen bool) exits {
	if k.Pod == nil || len(k.Pod.Statuses) == 0 {
		return e
	}
	status := k.Pod.Statuses[0]
	now := exits{pod: k.Pod.UID + " " + k.Hash, all: status.Restarts, spared: e.spared, code: e.code}
	if k.Server != nil {
		now.server = k.Server.Started
	}
	if last := status.LastEnd(); last != nil {
		now.code = last.Code
		if status.HeldBack() {
			now.all++ // it exited and has not restarted yet
		}
	}
	answers := k.Server == nil || k.Server.Ready
	switch {
	case e.pod == "" && answers && status.Waiting != nil && now.all > raceLimit:
		now.spared = now.all - raceLimit // held back since before this run; one more exit proves a crash
	case e.pod != now.pod || !e.server.Equal(now.server) || !answers || unseen:
		now.spared = now.all
	case e.code != now.code && e.all > e.spared:
		now.spared = now.all - 1
	}
	return now
}

// Crash returns an error if a kube-controller-manager cannot start with its arguments. The
// rollout stops at its control plane, since Rancher's probes block the tier, and waiting does
// not help.
func (e Exits) Crash(snap migration.Snapshot) error {
	if snap.Outage { // it may only wait for an API server
		return nil
	}
	for _, k := range snap.Reading.KCMs {
		if k.Pod == nil || e[k.ID].count() <= raceLimit {
			continue
		}
		for _, status := range k.Pod.Statuses {
			last := status.LastEnd()
			if status.Ready || last == nil || !status.HeldBack() {
				continue
			}
			return &fault.Error{Class: fault.Check, Reason: "ComponentCrashes", Object: k.Name(),
				Seen:   fmt.Sprintf("exits with code %d, %s%s", last.Code, fault.Count(int(status.Restarts), "restart"), cause(k, snap.Reading.KCMs, last.Message)),
				Wanted: "a component that starts with its arguments: " + strings.Join(userArgs(k), " "),
				Fix: "read why: " + fault.Command("kubectl", "-n", wellknown.System, "logs", k.Pod.Name, "--previous") + "; correct the argument in " + snap.Reading.Object + "; " +
					"to go back remove enable-leader-migration there too, and leave the rest as it is"}
		}
	}
	return nil
}

// cause describes why a component exited. It returns the component's own message, or the
// arguments that no running one has. RKE2's static pods keep no message
// (rancher/rke2:pkg/staticpod/staticpod.go).
func cause(k migration.KCM, all []migration.KCM, message string) string {
	if line := lastLine(message); line != "" {
		return ": " + line
	}
	running := map[string]bool{}
	for _, other := range all {
		if other.Ready {
			for _, arg := range userArgs(other) {
				running[arg] = true
			}
		}
	}
	var own []string
	for _, arg := range userArgs(k) {
		if !running[arg] {
			own = append(own, arg)
		}
	}
	if len(running) == 0 || len(own) == 0 {
		return ""
	}
	return "; arguments that no running one has: " + strings.Join(own, " ")
}

// userArgs returns the arguments except paths of RKE2's own files.
func userArgs(k migration.KCM) []string {
	var args []string
	if k.Pod == nil {
		return nil
	}
	for _, arg := range k.Pod.Containers[0].Args {
		if !strings.Contains(arg, "=/var/lib/rancher/") {
			args = append(args, arg)
		}
	}
	return args
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}
