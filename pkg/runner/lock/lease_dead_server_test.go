package lock

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/internal/testing/faulty"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

var deadTests = map[string]func(*testing.T, *rest.Config){
	"killed and taken over at once":          deadTakenOver,
	"alive and not taken over":               deadIsAlive,
	"killed on another host is watched":      deadElsewhere,
	"a last renewal comes between":           deadRenewsOnce,
	"another run is faster":                  deadTakenByAnother,
	"proven alive and silent, is waited for": deadIsSilent,
	"alive on a clone of this machine":       deadOnAClone,
}

// elder starts a helper that holds the lock of this test.
func elder(t *testing.T, config *rest.Config, host string, duration time.Duration) *helper {
	return startHelper(t, holding{
		Server: config.Host, CA: config.CAFile, Token: config.BearerToken, Name: faulty.Name(t), Host: host, Duration: duration, Machine: machine(t),
	})
}

// machine returns the directory of the Witness that all runs of a test share.
func machine(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(filepath.Dir(t.TempDir()), "machine")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

// waited returns how long c waited for the lock by its own clock.
func (c contender) waited(t *testing.T, start time.Time) time.Duration {
	t.Helper()
	lease := c.read(t)
	if lease.Spec.AcquireTime == nil {
		t.Fatalf("never taken: %+v", lease.Spec)
	}
	return lease.Spec.AcquireTime.Sub(start)
}

func deadTakenOver(t *testing.T, config *rest.Config) {
	p := elder(t, config, "h", leaseDuration)
	c := contend(t, config, "bob")
	c.Processes, c.Witness = HostProcesses(), files{machine(t)}
	if o, ok := parseOwner(holder(c.read(t))); !ok || o.PID != p.pid() || !o.Place.known() || o.Tick == 0 {
		t.Fatalf("the lock of process %d: %+v", p.pid(), o)
	}
	p.kill()
	start := c.clock.Now()
	if _, err := c.acquire(t); err != nil {
		t.Fatal(err)
	}
	if waited := c.waited(t, start); waited > time.Second {
		t.Errorf("taken over after %s", waited)
	}
	if n := *c.read(t).Spec.LeaseTransitions; n != 2 {
		t.Errorf("%d transitions", n)
	}
}

func deadIsAlive(t *testing.T, config *rest.Config) {
	p := elder(t, config, "h", 6*time.Second) // renews every second
	c, _ := faulty.Client(t, config)
	l := NewLease(c, "default", faulty.Name(t), Owner{User: "bob", Host: "h", PID: os.Getpid(), Run: "run-bob"}, clock.RealClock{})
	l.Processes, l.Witness = HostProcesses(), files{machine(t)}
	faulty.WantClass(t, l.Acquire(t.Context()), fault.Locked, "alice on h", fmt.Sprintf("pid %d", p.pid()), "run-alice")
}

func deadElsewhere(t *testing.T, config *rest.Config) {
	p := elder(t, config, "elsewhere", leaseDuration)
	p.kill()
	c := contend(t, config, "bob")
	c.Processes, c.Witness = HostProcesses(), files{machine(t)}
	start := c.clock.Now()
	if _, err := c.acquire(t); err != nil {
		t.Fatal(err)
	}
	if waited := c.waited(t, start); waited < leaseDuration {
		t.Errorf("taken over after %s", waited)
	}
}

// known returns a contender on a machine with a process table.
func known(t *testing.T, config *rest.Config, user string, processes table) contender {
	processes.here = Place{Boot: "boot-1", PIDs: "pid:[1]"}
	c := contend(t, config, user)
	c.owner.Place, c.owner.Tick, c.Processes, c.Witness = processes.here, 100, processes, files{machine(t)}
	return c
}

func deadIsSilent(t *testing.T, config *rest.Config) {
	a := known(t, config, "alice", table{})
	b := known(t, config, "bob", table{alive: true, known: true})
	mustAcquire(t, a)
	start := b.clock.Now()
	if _, err := b.acquire(t); err != nil {
		t.Fatal(err)
	}
	if waited := b.waited(t, start); waited < leaseDuration {
		t.Errorf("taken over after %s", waited)
	}
}

// A machine that was resumed from the same memory snapshot has the owner's boot id, host name
// and namespaces, and not its process. The owner lives on the other one, and renews.
func deadOnAClone(t *testing.T, config *rest.Config) {
	a := known(t, config, "alice", table{})
	for name, at := range map[string]string{"that it left before the run began": t.TempDir(), "that it left while the run worked": machine(t) + "-2"} {
		mustAcquire(t, a)
		if err := os.CopyFS(machine(t)+"-2", os.DirFS(machine(t))); err != nil {
			t.Fatal(err)
		}
		a.clock.Step(time.Second)
		if err := a.renew(t.Context()); err != nil { // since the clone was made
			t.Fatal(err)
		}
		b := known(t, config, "bob", table{known: true})
		b.Witness = files{at}
		start := b.clock.Now()
		if _, err := b.acquire(t); err != nil {
			t.Fatal(err)
		}
		if waited := b.waited(t, start); waited < leaseDuration {
			t.Errorf("on a clone %s: taken over after %s", name, waited)
		}
		if err := errors.Join(b.Release(t.Context()), os.RemoveAll(machine(t)+"-2")); err != nil {
			t.Fatal(err)
		}
	}
}

func deadRenewsOnce(t *testing.T, config *rest.Config) {
	a := known(t, config, "alice", table{})
	mustAcquire(t, a)
	asked := 0
	b := known(t, config, "bob", table{known: true, asked: func(int, uint64) {
		if asked++; asked == 1 { // a request that was under way when alice died
			if err := a.turn.take(t.Context()); err != nil {
				t.Fatal(err)
			}
			defer a.turn.give()
			a.clock.Step(time.Second)
			if err := a.renew(t.Context()); err != nil {
				t.Error(err)
			}
		}
	}})
	start := b.clock.Now()
	if _, err := b.acquire(t); err != nil {
		t.Fatal(err)
	}
	if waited := b.waited(t, start); asked != 2 || waited > 10*time.Second {
		t.Errorf("asked %d times, taken over after %s", asked, waited)
	}
}

func deadTakenByAnother(t *testing.T, config *rest.Config) {
	a := known(t, config, "alice", table{})
	mustAcquire(t, a)
	carol := known(t, config, "carol", table{known: true})
	carol.owner.Place = Place{} // bob cannot know whether she lives
	b := known(t, config, "bob", table{known: true, asked: func(int, uint64) { mustAcquire(t, carol) }})
	_, err := carol.while(func() error {
		_, err := b.acquire(t)
		return err
	})
	faulty.WantClass(t, err, fault.Locked, "run-carol")
}
