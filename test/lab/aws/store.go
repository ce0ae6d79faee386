package aws

import "slices"

// store keeps resources by ID in the order of their creation. The sequence number of a resource
// is its place in every paged answer, so that a page token remains valid when resources are
// created and deleted between two pages.
type store[T any] struct {
	byID  map[string]*entry[T]
	order []*entry[T]
	last  uint64
}

type entry[T any] struct {
	id    string
	seq   uint64
	value T
}

func newStore[T any]() *store[T] { return &store[T]{byID: map[string]*entry[T]{}} }

func (s *store[T]) has(id string) bool { return s.byID[id] != nil }

func (s *store[T]) get(id string) (T, bool) {
	if e := s.byID[id]; e != nil {
		return e.value, true
	}
	var none T
	return none, false
}

func (s *store[T]) put(id string, value T) {
	if e := s.byID[id]; e != nil {
		e.value = value
		return
	}
	s.last++
	e := &entry[T]{id: id, seq: s.last, value: value}
	s.byID[id] = e
	s.order = append(s.order, e)
}

func (s *store[T]) remove(id string) {
	delete(s.byID, id)
	s.order = slices.DeleteFunc(s.order, func(e *entry[T]) bool { return e.id == id })
}

func (s *store[T]) all() []T {
	out := make([]T, 0, len(s.order))
	for _, e := range s.order {
		out = append(out, e.value)
	}
	return out
}
