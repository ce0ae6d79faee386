package lock

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// A caller behind a hanging request returns when its own context ends, and gets the turn as
// soon as it is free.
func TestTake_hangingHolder_waitsForContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one := make(turn, 1)
		if err := one.take(t.Context()); err != nil {
			t.Fatal(err)
		}
		soon, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := one.take(soon); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a turn that is taken: %v", err)
		}
		go func() {
			<-time.After(time.Hour)
			one.give()
		}()
		if err := one.take(t.Context()); err != nil {
			t.Errorf("a turn that was given: %v", err)
		}
	})
}
