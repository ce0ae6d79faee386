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

// raceLimit is the number of equal ends of a component, seen by this run while its API
// server answered, that a start which races something else can explain.
const raceLimit = 3

// Exits counts the ends of kube-controller-managers that this run saw, by their IDs. Only
// static pods count: what rke starts has no pod that shows its ends.
type Exits map[string]exits

// exits counts the ends of one kube-controller-manager. It ends without a fault of its own
// when its API server is away for longer than a renew deadline, and its count of restarts
// tells neither when nor why: such ends do not count.
type exits struct {
	pod    string    // UID and manifest
	server time.Time // start of the API server on the same Node
	code   int32     // of the last end
	spared int32     // ends that do not count
	all    int32
}

// count returns the number of ends of the same kind.
func (e exits) count() int { return int(e.all - e.spared) }

// Next returns the count after another reading. It leaves e as it was.
func (e Exits) Next(seen migration.Snapshot) Exits {
	next := maps.Clone(e)
	if next == nil {
		next = Exits{}
	}
	for _, k := range seen.Reading.KCMs {
		next[k.ID] = e[k.ID].next(k, seen.Unseen)
	}
	return next
}

// next returns the count after another reading; unseen: the reading before it failed.
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
			now.all++ // it has ended, and was not started again
		}
	}
	answers := k.Server == nil || k.Server.Ready
	switch {
	case e.pod == "" && answers && status.Waiting != nil && now.all > raceLimit:
		now.spared = now.all - raceLimit // held back when this run began: one more end tells
	case e.pod != now.pod || !e.server.Equal(now.server) || !answers || unseen:
		now.spared = now.all
	case e.code != now.code && e.all > e.spared:
		now.spared = now.all - 1
	}
	return now
}

// Crash returns an error that names a control plane whose kube-controller-manager cannot
// start with its arguments, or nil. The rollout stops there: Rancher's probes block the
// tier, and waiting does not help.
func (e Exits) Crash(seen migration.Snapshot) error {
	if seen.Outage { // what does not start may wait for an API
		return nil
	}
	for _, k := range seen.Reading.KCMs {
		if k.Pod == nil || e[k.ID].count() <= raceLimit {
			continue
		}
		for _, status := range k.Pod.Statuses {
			last := status.LastEnd()
			if status.Ready || last == nil || !status.HeldBack() {
				continue
			}
			return &fault.Error{Class: fault.Check, Reason: "ComponentCrashes", Object: k.Name(),
				Seen:   fmt.Sprintf("exits with code %d, %d restarts%s", last.Code, status.Restarts, cause(k, seen.Reading.KCMs, last.Message)),
				Wanted: "a component that starts with its arguments: " + strings.Join(userArgs(k), " "),
				Fix: "read why: " + fault.Command("kubectl", "-n", wellknown.System, "logs", k.Pod.Name, "--previous") + "; correct the argument in " + seen.Reading.Object + "; " +
					"to go back remove enable-leader-migration there too, and leave the rest as it is"}
		}
	}
	return nil
}

// cause describes why a component ended: by its own message, or, since RKE2's static pods
// keep none (rancher/rke2:pkg/staticpod/staticpod.go), by the arguments that no running
// one has.
func cause(k migration.KCM, all []migration.KCM, message string) string {
	if said := lastLine(message); said != "" {
		return ": " + said
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

// userArgs returns the arguments that are not paths of RKE2's own files.
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
