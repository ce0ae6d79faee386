package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/awsmigrate/awsmigrate/test/bench/standin"
)

func newContext() context.Context { return context.Background() }

// count is how many Nodes the comparison has.
func count(b *testing.B) int {
	b.Helper()
	text := os.Getenv("AWSMIGRATE_BENCH_NODES")
	if text == "" {
		return 5000
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		b.Fatalf("AWSMIGRATE_BENCH_NODES=%s: wanted a number of nodes", text)
	}
	return n
}

// environment is that of every contender: the cluster, and an AWS of our own.
func environment(kubeconfig, endpoint string) []string {
	return append(os.Environ(),
		"KUBECONFIG="+kubeconfig, "AWS_ENDPOINT_URL="+endpoint, "AWS_ACCESS_KEY_ID=AKIDTEST", "AWS_SECRET_ACCESS_KEY=secret",
		"AWS_CONFIG_FILE=/dev/null", "AWS_SHARED_CREDENTIALS_FILE=/dev/null", "HOME="+filepath.Dir(kubeconfig),
	)
}

// measure runs a command in a process of its own.
func measure(b *testing.B, env []string, grandchild string, args ...string) usage {
	b.Helper()
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	cmd := exec.CommandContext(b.Context(), self, args...)
	cmd.Env = append(append([]string(nil), env...), child+"=measure", "AWSMIGRATE_BENCH_GRANDCHILD="+grandchild)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		b.Fatalf("%v: %v\n%s", args, err, errs.Bytes())
	}
	var u usage
	if err := json.Unmarshal(out, &u); err != nil {
		b.Fatalf("%v: %v in %q", args, err, out)
	}
	return u
}

// audit measures the audit, which must have seen every node and every instance.
func audit(b *testing.B, env []string, nodes, lost int) (usage, audited) {
	b.Helper()
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	u := measure(b, env, "audit", self)
	var a audited
	if err := json.Unmarshal(u.Output, &a); err != nil {
		b.Fatalf("%v in %q", err, u.Output)
	}
	if a.Nodes != nodes || a.Instances != nodes || a.Unclaimed != lost || a.Err != "" {
		b.Fatalf("audit of %d nodes, %d instances, %d without a Node (%s); want %d and %d", a.Nodes, a.Instances, a.Unclaimed, a.Err, nodes, lost)
	}
	for _, id := range []string{"AWSM-301", "AWSM-302", "AWSM-303", "AWSM-401", "AWSM-402", "AWSM-403", "AWSM-404", "AWSM-405", "AWSM-406"} {
		if a.Results[id] != "ok" {
			b.Fatalf("%s is %q", id, a.Results[id])
		}
	}
	return u, a
}

func serveAWS(b *testing.B, s *standin.AWS) string {
	b.Helper()
	server := httptest.NewServer(s)
	b.Cleanup(server.Close)
	return server.URL
}

func mb(bytes int64) string { return fmt.Sprintf("%d MB", bytes>>20) }
