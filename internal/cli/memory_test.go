package cli

import (
	"runtime/debug"
	"testing"
)

func TestSaveMemory(t *testing.T) {
	before := debug.SetGCPercent(100)
	t.Cleanup(func() { debug.SetGCPercent(before) })
	for given, want := range map[string]int{"": garbage, "80": 100} {
		debug.SetGCPercent(100)
		SaveMemory(func(string) string { return given })
		if got := debug.SetGCPercent(100); got != want {
			t.Errorf("GOGC=%q: %d, want %d", given, got, want)
		}
	}
}
