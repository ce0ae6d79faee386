package migration

import (
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// The host name of an identity is the name of the Node, of the member, or of Rancher's
// infrastructure object.
func TestKCMOn_hostName_found(t *testing.T) {
	r := Reading{KCMs: []KCM{
		{Member: "demo-cp-6dfb8c9dd4-ls2tm", Node: "ip-10-0-1-10.ec2.internal", Infrastructure: "demo-cp-8e21cf0a-x7k2p"},
		{Member: "demo-cp-6dfb8c9dd4-9vq4z", Node: "ip-10-0-1-11.ec2.internal", Infrastructure: "demo-cp-8e21cf0a-4m5tt"},
	}}
	for host, want := range map[string]string{
		"demo-cp-8e21cf0a-x7k2p": "ip-10-0-1-10.ec2.internal", "demo-cp-8e21cf0a-4m5tt.corp.example": "ip-10-0-1-11.ec2.internal",
		"ip-10-0-1-11": "ip-10-0-1-11.ec2.internal", "demo-cp-6dfb8c9dd4-9vq4z": "ip-10-0-1-11.ec2.internal", "demo-cp-8e21cf0a": "", "": "",
	} {
		if k, there := r.KCMOn(host); k.Node != want || there != (want != "") {
			t.Errorf("on %q: %+v, wanted Node %q", host, k, want)
		}
	}
}

// A renewal happened after the start of the last reading without it. A leader leads at least
// since the end of the first reading that names it.
func TestLeader_readings_boundTimes(t *testing.T) {
	at := func(second int) time.Time { return time.Date(2026, 11, 21, 9, 0, second, 0, time.UTC) }
	var seen Unchanged
	for _, reading := range []struct {
		began, ended    int
		version, holder string
		after, leads    int // -1: not known
	}{
		{0, 1, "1", "a", -1, 1},
		{2, 3, "1", "a", -1, 1},
		{4, 5, "2", "a", 2, 1},
		{6, 7, "2", "a", 2, 1},
		{8, 9, "3", "a", 6, 1},
		{10, 11, "4", "b", 8, 11},
		{12, 13, "5", "b", 10, 11},
		{14, 15, "6", "a", 12, 15},
	} {
		held := lease.Observation{Exists: true, ResourceVersion: reading.version, Holder: reading.holder}
		seen = seen.Next(at(reading.began), at(reading.ended), lease.Leases{Migration: lease.Series{Last: held}})
		got := Snapshot{Unchanged: seen}.leader(lease.Verdict{Owner: lease.KCM, Holder: reading.holder}, wellknown.MigrationLease)
		want := runner.Leader{Component: string(lease.KCM), Host: got.Host, ID: reading.holder, Renewed: got.Renewed, Leads: at(reading.leads), Starts: lease.StartTime}
		if reading.after >= 0 {
			want.RenewedAfter = at(reading.after)
		}
		if got != want {
			t.Errorf("reading from %d to %d: got %+v, want %+v", reading.began, reading.ended, got, want)
		}
	}
}

// In the middle of a rolling update, the holder of the CCM's lease leads if its pod has no flag and ran when
// the lease was acquired.
func TestCCMRunsAloneOn_rollingUpdate_podOfHostDecides(t *testing.T) {
	acquired := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	pod := func(node string, started time.Duration, args ...string) downstream.Pod {
		return downstream.Pod{Node: node, Phase: "Running", Started: acquired.Add(started),
			Containers: []downstream.Container{{Image: "cloud-controller-manager:v1.26.14", Args: append([]string{"--cloud-provider=aws"}, args...)}}}
	}
	const flag = "--enable-leader-migration=true"
	kcms := []KCM{{Node: "ip-10-0-0-4.ec2.internal", Infrastructure: "demo-cp-8e21cf0a-x7k2p"}}
	for name, tt := range map[string]struct {
		pods []downstream.Pod
		want bool
	}{
		"without the flag":        {[]downstream.Pod{pod("ip-10-0-0-4.ec2.internal", -time.Second), pod("ip-10-0-0-5.ec2.internal", -time.Minute, flag)}, true},
		"with the flag":           {[]downstream.Pod{pod("ip-10-0-0-4.ec2.internal", -time.Second, flag)}, false},
		"started after the lease": {[]downstream.Pod{pod("ip-10-0-0-4.ec2.internal", time.Second)}, false},
		"on another machine":      {[]downstream.Pod{pod("ip-10-0-0-5.ec2.internal", -time.Second)}, false},
	} {
		r := Reading{KCMs: kcms, Down: downstream.Cluster{CCMPods: tt.pods}}
		if got := r.ccmRunsAloneOn("demo-cp-8e21cf0a-x7k2p", acquired); got != tt.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
