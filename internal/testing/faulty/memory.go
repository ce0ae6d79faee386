package faulty

import "runtime"

// Allocated returns the bytes that f allocates, on the heap and by any goroutine. It counts
// what is freed again, and so bounds the memory that f needs from above.
func Allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
