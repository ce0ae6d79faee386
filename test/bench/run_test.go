package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/standin"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/test/lab/component"
)

// count returns the number of Nodes for the comparison.
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

// environment returns the environment of each contender: the cluster and the simulated AWS.
func environment(kubeconfig, endpoint string) []string {
	return append(os.Environ(),
		"KUBECONFIG="+kubeconfig, "AWS_ENDPOINT_URL="+endpoint, "AWS_ACCESS_KEY_ID=AKIDTEST", "AWS_SECRET_ACCESS_KEY=secret",
		"AWS_CONFIG_FILE=/dev/null", "AWS_SHARED_CREDENTIALS_FILE=/dev/null", "HOME="+filepath.Dir(kubeconfig),
	)
}

// measure runs a command in a separate process.
func measure(b testing.TB, env []string, args ...string) usage {
	b.Helper()
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	cmd := exec.CommandContext(b.Context(), self, args...)
	cmd.Env = append(append([]string(nil), env...), child+"="+asMeasure)
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

// program returns the path of awsmigrate, which `make build` puts next to the lab's binaries.
func program(b testing.TB) string {
	b.Helper()
	dir, err := component.Dir()
	if err != nil {
		b.Fatal(err)
	}
	path := filepath.Join(filepath.Dir(dir), "awsmigrate")
	if _, err := os.Stat(path); err != nil {
		b.Fatalf("%v; run `make build`", err)
	}
	return path
}

// judged lists the checks that need every Node and every instance.
var judged = []string{
	"AWSM-301", "AWSM-302", "AWSM-303", "AWSM-304", "AWSM-305", "AWSM-306", "AWSM-307",
	"AWSM-401", "AWSM-402", "AWSM-403", "AWSM-404", "AWSM-405", "AWSM-406", "AWSM-407", "AWSM-408",
}

// withoutNode is the check that names instances without a Node.
const withoutNode = "AWSM-422"

// audit measures `awsmigrate verify`, which must find every node in order and the lost instances.
// Other checks fail, because nothing runs on the Nodes.
func audit(b testing.TB, env []string, nodes, lost int) usage {
	b.Helper()
	u := measure(b, env, "sh", "-c", "exec "+program(b)+` verify --kubeconfig "$KUBECONFIG" --aws on -o json`)
	var report struct {
		Header []string
		Checks []verify.Result
	}
	if err := json.Unmarshal(u.Output, &report); err != nil || report.Checks == nil {
		b.Fatalf("%v in %q", err, u.Output)
	}
	results := map[string]verify.Result{}
	for _, r := range report.Checks {
		results[r.ID] = r
	}
	for _, id := range judged {
		if results[id].Status != verify.OK {
			b.Fatalf("%s is %q: %+v", id, results[id].Status, results[id].Findings)
		}
	}
	if !strings.Contains(strings.Join(report.Header, "\n"), fmt.Sprintf("%d nodes", nodes)) || len(results[withoutNode].Findings) != lost {
		b.Fatalf("%q, %d instances without a Node; want %d and %d", report.Header, len(results[withoutNode].Findings), nodes, lost)
	}
	return u
}

func serveAWS(b testing.TB, s *standin.AWS) string {
	b.Helper()
	server := httptest.NewServer(s)
	b.Cleanup(server.Close)
	return server.URL
}

func mb(bytes int64) string { return fmt.Sprintf("%d MB", bytes>>20) }
