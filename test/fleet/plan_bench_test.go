package fleet_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// manifest is a rollout that no controller knows.
const manifest = `apiVersion: awsmigrate.io/v1alpha1
kind: MigrationRollout
metadata: {name: eu}
spec:
  waves:
  - {name: canary, clusters: [rke2-000, rke2-001]}
  - {name: rest}
`

// BenchmarkPlan measures `rollout plan --file`, which looks at every cluster.
func BenchmarkPlan(b *testing.B) {
	eachSize(b, func(b *testing.B, n int) {
		o := newOffice(b, times)
		o.addMany(n)
		o.open(b)
		file := filepath.Join(b.TempDir(), "rollout.yaml")
		if err := os.WriteFile(file, []byte(manifest), 0o600); err != nil {
			b.Fatal(err)
		}
		managed, own, began := o.managementRequests(b), o.Served(), time.Now()
		_, code, peak := o.awsmigrate(b, "rollout", "plan", "--file", file)
		if code != 0 {
			b.Fatalf("rollout plan: exit %d", code)
		}
		fmt.Printf("%d clusters: rollout plan --file: %s, %d MB, a cluster: %.1f requests to Rancher and %.1f to itself\n", n, time.Since(began).Round(time.Second/10),
			peak>>20, float64(o.managementRequests(b)-managed)/float64(n), float64(o.Served()-own)/float64(n))
	})
}

// managementRequests returns the number of requests to the management server so far.
func (o *office) managementRequests(b *testing.B) (n int64) {
	b.Helper()
	text, err := o.kube.CoreV1().RESTClient().Get().AbsPath("/metrics").DoRaw(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if labels, is := strings.CutPrefix(line, "apiserver_request_total{"); is {
			count, err := strconv.ParseFloat(strings.TrimSpace(labels[strings.LastIndexByte(labels, '}')+1:]), 64)
			if err != nil {
				b.Fatal(err)
			}
			n += int64(count)
		}
	}
	return n
}
