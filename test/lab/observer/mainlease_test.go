package observer_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/utils/ptr"

	"github.com/awsmigrate/awsmigrate/test/lab/proc"
)

const (
	mainLease      = "cloud-controller-manager"
	migrationLease = "cloud-provider-extraction-migration"
)

// migrationFile names the controllers of both name families, as the chart's file does: images
// from v1.28 on put no controller under the lease without it.
const migrationFile = `apiVersion: controllermanager.config.k8s.io/v1
kind: LeaderMigrationConfiguration
leaderName: cloud-provider-extraction-migration
resourceLock: leases
controllerLeaders:
  - {name: service, component: "*"}
  - {name: service-lb-controller, component: "*"}
  - {name: route, component: "*"}
  - {name: node-route-controller, component: "*"}
  - {name: cloud-node-lifecycle, component: "*"}
  - {name: cloud-node-lifecycle-controller, component: "*"}
`

// In each CCM of the lab the main lease alone decides who leads: no process takes the migration
// lease without holding the main one, and the loss of either lease ends the process. The step
// that disables leader migration rests on it: it reads the main lease alone. A process that lost
// the main lease renews the other one until its renew deadline
// (k8s.io/cloud-provider:app/controllermanager.go@v0.26.15, lines 225 to 279 and 518 to 543).
func TestMainLease_decidesWhoLeads(t *testing.T) {
	for i, program := range []string{"ccm-v1.26.0", "ccm-v1.28.1"} {
		t.Run(program, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.port += 100 * i
			testMainLease(t, b, program)
		})
	}
}

func testMainLease(t *testing.T, b *bench, program string) {
	t.Helper()
	file := filepath.Join(b.dir, "leader-migration.yaml")
	if err := os.WriteFile(file, []byte(migrationFile), 0o600); err != nil {
		t.Fatal(err)
	}
	start := func(name string, args ...string) *proc.Process {
		if program == "ccm-v1.28.1" { // all processes are on one machine
			args = append(args, fmt.Sprintf("--webhook-secure-port=%d", b.port+5000))
		}
		return b.start(name, "aws-cloud-controller-manager", program, args...)
	}
	flagged := func(name string) *proc.Process {
		return start(name, "--enable-leader-migration", "--leader-migration-config="+file)
	}
	seen := watchLeases(t, b)
	running := map[string]*proc.Process{"first": flagged("first"), "second": flagged("second")}
	leader := seen.until("a leader with both leases", func(s leaseState) bool { return s.main != "" && s.main == s.migration }).main
	waiting := map[string]string{"first": "second", "second": "first"}[leader]

	running[leader].Stop(0)
	seen.until("the other one with both leases", func(s leaseState) bool { return s.main == waiting && s.migration == waiting })

	t.Run("the loss of the migration lease ends it", func(t *testing.T) {
		b.take(migrationLease)
		b.awaitExit(running[waiting])
	})
	third := flagged("third")
	seen.until("the third one", func(s leaseState) bool { return s.main == "third" && s.migration == "third" })
	t.Run("the loss of the main lease ends it", func(t *testing.T) {
		b.take(mainLease)
		b.awaitExit(third)
	})

	t.Run("one without the flag keeps the others from the migration lease", func(t *testing.T) {
		plain := start("plain")
		seen.until("the one without the flag", func(s leaseState) bool { return s.main == "plain" })
		late, writes := flagged("late"), seen.now.migrationWrites
		from := seen.now.mainWrites
		seen.until("12 more renewals of the main lease", func(s leaseState) bool { return s.mainWrites >= from+12 })
		if seen.now.migrationWrites != writes || !plain.Running() || !late.Running() {
			t.Errorf("%d writes of the migration lease, wanted none while the main lease is held by another; running %t, %t\n%s%s",
				seen.now.migrationWrites-writes, plain.Running(), late.Running(), lastLines(t, plain), lastLines(t, late))
		}
	})
}

// lastLines returns the end of a process's log.
func lastLines(t *testing.T, p *proc.Process) string {
	t.Helper()
	raw, err := os.ReadFile(p.Spec.Log)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw[max(0, len(raw)-2000):])
}

// take makes a lease's holder a process that does not exist.
func (b *bench) take(name string) {
	b.t.Helper()
	leases := b.client.CoordinationV1().Leases("kube-system")
	for {
		found, err := leases.Get(b.t.Context(), name, metav1.GetOptions{})
		if err != nil {
			b.t.Fatal(err)
		}
		found.Spec.HolderIdentity, found.Spec.RenewTime = ptr.To("other_1"), &metav1.MicroTime{Time: time.Now()}
		if _, err = leases.Update(b.t.Context(), found, metav1.UpdateOptions{}); err == nil {
			return
		}
		if !apierrors.IsConflict(err) {
			b.t.Fatal(err)
		}
	}
}

func (b *bench) awaitExit(p *proc.Process) {
	b.t.Helper()
	limit := time.NewTimer(time.Minute)
	defer limit.Stop()
	select {
	case <-p.Done():
	case <-limit.C:
		b.t.Fatalf("%s still runs a minute after the loss of its lease", p.Spec.Name)
	}
}

// host returns the host of a lease's holder.
func host(holder string) string {
	name, _, _ := strings.Cut(holder, "_")
	return name
}

// leaseState holds who the last writes of both leases name, by host, and how many writes there
// were.
type leaseState struct {
	main, migration             string
	mainWrites, migrationWrites int
}

// leaseWatch follows both leases in the order of their writes.
type leaseWatch struct {
	t      *testing.T
	events <-chan watch.Event
	now    leaseState
}

func watchLeases(t *testing.T, b *bench) *leaseWatch {
	t.Helper()
	w, err := b.client.CoordinationV1().Leases("kube-system").Watch(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Stop)
	return &leaseWatch{t: t, events: w.ResultChan()}
}

// until waits for a state. It fails for a process that takes the migration lease without holding
// the main one.
func (l *leaseWatch) until(what string, ok func(leaseState) bool) leaseState {
	l.t.Helper()
	ctx, cancel := context.WithTimeout(l.t.Context(), time.Minute)
	defer cancel()
	for !ok(l.now) {
		select {
		case <-ctx.Done():
			l.t.Fatalf("never saw %s: %+v", what, l.now)
		case e, open := <-l.events:
			if !open {
				l.t.Fatal("the watch ended")
			}
			l.add(e.Object.(*coordinationv1.Lease))
		}
	}
	return l.now
}

func (l *leaseWatch) add(written *coordinationv1.Lease) {
	l.t.Helper()
	holder := host(ptr.Deref(written.Spec.HolderIdentity, ""))
	switch written.Name {
	case mainLease:
		l.now.main = holder
		l.now.mainWrites++
	case migrationLease:
		if holder != l.now.migration && holder != l.now.main && holder != "other" {
			l.t.Errorf("%s took the migration lease while %s held the main one", holder, l.now.main)
		}
		l.now.migration = holder
		l.now.migrationWrites++
	}
}
