package faulty

import "runtime"

// Allocated returns the bytes that all goroutines allocate on the heap while f runs. It includes
// freed memory, so it is an upper bound of the memory that f needs.
func Allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
