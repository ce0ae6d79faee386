package lock

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// Whoever waits for a turn behind a request that hangs is ended by its own context,
// and gets the turn when it is free.
func TestTurnIsWaitedForAsLongAsAContextAllows(t *testing.T) {
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
