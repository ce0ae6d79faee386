package procedure

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/clustertest"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/audit"
	"github.com/awsmigrate/awsmigrate/pkg/migration/guard"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	awsreader "github.com/awsmigrate/awsmigrate/pkg/verify/aws"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
	"github.com/awsmigrate/awsmigrate/pkg/verify/continuity"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

const serviceUID = "0a1b2c3d-4e5f-4678-9abc-def012345678"

// elbWith serves one classic load balancer. It leaves out everything that the step does not ask
// for; package test/balancers reads the lab's Elastic Load Balancing.
type elbWith struct {
	port   int
	host   string
	denied bool
}

func (e *elbWith) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_ = r.ParseForm()
	action, name := r.Form.Get("Action"), cloud.BalancerName(serviceUID)
	w.Header().Set("Content-Type", "text/xml")
	classic := r.Form.Get("Version") == "2012-06-01"
	if e.denied && classic {
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprint(w, `<ErrorResponse><Error><Type>Sender</Type><Code>AccessDenied</Code><Message>no</Message></Error></ErrorResponse>`)
		return
	}
	result := ""
	switch {
	case action == "DescribeInstances":
		fmt.Fprint(w, `<DescribeInstancesResponse><reservationSet></reservationSet></DescribeInstancesResponse>`)
		return
	case classic && action == "DescribeLoadBalancers":
		result = fmt.Sprintf(`<LoadBalancerDescriptions><member><LoadBalancerName>%s</LoadBalancerName><DNSName>%s</DNSName><ListenerDescriptions><member><Listener><Protocol>TCP</Protocol><LoadBalancerPort>%d</LoadBalancerPort><InstanceProtocol>TCP</InstanceProtocol><InstancePort>30080</InstancePort></Listener></member></ListenerDescriptions></member></LoadBalancerDescriptions>`, name, e.host, e.port)
	case classic && action == "DescribeTags":
		result = fmt.Sprintf(`<TagDescriptions><member><LoadBalancerName>%s</LoadBalancerName></member></TagDescriptions>`, name)
	}
	fmt.Fprintf(w, "<%[1]sResponse><%[1]sResult>%[2]s</%[1]sResult></%[1]sResponse>", action, result)
}

// withBalancer returns a migration whose preflight has read a load balancer with this port, and
// what AWS shows now.
func withBalancer(t *testing.T, now elbWith) (*Migration, *fake.Clientset, migration.Snapshot, *runner.Tx, *elbWith) {
	t.Helper()
	m, client, _ := observer(position.P3)
	served := now
	server := httptest.NewServer(&served)
	t.Cleanup(server.Close)
	m.Options.AWS, m.Options.Region = "on", "us-east-1"
	m.Options.AWSIdentity = awsreader.Identity{Keys: awsreader.Keys{ID: "AKIA", Secret: "s"}, Endpoint: server.URL}
	service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "web", Name: "front", UID: serviceUID}, Spec: corev1.ServiceSpec{Type: corev1.ServiceTypeLoadBalancer}}
	service.Status.LoadBalancer.Ingress = []corev1.LoadBalancerIngress{{Hostname: "a.elb"}}
	client.PrependReactor("list", "services", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, &corev1.ServiceList{Items: []corev1.Service{*service}}, nil
	})
	snap := readyToHandOver()
	held := snap.Reading.Leases.Migration.Last
	client.PrependReactor("get", "leases", func(clienttesting.Action) (bool, runtime.Object, error) {
		found := clustertest.Lease(wellknown.MigrationLease)
		found.UID, found.Spec.HolderIdentity = types.UID(held.UID), &held.Holder
		return true, found, nil
	})
	client.PrependReactor("update", "leases", func(action clienttesting.Action) (bool, runtime.Object, error) {
		return true, action.(clienttesting.UpdateAction).GetObject(), nil
	})
	services, err := m.ReadServices(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	packed, err := continuity.Fingerprint{Schema: 1, Services: []continuity.ServicePrint{{Namespace: "web", Name: "front", UID: serviceUID, Hostnames: []string{"a.elb"}, Spec: services[0].Spec,
		Balancer: &continuity.BalancerPrint{Type: cloud.Classic, Aspects: map[cloud.Aspect][]string{cloud.HostName: {"a.elb"}, cloud.Listeners: {"TCP 80 to TCP 30080"}}}}}}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	tx := clustertest.TxOf(t, "run", migration.StepHandOver)
	if err := tx.Note(t.Context(), guard.FingerprintNote, packed); err != nil {
		t.Fatal(err)
	}
	snap.Record = tx.Record()
	return m, client, snap, tx, &served
}

// The load balancers are recorded before the fence, in an observation of their own. A change
// until then is a warning: it was not the CCM.
func TestHandOver_balancers_recordedFirst(t *testing.T) {
	m, client, snap, tx, _ := withBalancer(t, elbWith{port: 81, host: "a.elb"})
	step := &handOver{base{Migration: m, ID: migration.StepHandOver}}
	for i, fences := range []bool{false, true} {
		if err := step.WhileWaiting(t.Context(), tx, snap); err != nil {
			t.Fatal(err)
		}
		if got := slices.Contains(holdersWritten(client), wellknown.Fence+"run"); got != fences {
			t.Errorf("after %d calls: fenced %t", i+1, got)
		}
	}
	before, _, err := guard.Fingerprint(tx.Record())
	if err != nil {
		t.Fatal(err)
	}
	if got := before.Services[0].Balancer.Aspects[cloud.Listeners]; !slices.Equal(got, []string{"TCP 81 to TCP 30080"}) {
		t.Errorf("compared with %v", got)
	}
}

// If AWS does not answer before the hand-over, nothing is fenced.
func TestHandOver_awsDenied_notFenced(t *testing.T) {
	m, client, snap, tx, _ := withBalancer(t, elbWith{port: 80, denied: true})
	err := (&handOver{base{Migration: m, ID: migration.StepHandOver}}).WhileWaiting(t.Context(), tx, snap)
	if err == nil || !strings.Contains(err.Error(), "AccessDenied") || len(holdersWritten(client)) > 0 {
		t.Errorf("%v, written %v", err, holdersWritten(client))
	}
}

// A later run records the load balancers again, unless a CCM may have changed them since the record.
func TestNoteBalancers_laterRun(t *testing.T) {
	for name, tt := range map[string]struct {
		intents []journal.Intent
		reads   bool
	}{
		"not handed over":    {nil, true},
		"another step":       {[]journal.Intent{{Step: migration.StepInstall, Run: "first"}}, true},
		"handed over":        {[]journal.Intent{{Step: migration.StepHandOver, Run: "first"}}, false},
		"switched":           {[]journal.Intent{{Step: migration.StepSwitch, Run: "first"}}, false},
		"undone since":       {[]journal.Intent{{Step: migration.StepHandOver, Run: "first"}, {Step: "undo-install-ccm", Run: "undo"}}, true},
		"handed over by now": {[]journal.Intent{{Step: "undo-install-ccm", Run: "undo"}, {Step: migration.StepHandOver, Run: "first"}}, false},
	} {
		m, _, snap, first, _ := withBalancer(t, elbWith{port: 80, host: "a.elb"})
		if read, err := m.noteBalancers(t.Context(), first, snap); err != nil || !read {
			t.Fatalf("%s: %t, %v", name, read, err)
		}
		later := clustertest.TxOf(t, "later", migration.StepHandOver, tt.intents...)
		for key, value := range first.Record().Notes {
			if err := later.Note(t.Context(), key, value); err != nil {
				t.Fatal(err)
			}
		}
		if read, err := m.noteBalancers(t.Context(), later, snap); err != nil || read != tt.reads {
			t.Errorf("%s: read %t, %v", name, read, err)
		}
	}
}

// Once events have expired, a CCM that has led for longer than they are kept is compared without.
func TestJudgeBalancers_eventsExpired_compared(t *testing.T) {
	m, _, snap, tx, _ := withBalancer(t, elbWith{port: 81, host: "a.elb"})
	before, _, err := guard.Fingerprint(tx.Record())
	if err != nil {
		t.Fatal(err)
	}
	held := &snap.Reading.Leases.Migration.Last
	for led, want := range map[time.Duration]runner.VerdictKind{49 * time.Minute: runner.Waiting, 51 * time.Minute: runner.Failed} {
		held.Acquire = held.Renew.Add(-led)
		v, err := m.judgeBalancers(t.Context(), snap, before, []downstream.Service{{Namespace: "web", Name: "front", UID: serviceUID}})
		if err != nil || v.Kind != want {
			t.Errorf("after %s: %s, %v", led, v.Kind, err)
		}
	}
}

// A property that was changed before the hand-over, and that the CCM set back, is no change.
func TestHandOver_setBack_unchanged(t *testing.T) {
	m, _, snap, tx, served := withBalancer(t, elbWith{port: 81, host: "a.elb"})
	if _, err := m.noteBalancers(t.Context(), tx, snap); err != nil {
		t.Fatal(err)
	}
	for port, changed := range map[int]bool{80: false, 81: false, 82: true} {
		served.port = port
		before, _, err := guard.Fingerprint(tx.Record())
		if err != nil {
			t.Fatal(err)
		}
		facts, found, err := audit.LoadBalancers(t.Context(), m.Access, snap)
		if err != nil {
			t.Fatal(err)
		}
		if changes, compared := before.BalancerChanges(facts, found); (len(changes) > 0) != changed || compared != 1 {
			t.Errorf("port %d: %d compared, %v", port, compared, changes)
		}
	}
}

// The verdict on a leading CCM waits for each Service's reconciliation and then compares.
func TestJudgeBalancers(t *testing.T) {
	acquired := clustertest.Start.Add(300 * time.Millisecond)
	event := func(reason string, at time.Time) corev1.Event {
		return corev1.Event{Reason: reason, LastTimestamp: metav1.NewTime(at), InvolvedObject: corev1.ObjectReference{Kind: "Service", UID: serviceUID}}
	}
	for name, tt := range map[string]struct {
		now    elbWith
		events []corev1.Event
		skip   map[string]string
		want   runner.VerdictKind
		says   string
	}{
		"not yet":             {elbWith{port: 80, host: "a.elb"}, nil, nil, runner.Waiting, "web/front"},
		"in-tree's event":     {elbWith{port: 80, host: "a.elb"}, []corev1.Event{event("EnsuredLoadBalancer", clustertest.Start.Add(-time.Second))}, nil, runner.Waiting, "web/front"},
		"another event":       {elbWith{port: 80, host: "a.elb"}, []corev1.Event{event("EnsuringLoadBalancer", clustertest.Start)}, nil, runner.Waiting, "web/front"},
		"unchanged":           {elbWith{port: 80, host: "a.elb"}, []corev1.Event{event("EnsuredLoadBalancer", clustertest.Start)}, nil, runner.Met, "unchanged in AWS since before the hand-over: 1"},
		"a failed sync":       {elbWith{port: 80, host: "a.elb"}, []corev1.Event{event("SyncLoadBalancerFailed", clustertest.Start)}, nil, runner.Met, ": 1"},
		"another listener":    {elbWith{port: 81, host: "a.elb"}, []corev1.Event{event("EnsuredLoadBalancer", clustertest.Start)}, nil, runner.Failed, "web/front listeners: - TCP 80 to TCP 30080, + TCP 81 to TCP 30080"},
		"another host name":   {elbWith{port: 80, host: "b.elb"}, []corev1.Event{event("EnsuredLoadBalancer", clustertest.Start)}, nil, runner.Failed, "host name: - a.elb, + b.elb"},
		"skipped on request":  {elbWith{port: 81, host: "a.elb"}, nil, map[string]string{checks.AfterHandover(): "wanted"}, runner.Met, ""},
		"denied after it all": {elbWith{denied: true}, []corev1.Event{event("EnsuredLoadBalancer", clustertest.Start)}, nil, "", "AccessDenied"},
	} {
		t.Run(name, func(t *testing.T) {
			m, client, snap, tx, _ := withBalancer(t, tt.now)
			m.Options.Skip = tt.skip
			client.PrependReactor("list", "events", func(clienttesting.Action) (bool, runtime.Object, error) {
				return true, &corev1.EventList{Items: tt.events}, nil
			})
			snap.Reading.Leases.Migration.Last.Acquire = acquired
			before, _, err := guard.Fingerprint(tx.Record())
			if err != nil {
				t.Fatal(err)
			}
			v, err := m.judgeBalancers(t.Context(), snap, before, []downstream.Service{{Namespace: "web", Name: "front", UID: serviceUID}})
			said := fmt.Sprint(v.Seen, v.Evidence, v.Err, err)
			if (err != nil) != (tt.want == "") || err == nil && v.Kind != tt.want || !strings.Contains(said, tt.says) {
				t.Errorf("%v %s", v.Kind, said)
			}
		})
	}
}
