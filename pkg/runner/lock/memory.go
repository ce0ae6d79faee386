package lock

import (
	"context"
	"sync"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

// Memory is a lock in the memory of this process; For returns a handle for each contender.
type Memory struct {
	mu     sync.Mutex
	holder *Owner
}

// For returns owner's handle of the lock.
func (m *Memory) For(owner Owner) Lock { return &memoryHandle{m: m, owner: owner} }

// Break frees the lock as if its holder had died.
func (m *Memory) Break() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.holder = nil
}

// Holder returns the holder of the lock, or nil.
func (m *Memory) Holder() *Owner {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.holder
}

type memoryHandle struct {
	m     *Memory
	owner Owner
}

// Settle implements Lock. A killed run leaves nothing behind.
func (h *memoryHandle) Settle(context.Context) (bool, error) { return false, nil }

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
		return &fault.Error{Class: fault.Locked, Reason: "LockLost", Object: "lock in memory", Seen: "it has no holder"}
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
