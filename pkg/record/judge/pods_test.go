package judge

import (
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// A static pod was replaced shortly before its process acquired the migration lease, and no
// kubelet reported the end of the one before. A process that stood unseen behind the new
// pod had the arguments of the old one: without the flag it is not who took that lease.
func TestProcessBehindAReplacedPod(t *testing.T) {
	const flag = "--enable-leader-migration=true"
	on := func(s float64) time.Time { return epoch.Add(time.Duration(s * float64(time.Second))) }
	for _, test := range []struct {
		name    string
		started float64 // of the pod before
		before  []string
		frozen  string
		judged  func(*script) Result
		kind    Kind
	}{
		{"the one before had no flag", -600, nil, "", (*script).judged, Excluded},
		{"it had the flag", -600, []string{flag}, "", (*script).judged, Possible},
		{"its arguments may be others than it shows", -600, nil, "fixed UID", (*script).judged, Possible},
		{"another may have stood behind it, too", 10, nil, "", (*script).judged, Possible},
		{"nobody read the Node's lease", -600, nil, "", (*script).alone, Possible},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := (&script{}).at(0, record.Entry{Header: &record.Header{Form: record.Form, Name: "demo"}})
			s.at(0, record.Entry{Node: &record.Node{Name: "cp-0", UID: "cp-0", ControlPlane: true}})
			s.at(0, record.Entry{Node: &record.Node{Name: "cp-1", UID: "cp-1", ControlPlane: true}})
			kcm := func(at float64, uid, id string, started float64, flags ...string) *record.Pod {
				p := &record.Pod{Namespace: "kube-system", Name: "kcm-cp-0", UID: uid, Program: wellknown.KCM, Node: "cp-0", Mirror: true, HostNetwork: true, Started: on(started - 600),
					Flags: append([]string{"--cloud-provider=aws"}, flags...), Containers: []record.Container{{ID: id, State: record.Running, Started: on(started - 600)}}}
				s.at(at, record.Entry{Pod: p})
				return p
			}
			kcm(0, "old", "k-old", test.started, test.before...).Frozen = test.frozen
			s.pod(0, record.Running, wellknown.CCM, "cp-1", "c1", flag)
			s.hold(0, 0, wellknown.CCMLease, "cp-1_b", 1)
			for _, stream := range []record.Stream{record.Leases, record.Pods} {
				s.at(0, record.Entry{Begun: &record.Begun{Stream: stream}})
			}
			kcm(5, "old", "k-old", test.started, test.before...).Gone = true
			s.all[len(s.all)-1].Pod.Frozen = test.frozen
			kcm(5, "new", "k-new", 5, flag)
			for x := 20.0; x < 40; x += 2 {
				s.hold(x, 20, wellknown.KCMLease, "cp-0_a", 1).hold(x+0.1, 20, wellknown.MigrationLease, "cp-0_a", 1)
			}
			ended := kcm(41, "new", "k-new", 5, flag)
			ended.Containers[0].State, ended.Containers[0].Finished = record.Terminated, on(41-600)
			s.ccmLeads(55, 100)
			found := test.judged(s).Lanes[0].Overlaps
			if len(found) != 1 || found[0].Kind != test.kind {
				t.Errorf("overlaps %+v, wanted one that is %s", found, test.kind)
			}
		})
	}
}
