package fleet_test

import (
	"encoding/json"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// measureSpeed does the same piece of work each second until the returned function is called, which
// returns its average CPU time. Other guests of the host change the CPU time of the same work by a
// fifth, so that the CPU times of two benchmarks compare only with this one. The work allocates no
// memory: the collector of this process takes less of a thread's time the more clusters it simulates.
func measureSpeed(b *testing.B) (average func() time.Duration) {
	b.Helper()
	text := []byte("[" + strings.Repeat(`{"name":"a line of a manifest","generation":27},`, 500) + "null]")
	ending, taken := make(chan struct{}), make(chan time.Duration)
	go func() {
		runtime.LockOSThread() // not unlocked: the thread ends with this goroutine
		var sum, n time.Duration
		for tick := time.NewTicker(time.Second); ; n++ {
			select {
			case <-ending:
				taken <- sum / max(n, 1)
				return
			case <-tick.C:
			}
			before := threadTime()
			for range 10 {
				if !json.Valid(text) {
					panic("the text is no JSON")
				}
			}
			sum += threadTime() - before
		}
	}()
	return func() time.Duration { close(ending); return (<-taken).Round(time.Microsecond) }
}

// threadTime returns the CPU time of this thread (getrusage(2)).
func threadTime() time.Duration {
	const thread = 1 // RUSAGE_THREAD
	var u syscall.Rusage
	if err := syscall.Getrusage(thread, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
