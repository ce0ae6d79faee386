package lock

import (
	"context"
	"sync"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// Memory is a lock that lives as long as the process; For gives each
// contender its own handle.
type Memory struct {
	mu     sync.Mutex
	holder *Owner
}

// For is the lock as owner sees it.
func (m *Memory) For(owner Owner) Lock { return &memoryHandle{m: m, owner: owner} }

// Break frees the lock whoever holds it, as if its holder had died.
func (m *Memory) Break() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.holder = nil
}

// Holder is who holds the lock, nil if nobody does.
func (m *Memory) Holder() *Owner {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.holder
}

type memoryHandle struct {
	m     *Memory
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
		return heldBy("lock in memory", *h.m.holder, "")
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
	return heldBy("lock in memory", *h.m.holder, "")
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
