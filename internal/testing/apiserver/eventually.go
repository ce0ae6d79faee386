package apiserver

import (
	"testing"
	"time"
)

// Eventually waits until ok returns true, since authorizers and policies lag behind writes.
func Eventually(tb testing.TB, ok func() bool) {
	tb.Helper()
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	deadline := time.After(5 * time.Minute)
	for !ok() {
		select {
		case <-ticker.C:
		case <-deadline:
			tb.Fatal("never came true")
		}
	}
}
