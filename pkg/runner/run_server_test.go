package runner

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/kube"

	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/internal/testing/apiserver"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

var runTests = map[string]func(*testing.T, *rest.Config){
	"killed at commits and run again": runKilledOnServer,
	"two runs at once":                runTwice,
	"only reads":                      runReadOnly,
}

// onServer is b with a journal and a lock on a real API server.
func onServer(t *testing.T, b *bench, config *rest.Config, user string) contender {
	c := contend(t, config, user)
	j := NewConfigMapJournal(c.client, "default", nameOf(t), b.p.Target())
	j.Clock = newStepClock()
	b.o.RunID = c.owner.Run
	b.o.Journal, b.o.Lock = tracedJournal{j, b.w}, c.LeaseLock
	return c
}

func runKilledOnServer(t *testing.T, config *rest.Config) {
	w := newWorld()
	for i := range 60 {
		b := newBench(t, migration(w))
		c := onServer(t, b, config, fmt.Sprint("user", i))
		var died bool
		_, err := c.while(func() (err error) { // the dead one's lease has to run out first
			died, err = runKilled(b, 1+i%6)
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
	t.Fatal("it never came to an end")
}

func runTwice(t *testing.T, config *rest.Config) {
	b := newBench(t, migration(newWorld()))
	c := onServer(t, b, config, "alice")
	var second error
	b.p.step("two").verify = func(context.Context, *Tx) (Verdict, error) {
		if second == nil {
			other := newBench(t, migration(newWorld()))
			_, second = onServer(t, other, config, "bob").while(func() error {
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
	if _, err := c.while(func() error { _, err := b.run(); return err }); err != nil {
		t.Fatal(err)
	}
	wantClass(t, second, fault.Locked, "alice on h")
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
	if _, err := c.CoreV1().ConfigMaps("default").Get(t.Context(), "never", get); !apierrors.IsNotFound(err) {
		t.Errorf("%v", err)
	}
}

// testRestart takes the API server away under a step, with clocks that are real.
func testRestart(t *testing.T, server *apiserver.Server) {
	b := newBench(t, migration(newWorld()))
	c, _ := client(t, server.Config())
	j := NewConfigMapJournal(c, "default", nameOf(t), b.p.Target())
	lock := NewLeaseLock(c, "default", nameOf(t), Owner{User: "alice", Host: "h", Run: "run-1"}, clock.RealClock{})
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
