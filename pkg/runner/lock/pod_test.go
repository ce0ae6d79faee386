package lock

import (
	"testing"
	"time"

	"k8s.io/client-go/rest"
)

func TestSucceeds(t *testing.T) {
	pod := Pod{UID: "uid-1", Container: "controller"}
	at := func(boot, pids string) Place { return Place{Boot: boot, PIDs: pids, Times: "time:[1]"} }
	for name, c := range map[string]struct {
		change func(owner, ours *Owner)
		want   bool
	}{
		"the next process of the container":       {nil, true},
		"its machine started again":               {func(owner, ours *Owner) { owner.Place.Boot, owner.Tick = "boot-0", 999 }, true},
		"its namespace has the number of before":  {func(owner, ours *Owner) { ours.Place = owner.Place }, true},
		"another container of the pod":            {func(_, ours *Owner) { ours.Pod.Container = "sidecar" }, false},
		"another pod":                             {func(_, ours *Owner) { ours.Pod.UID = "uid-2" }, false},
		"started in the container by exec":        {func(owner, ours *Owner) { ours.PID, ours.Place = 17, owner.Place }, false},
		"the owner was started by exec":           {func(owner, _ *Owner) { owner.PID = 17 }, false},
		"containers that share their process ids": {func(owner, ours *Owner) { owner.PID, ours.PID = 8, 9 }, false},
		"we are the one of before":                {func(owner, _ *Owner) { owner.Tick = 300 }, false},
		"we are the owner":                        {func(owner, ours *Owner) { *ours = *owner }, false},
		"clocks that are no one clock":            {func(owner, _ *Owner) { owner.Place.Times = "time:[2]" }, false},
		"no pod":                                  {func(owner, ours *Owner) { owner.Pod, ours.Pod = Pod{}, Pod{} }, false},
		"a pod without the container's name":      {func(owner, ours *Owner) { owner.Pod.Container, ours.Pod.Container = "", "" }, false},
		"the owner's place is not known":          {func(owner, _ *Owner) { owner.Place = Place{} }, false},
		"our place is not known":                  {func(_, ours *Owner) { ours.Place = Place{} }, false},
		"the owner's start is not known":          {func(owner, _ *Owner) { owner.Tick = 0 }, false},
		"our start is not known":                  {func(_, ours *Owner) { ours.Tick = 0 }, false},
	} {
		owner := Owner{PID: 1, Run: "run-1", Pod: pod, Place: at("boot-1", "pid:[1]"), Tick: 100}
		ours := Owner{PID: 1, Run: "run-2", Pod: pod, Place: at("boot-1", "pid:[2]"), Tick: 200}
		if c.change != nil {
			c.change(&owner, &ours)
		}
		if got := succeeds(ours, owner); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestIdentity_pod_isIncluded(t *testing.T) {
	o := Owner{User: "nonroot", Host: "awsmigrate-0", PID: 1, Run: "run-1", Start: time.Unix(1e9, 0).UTC(), Pod: Pod{UID: "uid-1", Container: "controller"}}
	if again, ok := parseOwner(o.Identity()); !ok || again != o {
		t.Errorf("%+v was read back as %+v", o, again)
	}
}

// podTests are those of a pod's containers, on an API server.
var podTests = map[string]func(*testing.T, *rest.Config){
	"the next process of a container takes the lock at once": podSucceeds,
	"another container of the pod watches the lock":          podSidecar,
}

// inPod is a contender in a container of one pod.
func inPod(t *testing.T, config *rest.Config, user, container string, tick uint64) contender {
	c := contend(t, config, user)
	c.owner.PID, c.owner.Pod = 1, Pod{UID: "uid-1", Container: container}
	c.owner.Place, c.owner.Tick = Place{Boot: "boot-1", PIDs: "pid:[" + user + "]"}, tick
	return c
}

// waitedAfter returns the wait of the second process for the lock that the first one left.
func waitedAfter(t *testing.T, mainPID, second contender) time.Duration {
	t.Helper()
	mustAcquire(t, mainPID)
	start := second.clock.Now()
	if _, err := second.acquire(t); err != nil {
		t.Fatal(err)
	}
	return second.waited(t, start)
}

func podSucceeds(t *testing.T, config *rest.Config) {
	if waited := waitedAfter(t, inPod(t, config, "alice", "controller", 100), inPod(t, config, "bob", "controller", 200)); waited > time.Second {
		t.Errorf("taken over after %s", waited)
	}
}

func podSidecar(t *testing.T, config *rest.Config) {
	if waited := waitedAfter(t, inPod(t, config, "alice", "controller", 100), inPod(t, config, "bob", "sidecar", 200)); waited < leaseDuration {
		t.Errorf("taken over after %s", waited)
	}
}
