package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/awsmigrate/awsmigrate/pkg/verify/kube"
)

// child names the variable that makes this binary run something other than tests. Each contender
// is a separate process, so that its memory is measured alone.
const child = "AWSMIGRATE_BENCH_CHILD"

// Values of the variable.
const (
	asMeasure  = "measure"   // run a command and write its usage
	asListPods = "list-pods" // list the metadata of all pods in the cluster of KUBECONFIG
)

func TestMain(m *testing.M) {
	switch os.Getenv(child) {
	case asMeasure:
		os.Exit(measureChild(os.Args[1:]))
	case asListPods:
		os.Exit(listPods())
	}
	os.Exit(m.Run())
}

// listPods lists the metadata of all pods with client-go, in pages as large as the audit's, and
// writes their number.
func listPods() int {
	n, err := countPods(context.Background())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println(n)
	return 0
}

func countPods(ctx context.Context) (int, error) {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return 0, err
	}
	config.QPS = -1 // no client-side limit, as in the audit
	client, err := metadata.NewForConfig(config)
	if err != nil {
		return 0, err
	}
	n, page := 0, metav1.ListOptions{Limit: kube.DefaultPageSize}
	for {
		list, err := client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "pods"}).List(ctx, page)
		if err != nil {
			return 0, err
		}
		n += len(list.Items)
		if page.Continue = list.Continue; page.Continue == "" {
			return n, nil
		}
	}
}

// usage holds the resources that a process and its awaited children took.
type usage struct {
	Seconds float64 // wall clock
	CPU     float64 // user and system
	Peak    int64   // resident bytes of the largest process
	Code    int     // the process's exit code
	Output  []byte
}

// measureChild runs a command and writes its usage as the last line. It separates the benchmark
// from the command: Linux counts a parent's memory as the child's until the child has its own, so
// the parent must be small.
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
		Peak: r.Maxrss * 1024, // Linux counts in kilobytes
		Code: cmd.ProcessState.ExitCode(), Output: output.Bytes(),
	})
	return 0
}
