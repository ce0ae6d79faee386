package cli

import "runtime/debug"

// garbage is how much the heap may grow between two collections, in percent.
const garbage = 50

// SaveMemory has the garbage collector run twice as often as by default: jump hosts
// and CI runners are small, and an audit of 5,000 nodes is to stay under 150 MB.
// GOGC comes before it.
func SaveMemory(getenv func(string) string) {
	if getenv("GOGC") == "" {
		debug.SetGCPercent(garbage)
	}
}
