package runner

import (
	"context"
	"strconv"
	"sync"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// MemoryJournal is a Journal that lives as long as the process. Every state
// goes through the same encoding as in a cluster.
type MemoryJournal struct {
	mu      sync.Mutex
	content *stored
	version int
}

const memoryObject = "journal in memory"

// Load implements Journal.
func (j *MemoryJournal) Load(ctx context.Context) (JournalState, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.load(ctx)
}

func (j *MemoryJournal) load(ctx context.Context) (JournalState, error) {
	if err := ctx.Err(); err != nil {
		return JournalState{}, err
	}
	if j.content == nil {
		return JournalState{}, nil
	}
	st, err := decode(*j.content, memoryObject)
	st.Version = strconv.Itoa(j.version)
	return st, err
}

// Commit implements Journal.
func (j *MemoryJournal) Commit(ctx context.Context, st *JournalState) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	now, err := j.load(ctx)
	if err != nil {
		return err
	}
	if now.Version != st.Version {
		return journalMoved(memoryObject, now, nil)
	}
	content, err := encode(*st, memoryObject)
	if err != nil {
		return err
	}
	j.content = &content
	j.version++
	st.Version = strconv.Itoa(j.version)
	return nil
}

// Versions is how many commits there were.
func (j *MemoryJournal) Versions() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.version
}

// MemoryLock is a lock that lives as long as the process; For gives each
// contender its own handle.
type MemoryLock struct {
	mu     sync.Mutex
	holder *Owner
}

// For is the lock as owner sees it.
func (m *MemoryLock) For(owner Owner) Lock { return &memoryHandle{m: m, owner: owner} }

// Break frees the lock whoever holds it, as if its holder had died.
func (m *MemoryLock) Break() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.holder = nil
}

// Holder is who holds the lock, nil if nobody does.
func (m *MemoryLock) Holder() *Owner {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.holder
}

type memoryHandle struct {
	m     *MemoryLock
	owner Owner
}

// Acquire implements Lock.
func (h *memoryHandle) Acquire(ctx context.Context) error {
	h.m.mu.Lock()
	defer h.m.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	if h.m.holder != nil && h.m.holder != &h.owner {
		return lockedBy("lock in memory", *h.m.holder, "")
	}
	h.m.holder = &h.owner
	return nil
}

// Prove implements Lock.
func (h *memoryHandle) Prove(ctx context.Context) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return h.Lost()
}

// Lost implements Lock.
func (h *memoryHandle) Lost() error {
	h.m.mu.Lock()
	defer h.m.mu.Unlock()
	switch {
	case h.m.holder == &h.owner:
		return nil
	case h.m.holder == nil:
		return &fault.Error{Class: fault.Locked, Reason: "LockLost", Object: "lock in memory", Seen: "nobody holds it any more"}
	}
	return lockedBy("lock in memory", *h.m.holder, "")
}

// Release implements Lock.
func (h *memoryHandle) Release(context.Context) error {
	h.m.mu.Lock()
	defer h.m.mu.Unlock()
	if h.m.holder == &h.owner {
		h.m.holder = nil
	}
	return nil
}
