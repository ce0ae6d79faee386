package bench

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime/pprof"
	"syscall"
	"testing"
	"time"

	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/internal/cli"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/aws"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks"
	"github.com/awsmigrate/awsmigrate/pkg/verify/kube"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// child names what this binary is to be instead of a test. Every contender is a
// process of its own, so that its memory is its own.
const child = "AWSMIGRATE_BENCH_CHILD"

func TestMain(m *testing.M) {
	switch os.Getenv(child) {
	case "measure":
		os.Exit(measureChild(os.Args[1:]))
	case "audit":
		os.Exit(auditChild())
	}
	os.Exit(m.Run())
}

// usage is what a process and all that it waited for took.
type usage struct {
	Seconds float64 // wall clock
	CPU     float64 // user and system
	Peak    int64   // bytes resident at most, of the largest process
	Output  []byte
}

// measureChild runs a command and writes its usage as the last line. It stands
// between the benchmark and the command because Linux counts the memory of
// whoever starts a process as that process's own, until it has one: the starter
// has to be small.
func measureChild(args []string) int {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), child+"="+os.Getenv("AWSMIGRATE_BENCH_GRANDCHILD"))
	cmd.Stderr = os.Stderr
	var tail last
	cmd.Stdout = &tail
	start := time.Now()
	err := cmd.Run()
	took := time.Since(start)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	r, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return 1
	}
	_ = json.NewEncoder(os.Stdout).Encode(usage{
		Seconds: took.Seconds(), CPU: (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(),
		Peak: r.Maxrss * 1024, Output: tail.kept, // Linux gives kilobytes
	})
	return 0
}

// last keeps the end of what is written to it.
type last struct{ kept []byte }

func (l *last) Write(p []byte) (int, error) {
	l.kept = append(l.kept, p...)
	if len(l.kept) > 4096 {
		l.kept = append([]byte(nil), l.kept[len(l.kept)-4096:]...)
	}
	return len(p), nil
}

var _ io.Writer = (*last)(nil)

// audited is what the audit of nodes came to.
type audited struct {
	Nodes, Instances, Unclaimed int
	Results                     map[string]verify.Status
	Calls                       map[string]int
	Err                         string
}

// auditChild, with AWSMIGRATE_BENCH_PROFILE=FILE, also profiles itself. It reads the Nodes and what EC2 says of them, and judges both with the
// checks 3xx and 4xx.
func auditChild() int {
	cli.SaveMemory(os.Getenv)
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if path := os.Getenv("AWSMIGRATE_BENCH_PROFILE"); path != "" {
		f, err := os.Create(path)
		if err != nil || pprof.StartCPUProfile(f) != nil {
			return 1
		}
		defer pprof.StopCPUProfile()
	}
	ctx := newContext()
	reader, err := kube.New(config, clock.RealClock{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	asker := aws.Begin(ctx, aws.Options{Mode: aws.On, Actions: []string{"ec2:DescribeInstances"}})
	reader.OnNodes = asker.Add
	in := checks.Input{Position: position.Result{Position: position.P0}}
	in.Nodes = kube.ReadNodes(ctx, reader)
	in.Cloud = asker.Facts(in.Nodes.Value)
	out := audited{Nodes: len(in.Nodes.Value), Instances: len(in.Cloud.Instances.Value), Unclaimed: len(in.Cloud.Unclaimed.Value), Calls: in.Cloud.Calls, Results: map[string]verify.Status{}}
	if in.Nodes.Err != nil {
		out.Err = in.Nodes.Err.Error()
	}
	report := verify.RunAll(ctx, verify.Bind(in, append(checks.Nodes(), checks.AWS()...)...), verify.Options{Position: position.P0})
	for _, r := range report.Results {
		out.Results[r.ID] = r.Status
	}
	if err := json.NewEncoder(os.Stdout).Encode(out); err != nil {
		return 1
	}
	return 0
}
