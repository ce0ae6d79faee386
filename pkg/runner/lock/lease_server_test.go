package lock

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/faulty"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner/retry"
)

var leaseTests = map[string]func(*testing.T, *rest.Config){
	"is taken, renewed, given back":       leaseLives,
	"of a living owner":                   leaseOfTheLiving,
	"of a dead owner":                     leaseOfTheDead,
	"of a dead owner, seen with a gap":    leaseOfTheDeadWithGap,
	"stolen":                              leaseStolen,
	"deleted":                             leaseDeleted,
	"of many who want it":                 leaseOfMany,
	"answers are lost":                    leaseLostAnswers,
	"the API is away":                     leaseOutage,
	"a proof is read, not remembered":     leaseProof,
	"labelled by another writer":          leaseLabelled,
	"an interrupt ends the wait":          leaseInterrupted,
	"write forbidden":                     leaseForbidden,
	"a namespace that is not there":       leaseNoNamespace,
	"the end of the context ends renewal": leaseContext,
}

// contender is one process with its own clock.
type contender struct {
	*Lease
	clock *clocktesting.FakeClock
	f     *faulty.Transport
}

func contend(t *testing.T, config *rest.Config, user string) contender {
	c, f := faulty.Client(t, config)
	clk := faulty.NewClock().FakeClock
	owner := Owner{User: user, Host: "h", PID: 1, Start: clk.Now(), Run: "run-" + user}
	return contender{NewLease(c, "default", faulty.Name(t), owner, clk), clk, f}
}

// while lets time pass for c as long as f runs, and says how much did.
func (c contender) while(f func() error) (time.Duration, error) { return faulty.While(c.clock, f) }

func (c contender) acquire(t *testing.T) (time.Duration, error) {
	return c.while(func() error { return c.Acquire(t.Context()) })
}

func mustAcquire(t *testing.T, c contender) {
	t.Helper()
	if err := c.Acquire(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func (c contender) read(t *testing.T) *coordinationv1.Lease {
	t.Helper()
	lease, err := c.client.CoordinationV1().Leases("default").Get(t.Context(), c.name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return lease
}

func leaseLives(t *testing.T, config *rest.Config) {
	a := contend(t, config, "alice")
	mustAcquire(t, a)
	lease := a.read(t)
	owner, ok := parseOwner(*lease.Spec.HolderIdentity)
	if !ok || owner.User != "alice" || owner.PID != 1 || owner.Run != "run-alice" || *lease.Spec.LeaseDurationSeconds != 120 {
		t.Errorf("%+v", lease.Spec)
	}
	// The renewing goroutine waits on the clock; wake it once and wait for the write.
	for !a.clock.HasWaiters() {
		time.Sleep(time.Millisecond)
	}
	a.clock.Step(20 * time.Second)
	for deadline := time.Now().Add(20 * time.Second); a.read(t).ResourceVersion == lease.ResourceVersion; {
		if time.Now().After(deadline) {
			t.Fatal("not renewed after a sixth of the duration")
		}
		time.Sleep(5 * time.Millisecond)
	}
	if err := a.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	if id := holder(a.read(t)); id != "" {
		t.Errorf("still held by %s", id)
	}
	b := contend(t, config, "bob")
	mustAcquire(t, b) // at once: bob's clock does not move
	if n := *b.read(t).Spec.LeaseTransitions; n != 2 {
		t.Errorf("%d transitions", n)
	}
	if err := a.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := b.Prove(t.Context()); err != nil {
		t.Error(err)
	}
}

func leaseOfTheLiving(t *testing.T, config *rest.Config) {
	a, b := contend(t, config, "alice"), contend(t, config, "bob")
	mustAcquire(t, a)
	_, err := a.while(func() error {
		_, err := b.acquire(t)
		return err
	})
	faulty.WantClass(t, err, fault.Locked, "alice on h", "pid 1", "run-alice")
	if err := a.Prove(t.Context()); err != nil {
		t.Error(err)
	}
}

func leaseOfTheDead(t *testing.T, config *rest.Config) {
	a, b := contend(t, config, "alice"), contend(t, config, "bob")
	mustAcquire(t, a) // alice's clock stops from here
	b.clock.SetTime(b.clock.Now().Add(-48 * time.Hour))
	took, err := b.acquire(t)
	if err != nil {
		t.Fatal(err)
	}
	if took < leaseDuration || took > leaseDuration+10*time.Second {
		t.Errorf("taken over after %s", took)
	}
	a.clock.Step(proofTTL)
	faulty.WantClass(t, a.Prove(t.Context()), fault.Locked, "bob on h")
	if err := a.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := b.Prove(t.Context()); err != nil {
		t.Error(err)
	}
}

func leaseOfTheDeadWithGap(t *testing.T, config *rest.Config) {
	a, b := contend(t, config, "alice"), contend(t, config, "bob")
	mustAcquire(t, a)
	start, blind := b.clock.Now(), time.Duration(0)
	b.f.Set(func(string, int) faulty.Fate { // away from second 100 to 130: alice could not renew either
		if d := b.clock.Since(start); d > 100*time.Second && d < 130*time.Second {
			blind = d
			return faulty.Answer503
		}
		return faulty.Deliver
	})
	took, err := b.acquire(t)
	if err != nil {
		t.Fatal(err)
	}
	if blind == 0 || took < blind+leaseDuration {
		t.Errorf("taken over after %s, though blind until %s", took, blind)
	}
}

func leaseStolen(t *testing.T, config *rest.Config) {
	a := contend(t, config, "alice")
	mustAcquire(t, a)
	lease := a.read(t)
	thief := "kubectl edit"
	lease.Spec.HolderIdentity = &thief
	if _, err := a.client.CoordinationV1().Leases("default").Update(t.Context(), lease, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := a.Prove(t.Context()); err != nil {
		t.Errorf("a fresh proof was not used: %v", err)
	}
	a.clock.Step(proofTTL)
	faulty.WantClass(t, a.Prove(t.Context()), fault.Locked, "kubectl edit")
	lease = a.read(t)
	lease.Spec.HolderIdentity = new(string)
	*lease.Spec.HolderIdentity = a.owner.Identity()
	if _, err := a.client.CoordinationV1().Leases("default").Update(t.Context(), lease, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	faulty.WantClass(t, a.Prove(t.Context()), fault.Locked) // lost is lost: others may have worked meanwhile
}

func leaseDeleted(t *testing.T, config *rest.Config) {
	a := contend(t, config, "alice")
	mustAcquire(t, a)
	if err := a.client.CoordinationV1().Leases("default").Delete(t.Context(), a.name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	a.clock.Step(proofTTL)
	faulty.WantClass(t, a.Prove(t.Context()), fault.Locked, "deleted")
}

func leaseOfMany(t *testing.T, config *rest.Config) {
	const n = 6
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	var wg sync.WaitGroup
	var won, lost atomic.Int32
	for i := range n {
		c := contend(t, config, fmt.Sprint("user", i))
		wg.Go(func() {
			_, err := c.while(func() error {
				if err := c.Acquire(ctx); err != nil {
					return err
				}
				won.Add(1)
				// The winner renews until all the others have their answer.
				for lost.Load() < n-1 && ctx.Err() == nil {
					if err := c.Prove(ctx); err != nil {
						return err
					}
				}
				return nil
			})
			if fault.ClassOf(err) == fault.Locked {
				lost.Add(1)
			} else if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if won.Load() != 1 || lost.Load() != n-1 {
		t.Errorf("%d of %d got the lock, %d were refused", won.Load(), n, lost.Load())
	}
}

func leaseLostAnswers(t *testing.T, config *rest.Config) {
	for _, what := range []faulty.Fate{faulty.LoseAfter, faulty.LoseBefore, faulty.Answer503} {
		a := contend(t, config, fmt.Sprint("alice", what))
		a.f.Set(func(method string, n int) faulty.Fate {
			if method != "GET" && n == 1 {
				return what
			}
			return faulty.Deliver
		})
		if _, err := a.acquire(t); err != nil {
			t.Fatalf("faulty.Fate %d: %v", what, err)
		}
		a.f.Set(func(method string, n int) faulty.Fate {
			if method == "PUT" && n == 1 {
				return what
			}
			return faulty.Deliver
		})
		if _, err := a.while(func() error { return a.Release(t.Context()) }); err != nil {
			t.Fatalf("faulty.Fate %d: %v", what, err)
		}
		if id := holder(a.read(t)); id != "" {
			t.Errorf("faulty.Fate %d: still held by %s", what, id)
		}
	}
}

func leaseOutage(t *testing.T, config *rest.Config) {
	a := contend(t, config, "alice")
	mustAcquire(t, a)
	a.clock.Step(proofTTL)
	start := a.clock.Now()
	a.f.Set(func(string, int) faulty.Fate {
		if a.clock.Since(start) < 3*time.Minute {
			return faulty.LoseBefore
		}
		return faulty.Deliver
	})
	took, err := a.while(func() error { return a.Prove(t.Context()) })
	if err != nil || took < 3*time.Minute {
		t.Errorf("proved after %s: %v", took, err)
	}
	a.clock.Step(proofTTL)
	a.f.Set(func(string, int) faulty.Fate { return faulty.LoseBefore })
	took, err = a.while(func() error { return a.Prove(t.Context()) })
	if !retry.Transient(err) || took > retry.Outage+time.Minute {
		t.Errorf("after %s: %v", took, err)
	}
	if fault.ClassOf(err) == fault.Locked {
		t.Errorf("an API that is away was taken for a lost lock: %v", err)
	}
}

func leaseProof(t *testing.T, config *rest.Config) {
	a := contend(t, config, "alice")
	mustAcquire(t, a)
	a.cancel() // the test must not race with renewals
	<-a.idle
	a.f.Set(nil)
	for range 3 {
		if err := a.Prove(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if n := a.f.Counted("GET"); n != 0 {
		t.Errorf("a fresh proof was read %d times", n)
	}
	a.clock.Step(proofTTL)
	if err := a.Prove(t.Context()); err != nil || a.f.Counted("GET") != 1 {
		t.Errorf("%d reads: %v", a.f.Counted("GET"), err)
	}
	a.clock.SetTime(a.clock.Now().Add(-time.Second)) // a clock that jumps proves nothing
	before := a.read(t).ResourceVersion
	if err := a.Prove(t.Context()); err != nil || a.f.Counted("PUT")+a.f.Counted("GET") < 2 {
		t.Errorf("%d reads: %v", a.f.Counted("GET"), err)
	}
	a.clock.Step(leaseDuration/2 + time.Second)
	if err := a.Prove(t.Context()); err != nil || a.read(t).ResourceVersion == before {
		t.Errorf("a lease half run down was not renewed: %v", err)
	}
}

func leaseLabelled(t *testing.T, config *rest.Config) {
	a := contend(t, config, "alice")
	mustAcquire(t, a)
	for range 2 {
		patch := fmt.Appendf(nil, `{"metadata":{"labels":{"at":"%d"}}}`, time.Now().UnixNano())
		if _, err := a.client.CoordinationV1().Leases("default").Patch(t.Context(), a.name, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
			t.Fatal(err)
		}
		a.clock.Step(leaseDuration/2 + time.Second)
		if _, err := a.while(func() error { return a.Prove(t.Context()) }); err != nil {
			t.Fatal(err)
		}
	}
	if a.read(t).Labels["at"] == "" {
		t.Error("the label is gone")
	}
}

func leaseInterrupted(t *testing.T, config *rest.Config) {
	a, b := contend(t, config, "alice"), contend(t, config, "bob")
	mustAcquire(t, a)
	stop := make(chan struct{})
	shown := 0
	ctx := retry.WithWaitPolicy(t.Context(), retry.WaitPolicy{Stop: stop, Report: func(waitingFor, seen string, _ time.Time) {
		if shown++; shown == 3 {
			close(stop)
		}
	}})
	_, err := b.while(func() error { return b.Acquire(ctx) })
	faulty.WantClass(t, err, fault.Interrupted)
	if shown != 3 {
		t.Errorf("shown %d times", shown)
	}
}

func leaseForbidden(t *testing.T, config *rest.Config) {
	config.Impersonate = rest.ImpersonationConfig{UserName: "stranger"}
	a := contend(t, config, "alice")
	if err := a.Acquire(t.Context()); !retry.Denied(err) {
		t.Errorf("%v", err)
	}
}

func leaseNoNamespace(t *testing.T, config *rest.Config) {
	c, _ := faulty.Client(t, config)
	l := NewLease(c, "nowhere", "awsmigrate-demo", Owner{Run: "r"}, faulty.NewClock().FakeClock)
	if err := l.Acquire(t.Context()); err == nil || errors.Is(err, errHeld) {
		t.Errorf("%v", err)
	}
}

func leaseContext(t *testing.T, config *rest.Config) {
	a := contend(t, config, "alice")
	ctx, cancel := context.WithCancel(t.Context())
	if err := a.Acquire(ctx); err != nil {
		t.Fatal(err)
	}
	cancel()
	select {
	case <-a.idle:
	case <-time.After(5 * time.Minute):
		t.Fatal("still renewing")
	}
	if holder(a.read(t)) == "" {
		t.Error("it was released, although the process may still write")
	}
}
