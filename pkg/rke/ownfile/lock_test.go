package ownfile

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner/lock"
)

// freeLease replaces the Lease; it is always free.
type freeLease struct{ held atomic.Int32 }

func (l *freeLease) Acquire(context.Context) error        { l.held.Add(1); return nil }
func (l *freeLease) Settle(context.Context) (bool, error) { return false, nil }
func (l *freeLease) Prove(context.Context) error          { return nil }
func (l *freeLease) Lost() error                          { return nil }
func (l *freeLease) Release(context.Context) error        { l.held.Add(-1); return nil }

// table replaces the process table.
type table struct{ dead map[int]bool }

func (p table) Self() (lock.Place, uint64) { return lock.Place{Boot: "b", PIDs: "p"}, 1 }
func (p table) Alive(pid int, _ uint64) (alive, known bool) {
	return !p.dead[pid], true
}

func eventually(t *testing.T, what func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); <-time.After(10 * time.Millisecond) {
		if what() {
			return
		}
	}
	t.Fatal("did not happen")
}

func lockOf(path string, pid int, dead ...int) *Lock {
	p := table{dead: map[int]bool{}}
	for _, one := range dead {
		p.dead[one] = true
	}
	place, _ := p.Self()
	return &Lock{Inner: &freeLease{}, Path: path, Clock: clock.RealClock{}, Processes: p, Say: func(string) {},
		Owner: lock.Owner{PID: pid, Run: "run", Host: "h", Place: place, Tick: 7}}
}

func TestAcquire_lockedFile_oneOwner(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cluster.yml.awsmigrate.lock")
	first, second := lockOf(path, 100), lockOf(path, 200)
	if err := first.Acquire(t.Context()); err != nil {
		t.Fatal(err)
	}
	err := second.Acquire(t.Context())
	if f, ok := fault.As(err); !ok || f.Class != fault.Locked || f.Object != "file "+path {
		t.Fatalf("got %v", err)
	}
	if held := second.Inner.(*freeLease).held.Load(); held != 0 {
		t.Errorf("the Lease is still held %d times", held)
	}
	if !second.Busy() {
		t.Error("a lock that is held is not busy")
	}
	if err := first.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	if second.Busy() || lockOf(path+".none", 1).Busy() {
		t.Error("a free lock is busy")
	}
	if err := second.Acquire(t.Context()); err != nil {
		t.Errorf("after the release: %v", err)
	}
}

// A killed run leaves its rke running. The next run waits for it and does not start another.
func TestAcquire_childOfDeadRun_waits(t *testing.T) {
	dir := t.TempDir()
	path, going := filepath.Join(dir, "lock"), filepath.Join(dir, "going")
	killed := lockOf(path, 100)
	if err := killed.Acquire(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(going, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	child := exec.Command("sh", "-c", "while [ -e "+going+" ]; do sleep 0.05; done")
	child.ExtraFiles = []*os.File{killed.File()}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- child.Wait() }()
	_ = killed.file.Close() // the kernel does so when the run is killed

	// One run makes its plan first, another takes the lock at once.
	planning, next := lockOf(path, 200, 100), lockOf(path, 300, 100)
	var said atomic.Int32
	planning.Say = func(string) { said.Add(1) }
	next.Say = planning.Say
	settled, got := make(chan error, 1), make(chan error, 1)
	go func() {
		waited, err := planning.Settle(context.WithoutCancel(t.Context()))
		if err == nil && !waited {
			err = errors.New("it did not wait")
		}
		settled <- err
	}()
	go func() { got <- next.Acquire(context.WithoutCancel(t.Context())) }()
	eventually(t, func() bool { return said.Load() == 2 })
	select {
	case err := <-ended:
		t.Fatalf("the child did not wait: %v", err)
	case err := <-settled:
		t.Fatalf("planned while rke works: %v", err)
	case err := <-got:
		t.Fatalf("taken while rke works: %v", err)
	default:
	}
	if err := os.Remove(going); err != nil {
		t.Fatal(err)
	}
	if err := <-settled; err != nil {
		t.Errorf("planning: %v", err)
	}
	if err := <-got; err != nil {
		t.Errorf("after its end: %v", err)
	}
	if waited, err := planning.Settle(t.Context()); waited || err != nil {
		t.Errorf("a living owner: waited %t, %v", waited, err)
	}
}

func TestAcquire_readOnlyFolder_error(t *testing.T) {
	l := lockOf(filepath.Join(t.TempDir(), "no", "lock"), 1)
	if err := l.Acquire(t.Context()); fault.ClassOf(err) != fault.Usage {
		t.Errorf("got %v", err)
	}
}
