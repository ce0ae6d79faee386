package realkubelet

import (
	"slices"
	"sync"

	"github.com/awsmigrate/awsmigrate/pkg/record"
)

// Shown keeps what the recorder saw. It is a record.Sink.
type Shown struct {
	mu      sync.Mutex
	entries []record.Entry
}

// Put implements record.Sink.
func (s *Shown) Put(e record.Entry) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.entries = append(s.entries, e)
	return nil
}

// Entries are all that there are, in order.
func (s *Shown) Entries() []record.Entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.entries)
}

// Pod are the entries of the pods of one name.
func (s *Shown) Pod(name string) []record.Entry {
	return slices.DeleteFunc(s.Entries(), func(e record.Entry) bool { return e.Pod == nil || e.Pod.Name != name })
}

// Node are the entries of the machine's Node.
func (s *Shown) Node() []record.Entry {
	return slices.DeleteFunc(s.Entries(), func(e record.Entry) bool { return e.Node == nil || e.Node.Name != NodeName })
}
