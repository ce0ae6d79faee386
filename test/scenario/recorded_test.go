package scenario

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A log has all runs of one component on one machine.
func TestLeadersIn(t *testing.T) {
	const log = "\x00\x00" + `
I1125 08:07:40.900000   27821 serving.go:348] Generated self-signed cert in-memory
I1125 08:07:41.037034   27821 leaderelection.go:258] successfully acquired lease kube-system/kube-controller-manager
I1125 08:07:41.037484   27821 event.go:294] "Event occurred" object="kube-system/kube-controller-manager" fieldPath="" kind="Lease" apiVersion="coordination.k8s.io/v1" type="Normal" reason="LeaderElection" message="demo-cp-e782b882-nfvhq_0e89381a-f57d-4959-b9b1-6993f817d910 became leader"
I1125 08:09:41.037484     921 event.go:294] "Event occurred" object="kube-system/kube-controller-manager" fieldPath="" kind="Lease" apiVersion="coordination.k8s.io/v1" type="Normal" reason="LeaderElection" message="ip-10-0-0-4_1e89381a-f57d-4959-b9b1-6993f817d910 became leader"
I1125 08:09:42.037484     922 event.go:294] "Event occurred" reason="SomethingElse" message="host_1 became leader"
`
	file := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(file, []byte(log), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := leadersIn(file)
	want := map[int]string{27821: "demo-cp-e782b882-nfvhq_0e89381a-f57d-4959-b9b1-6993f817d910", 921: "ip-10-0-0-4_1e89381a-f57d-4959-b9b1-6993f817d910"}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
}
