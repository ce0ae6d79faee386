package journal

import (
	"context"
	"strconv"
	"sync"
)

// Memory is a Journal in the memory of this process. It encodes every state like a journal in a
// cluster.
type Memory struct {
	mu      sync.Mutex
	content *storedJournal
	version int
}

const memoryObject = "journal in memory"

// Load implements Journal.
func (j *Memory) Load(ctx context.Context) (State, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.load(ctx)
}

func (j *Memory) load(ctx context.Context) (State, error) {
	if err := ctx.Err(); err != nil {
		return State{}, err
	}
	if j.content == nil {
		return State{}, nil
	}
	st, err := decode(*j.content, memoryObject)
	st.Version = strconv.Itoa(j.version)
	return st, err
}

// Commit implements Journal.
func (j *Memory) Commit(ctx context.Context, st *State) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	now, err := j.load(ctx)
	if err != nil {
		return err
	}
	if now.Version != st.Version {
		return Moved(memoryObject, now, nil)
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

// Versions returns the number of commits.
func (j *Memory) Versions() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.version
}
