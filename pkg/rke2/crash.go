package rke2

import (
	"fmt"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rancher"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// crashLimit is how many equal ends of a component, seen by this run while its API
// server answered, may be a start that raced something else.
const crashLimit = 3

// exits is what this run saw of the ends of one kube-controller-manager. It ends by
// itself when its API server is away for longer than a renew deadline, and its count
// of restarts tells neither when nor why: such ends do not count.
type exits struct {
	pod    string // UID and manifest
	server string // start of the API server on the same Node
	code   int32  // of the last end
	spared int32  // ends that do not count
	all    int32
}

// count is how many ends of the same kind there were.
func (e exits) count() int { return int(e.all - e.spared) }

// next takes a reading in. unseen: the reading before it failed.
func (e exits) next(k migration.KCM, unseen bool) exits {
	if k.Pod == nil || len(k.Pod.Statuses) == 0 {
		return e
	}
	status := k.Pod.Statuses[0]
	now := exits{pod: k.Pod.UID + " " + k.Hash, server: rancher.StartedAt(k.Server), all: status.Restarts, spared: e.spared, code: e.code}
	if last := status.LastEnd(); last != nil {
		now.code = last.Code
		if status.HeldBack() {
			now.all++ // it has ended, and was not started again
		}
	}
	answers := k.Server == nil || k.Server.Ready
	switch {
	case e.pod == "" && answers && status.Waiting != nil && now.all > crashLimit:
		now.spared = now.all - crashLimit // held back when this run began: one more end tells
	case e.pod != now.pod || e.server != now.server || !answers || unseen:
		now.spared = now.all
	case e.code != now.code && e.all > e.spared:
		now.spared = now.all - 1
	}
	return now
}

// crashed names a control plane whose kube-controller-manager cannot start with
// its arguments: the roll stands still there by itself, since Rancher's probes
// block the tier, and waiting does not help.
func (b *Backend) crashed(seen migration.Snapshot) error {
	for _, k := range seen.Reading.KCMs {
		b.exits[k.ID] = b.exits[k.ID].next(k, seen.Unseen)
	}
	return crashOf(seen.Reading.KCMs, b.exits, seen.Outage)
}

// crashOf is pure. outage: a reading failed less than a back-off ago, and what stands
// still may do so for that.
func crashOf(kcms []migration.KCM, seen map[string]exits, outage bool) error {
	for _, k := range kcms {
		if k.Pod == nil || outage || seen[k.ID].count() <= crashLimit {
			continue
		}
		for _, status := range k.Pod.Statuses {
			last := status.LastEnd()
			if status.Ready || last == nil || !status.HeldBack() {
				continue
			}
			return &fault.Error{Class: fault.Check, Reason: "ComponentCrashes", Object: k.Name(),
				Seen:   fmt.Sprintf("exits with code %d, %d restarts%s", last.Code, status.Restarts, why(k, kcms, last.Message)),
				Wanted: "a component that starts with its arguments: " + strings.Join(userArgs(k), " "),
				Fix: "read why: " + fault.Command("kubectl", "-n", wellknown.System, "logs", k.Pod.Name, "--previous") + "; correct the argument in Rancher's Cluster object; " +
					"to go back remove enable-leader-migration there too, and leave the rest as it is"}
		}
	}
	return nil
}

// why is what the component said at its end. RKE2's static pods keep no such
// message (rancher/rke2:pkg/staticpod/staticpod.go); then it is what sets the
// component apart from those that run.
func why(k migration.KCM, all []migration.KCM, message string) string {
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

// userArgs are the arguments that are not file paths of RKE2's own.
func userArgs(k migration.KCM) []string {
	var args []string
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
