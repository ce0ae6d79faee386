package scenario

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A log has all runs of one component on one machine.
func TestLeadsIn(t *testing.T) {
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
	got, err := leadsIn(file)
	want := []lead{
		{at: "1125 08:07:41.037484", pid: 27821, identity: "demo-cp-e782b882-nfvhq_0e89381a-f57d-4959-b9b1-6993f817d910"},
		{at: "1125 08:09:41.037484", pid: 921, identity: "ip-10-0-0-4_1e89381a-f57d-4959-b9b1-6993f817d910"},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(lead{})); err != nil || diff != "" {
		t.Error(err, diff)
	}
}

// Processes in PID namespaces of their own have the same ID in one log; the time tells them apart.
func TestIsWithin(t *testing.T) {
	at := func(text string) time.Time {
		t.Helper()
		parsed, err := time.ParseInLocation("2006-01-02 15:04:05.000", text, time.Local)
		if err != nil {
			t.Fatal(err)
		}
		return parsed
	}
	for _, test := range []struct {
		led, from, to string
		want          bool
	}{
		{"1125 08:07:41.000000", "2026-11-25 08:07:40.000", "2026-11-25 08:08:00.000", true},
		{"1125 08:07:41.000000", "2026-11-25 08:07:41.020", "2026-11-25 08:08:00.000", true},
		{"1125 08:07:41.000000", "2026-11-25 08:08:00.000", "2026-11-25 08:09:00.000", false},
		{"1125 08:07:41.000000", "2026-11-25 08:07:00.000", "2026-11-25 08:07:40.000", false},
		{"0101 00:00:01.000000", "2026-12-31 23:59:59.000", "2027-01-01 00:01:00.000", true},
	} {
		if got := (lead{at: test.led}).isWithin(at(test.from), at(test.to)); got != test.want {
			t.Errorf("%s within %s and %s: %t", test.led, test.from, test.to, got)
		}
	}
}
