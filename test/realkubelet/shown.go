package realkubelet

import (
	"slices"
	"sync"

	"github.com/awsmigrate/awsmigrate/pkg/record"
)

// Shown stores the recorder's entries. It is a record.Sink.
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

// Entries returns all entries in order.
func (s *Shown) Entries() []record.Entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.entries)
}

// Pod returns the entries of the pods with one name.
func (s *Shown) Pod(name string) []record.Entry {
	return slices.DeleteFunc(s.Entries(), func(e record.Entry) bool { return e.Pod == nil || e.Pod.Name != name })
}

// Node returns the entries of the machine's Node.
func (s *Shown) Node() []record.Entry {
	return slices.DeleteFunc(s.Entries(), func(e record.Entry) bool { return e.Node == nil || e.Node.Name != NodeName })
}
