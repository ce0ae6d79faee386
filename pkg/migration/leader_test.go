package migration

import (
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/runner"
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
		want := runner.Leader{Component: string(lease.KCM), Host: got.Host, ID: reading.holder, Renewed: got.Renewed, Leads: at(reading.leads)}
		if reading.after >= 0 {
			want.RenewedAfter = at(reading.after)
		}
		if got != want {
			t.Errorf("reading from %d to %d: got %+v, want %+v", reading.began, reading.ended, got, want)
		}
	}
}
