package ownfile

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner/lock"
	"github.com/awsmigrate/awsmigrate/pkg/runner/retry"
)

// Lock combines the cluster's Lease with a lock on a file next to cluster.yml. rke itself locks
// nothing, and two runs on one file interleave. Every `rke up` inherits the file lock and holds
// it until its end. A run that starts after its predecessor was killed therefore waits for the
// predecessor's rke instead of starting a second one.
type Lock struct {
	Inner lock.Lock
	Path  string // of the lock file
	Owner lock.Owner
	Clock clock.WithTicker
	// Processes reports whether an owner is alive.
	Processes lock.Processes
	// Say shows the user why the run waits.
	Say func(string)

	file *os.File
}

// LockPath returns the path of the lock file of a cluster.yml.
func LockPath(config string) string { return config + ".awsmigrate.lock" }

// File returns the file that a child inherits, or nil if the lock is not held.
func (l *Lock) File() *os.File { return l.file }

// Busy reports whether a process holds the file lock: a run, or the rke of a killed run. This rke
// may just be restarting the only API server that rke's kubeconfig names.
func (l *Lock) Busy() bool {
	file, err := open(l.Path, os.O_RDWR)
	if err != nil {
		return false
	}
	defer func() { _ = file.Close() }() // releases the lock, too, if we got it
	free, err := tryLock(file)
	return err == nil && !free
}

const lockPoll = time.Second

// Settle implements lock.Lock: it waits for the rke of a killed run. A living run is left to Acquire,
// which names it.
func (l *Lock) Settle(ctx context.Context) (waited bool, err error) {
	for l.Busy() {
		owner, err := l.owner()
		if err != nil || !l.isDead(owner) {
			return waited, err
		}
		if !waited {
			l.Say(fmt.Sprintf("run %s was killed, and its rke still works; waiting for it to end", owner.Run))
		}
		if err := retry.Pause(ctx, l.Clock, lockPoll); err != nil {
			return waited, err
		}
		waited = true
	}
	return waited, nil
}

// Acquire implements lock.Lock.
func (l *Lock) Acquire(ctx context.Context) error {
	if err := l.Inner.Acquire(ctx); err != nil {
		return err
	}
	err := l.acquireFile(ctx)
	if err != nil {
		_ = l.Inner.Release(ctx)
	}
	return err
}

func (l *Lock) acquireFile(ctx context.Context) error {
	file, err := open(l.Path, os.O_CREATE|os.O_RDWR)
	if err != nil {
		return noLock(l.Path, err)
	}
	if err := l.take(ctx, file); err != nil {
		_ = file.Close()
		l.file = nil
		return err
	}
	return nil
}

// take locks the file once the rke of a killed run has ended.
func (l *Lock) take(ctx context.Context, file *os.File) error {
	for {
		if _, err := l.Settle(ctx); err != nil {
			return err
		}
		held, err := tryLock(file)
		if err != nil {
			return fmt.Errorf("lock %s: %w", l.Path, err)
		}
		if held {
			l.file = file
			return l.write()
		}
		owner, err := readOwner(file)
		if err != nil {
			return err
		}
		if !l.isDead(owner) { // else another run was killed since
			return l.heldBy(owner)
		}
	}
}

func (l *Lock) heldBy(owner lock.Owner) error {
	seen := "held by another process"
	if owner.Run != "" {
		seen = "held by " + owner.String()
	}
	return &fault.Error{Class: fault.Locked, Reason: "FileLocked", Object: "file " + l.Path, Seen: seen,
		Wanted: "no other run on this cluster.yml", Fix: "wait for that run to end, or stop it there"}
}

// isDead reports whether an owner is proven dead.
func (l *Lock) isDead(owner lock.Owner) bool {
	return owner.Run != "" && l.Processes != nil && lock.ProvenDead(owner, l.Owner, l.Processes)
}

// owner returns the owner that the lock file names. Its Run is "" if the file names none.
func (l *Lock) owner() (lock.Owner, error) {
	file, err := open(l.Path, os.O_RDONLY)
	if err != nil {
		return lock.Owner{}, noLock(l.Path, err)
	}
	defer func() { _ = file.Close() }()
	return readOwner(file)
}

// readOwner returns the owner that a lock file names. Its Run is "" if the file names none.
func readOwner(file *os.File) (lock.Owner, error) {
	text, err := io.ReadAll(io.NewSectionReader(file, 0, 1<<16))
	if err != nil {
		return lock.Owner{}, fmt.Errorf("read %s: %w", file.Name(), err)
	}
	var owner lock.Owner
	if json.Unmarshal(text, &owner) != nil {
		owner = lock.Owner{}
	}
	return owner, nil
}

func (l *Lock) write() error {
	text, err := json.Marshal(l.Owner)
	if err != nil {
		return fmt.Errorf("encode the owner of %s: %w", l.Path, err)
	}
	if err := l.file.Truncate(0); err != nil {
		return fmt.Errorf("write %s: %w", l.Path, err)
	}
	if _, err := l.file.WriteAt(text, 0); err != nil {
		return fmt.Errorf("write %s: %w", l.Path, err)
	}
	return nil
}

// Prove implements lock.Lock. The file lock cannot be lost during the life of this process.
func (l *Lock) Prove(ctx context.Context) error { return l.Inner.Prove(ctx) }

// Lost implements lock.Lock.
func (l *Lock) Lost() error { return l.Inner.Lost() }

// Release implements lock.Lock. The file remains: without it, two runs could lock two files of
// one name.
func (l *Lock) Release(ctx context.Context) error {
	if l.file != nil {
		_ = l.file.Close()
		l.file = nil
	}
	return l.Inner.Release(ctx)
}

func noLock(path string, err error) error {
	return &fault.Error{Class: fault.Usage, Reason: "NoFileLock", Object: "file " + path, Seen: "cannot be used as a lock",
		Wanted: "a regular file of the user who runs awsmigrate, with one name, in a folder that can be written",
		Fix:    "if another user put it there, find out why, and remove it while no awsmigrate works on this cluster.yml", Err: err}
}
