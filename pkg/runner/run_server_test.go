package runner

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"testing"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/apiserver"
	"github.com/awsmigrate/awsmigrate/internal/testing/faulty"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/kube"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/runner/lock"
)

var runTests = map[string]func(*testing.T, *rest.Config){
	"killed at commits and run again": runKilledOnServer,
	"proven dead and resumed at once": runAfterADeath,
	"two runs at once":                runTwice,
	"only reads":                      runReadOnly,
}

// process is a running process with its own clock.
type process struct {
	client kubernetes.Interface
	lease  *lock.Lease
	clock  *clocktesting.FakeClock
}

// while advances p's clock while f runs.
func (p process) while(f func() error) error {
	_, err := faulty.While(p.clock, f)
	return err
}

// onServer returns b with a journal and a lock on a real API server.
func onServer(t *testing.T, b *bench, config *rest.Config, user string) process {
	c, _ := faulty.Client(t, config)
	p := process{client: c, clock: faulty.NewClock().FakeClock}
	owner := lock.Owner{User: user, Host: "h", PID: 1, Start: p.clock.Now(), Run: "run-" + user, Place: here, Tick: 100}
	p.lease = lock.NewLease(c, "default", faulty.Name(t), owner, p.clock)
	j := journal.NewConfigMap(c, "default", faulty.Name(t), b.p.Target())
	j.Clock = faulty.NewClock()
	b.o.RunID = owner.Run
	b.o.Journal, b.o.Lock = tracedJournal{j, b.w}, p.lease
	return p
}

// here is the place of all processes in these tests, and noProcess is a process table without any of
// them.
var here = lock.Place{Boot: "boot-1", PIDs: "pid:[1]"}

type noProcess struct{}

func (noProcess) Self() (at lock.Place, start uint64) { return here, 1 }

func (noProcess) Alive(int, uint64) (alive, known bool) { return false, true }

// sawAll is the Witness of a machine on which every run has worked.
type sawAll struct{}

func (sawAll) Note(string, string)     {}
func (sawAll) Saw(string, string) bool { return true }
func (sawAll) Forget(string)           {}

func runAfterADeath(t *testing.T, config *rest.Config) {
	dead := newBench(t, migration(newWorld()))
	onServer(t, dead, config, "alice")
	if err := dead.o.Lock.Acquire(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := &session{writable: true, o: dead.o}
	if err := s.load(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.begin(t.Context(), Basis{Goal: "test"}, func(*journal.State) {}); err != nil {
		t.Fatal(err)
	}
	b := newBench(t, migration(newWorld()))
	p := onServer(t, b, config, "bob")
	p.lease.Processes, p.lease.Witness = noProcess{}, sawAll{}
	start := p.clock.Now()
	if err := p.while(func() error { _, err := b.run(); return err }); err != nil {
		t.Fatal(err)
	}
	lease, err := p.client.CoordinationV1().Leases("default").Get(t.Context(), faulty.Name(t), metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if waited := lease.Spec.AcquireTime.Sub(start); waited > time.Second {
		t.Errorf("resumed after %s", waited)
	}
	st, err := b.o.Journal.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(st.Runs) != 2 || st.Runs[0].ID != "run-alice" || st.Runs[0].Outcome != "died" || st.Runs[1].Outcome != "done" {
		t.Errorf("history: %+v", st.Runs)
	}
}

func runKilledOnServer(t *testing.T, config *rest.Config) {
	w := newWorld()
	for i := range 60 {
		b := newBench(t, migration(w))
		c := onServer(t, b, config, fmt.Sprint("user", i))
		var died bool
		err := c.while(func() (err error) { // the dead one's lease has to run out first
			died, err = runKilled(b, 1+i%14) // the first points are of the history and the announcement
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if !died {
			want := map[string]int{}
			for _, s := range []string{"one", "two", "three", "four"} {
				want[s+"/0"], want[s+"/1"] = 1, 1
			}
			if !maps.Equal(w.facts, want) || i < 5 {
				t.Errorf("after %d deaths: %v", i, w.facts)
			}
			if err := intentBeforeEffect(w.trace); err != nil {
				t.Error(err)
			}
			return
		}
	}
	t.Fatal("it never ended")
}

func runTwice(t *testing.T, config *rest.Config) {
	b := newBench(t, migration(newWorld()))
	c := onServer(t, b, config, "alice")
	var second error
	b.p.step("two").verify = func(context.Context, *Tx) (Verdict, error) {
		if second == nil {
			other := newBench(t, migration(newWorld()))
			second = onServer(t, other, config, "bob").while(func() error {
				_, err := other.run()
				return err
			})
			if len(other.w.facts) != 0 {
				t.Error("the second run wrote")
			}
		}
		b.w.settled["two"] = 2
		return Verdict{Kind: Met, Stable: 1}, nil
	}
	if err := c.while(func() error { _, err := b.run(); return err }); err != nil {
		t.Fatal(err)
	}
	faulty.WantClass(t, second, fault.Locked, "alice on h")
}

func runReadOnly(t *testing.T, config *rest.Config) {
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return kube.ReadOnly(next) })
	c, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "never"}}
	_, err = c.CoreV1().ConfigMaps("default").Create(t.Context(), cm, metav1.CreateOptions{})
	var refused *kube.WriteRefused
	if !errors.As(err, &refused) || refused.Verb != "POST" || refused.Path != "/api/v1/namespaces/default/configmaps" {
		t.Errorf("%v", err)
	}
	if _, err := c.CoreV1().ConfigMaps("default").Create(t.Context(), cm, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}); err != nil {
		t.Error(err)
	}
	review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		User: "system:kube-controller-manager", ResourceAttributes: &authorizationv1.ResourceAttributes{Verb: "get", Resource: "nodes"},
	}}
	if _, err := c.AuthorizationV1().SubjectAccessReviews().Create(t.Context(), review, metav1.CreateOptions{}); err != nil {
		t.Error(err)
	}
	if _, err := c.CoreV1().ConfigMaps("default").Get(t.Context(), "never", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("%v", err)
	}
}

// testRestart restarts the API server during a step, with real clocks.
func testRestart(t *testing.T, server *apiserver.Server) {
	b := newBench(t, migration(newWorld()))
	c, _ := faulty.Client(t, server.Config())
	j := journal.NewConfigMap(c, "default", faulty.Name(t), b.p.Target())
	lock := lock.NewLease(c, "default", faulty.Name(t), lock.Owner{User: "alice", Host: "h", Run: "run-1"}, clock.RealClock{})
	lock.Duration = 6 * time.Second // shorter than the outage
	b.o.Journal, b.o.Lock, b.o.Clock, b.o.Poll = tracedJournal{j, b.w}, lock, clock.RealClock{}, 100*time.Millisecond
	back := make(chan struct{})
	stopped := false
	b.p.step("two").do = func(ctx context.Context, tx *Tx) error {
		if !stopped {
			stopped = true
			server.Stop()
			go func() {
				defer close(back)
				time.Sleep(8 * time.Second)
				server.Restart(t)
			}()
		}
		return b.p.step("two").apply(ctx, tx)
	}
	_, err := b.run()
	<-back
	if err != nil {
		t.Fatal(err)
	}
	for fact, n := range b.w.facts {
		if n != 1 {
			t.Errorf("%s took place %d times", fact, n)
		}
	}
	if len(b.w.facts) != 8 {
		t.Errorf("facts %v", b.w.facts)
	}
	if len(b.events.of(StepWaiting)) == 0 {
		t.Error("the outage was not shown")
	}
}
