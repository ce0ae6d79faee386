package bench

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// child has this binary measure a command instead of being a test. Every contender
// is a process of its own, so that its memory is its own.
const child = "AWSMIGRATE_BENCH_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(child) != "" {
		os.Exit(measureChild(os.Args[1:]))
	}
	os.Exit(m.Run())
}

// usage is what a process and all that it waited for took.
type usage struct {
	Seconds float64 // wall clock
	CPU     float64 // user and system
	Peak    int64   // bytes resident at most, of the largest process
	Code    int     // the process's exit code
	Output  []byte
}

// measureChild runs a command and writes its usage as the last line. It stands
// between the benchmark and the command because Linux counts the memory of
// whoever starts a process as that process's own, until it has one: the starter
// has to be small.
func measureChild(args []string) int {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stderr = os.Stderr
	var output bytes.Buffer
	cmd.Stdout = &output
	start := time.Now()
	err := cmd.Run()
	took := time.Since(start)
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	r, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return 1
	}
	_ = json.NewEncoder(os.Stdout).Encode(usage{
		Seconds: took.Seconds(), CPU: (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(),
		Peak: r.Maxrss * 1024, // Linux gives kilobytes
		Code: cmd.ProcessState.ExitCode(), Output: output.Bytes(),
	})
	return 0
}
