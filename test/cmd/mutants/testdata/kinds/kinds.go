// Package kinds has one place, or a few, for each kind of change.
package kinds

import (
	"errors"
	"fmt"
)

const (
	One = "one"
	Two = "two"
	Say = "a sentence is not swapped"
)

var errUnnamed = errors.New("no name")

type record struct {
	Names []string
	Count int
	Seen  string
}

func (r *record) add(name string, known bool) error {
	if name == "" {
		return errUnnamed
	}
	if known || r == nil {
		r.Count = 7
	}
	r.Names = append(r.Names, name)
	r.Seen = fmt.Sprintf("has %d names", len(r.Names)+1)
	return nil
}

func place(n int) (string, error) {
	switch n {
	case 3:
		return One, nil
	}
	return Two, nil
}

func label(r record) string {
	text := "no names"
	if len(r.Names) > 4 {
		text = "many names"
	}
	return text
}

func none() int { return -1 }
