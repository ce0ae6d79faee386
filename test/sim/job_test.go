package sim

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/internal/job"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/runner/lock"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// right is one verb on one object of the management cluster, or on all of a kind.
type right struct{ verb, group, resource, namespace, name string }

// rightOf returns the right that a call needs.
func rightOf(t *testing.T, c Call) right {
	t.Helper()
	m := apiPath.FindStringSubmatch(c.Path)
	if m == nil {
		t.Fatalf("%s is no object's path", c.Path)
	}
	verbs := map[string]string{http.MethodGet: "get", http.MethodPost: "create", http.MethodPut: "update", http.MethodPatch: "patch", http.MethodDelete: "delete"}
	r := right{verbs[c.Verb], m[2], m[5] + m[6], m[4], m[7]}
	if m[8] != "" {
		r.resource += "/" + m[8]
	}
	switch {
	case c.Watch:
		r.verb = "watch"
	case r.verb == "get" && r.name == "":
		r.verb = "list"
	}
	return r
}

// collectRights collects the rights of a run's requests to the management cluster. Discovery, which is no
// object's path, is everyone's.
func collectRights(t *testing.T, w *World, into map[right]bool) func(Call) {
	return func(c Call) {
		if c.Server == w.mgmt.name && apiPath.MatchString(c.Path) {
			into[rightOf(t, c)] = true
		}
	}
}

// The rights that `awsmigrate job` prints match the requests of runs to the management cluster,
// for both ways of installing and for a pause. None is missing and none is unused. The Secret with
// the cluster's kubeconfig is read before a run begins, which test/e2e TestJob covers.
func TestJobMayWhatItsRunDoes(t *testing.T) {
	t.Parallel()
	used := map[right]bool{}
	withBeacons := scenario{"rke2 in Rancher 2.15", func() *World { return rancher215.newRKE2(defaultConfig()) }, scenarios[0].run}
	for _, s := range append(slices.Clone(scenarios), withBeacons) {
		w, r := s.world(), s.run
		if w.rancher == nil {
			continue
		}
		r.After = collectRights(t, w, used)
		for i, until := range []string{"install-ccm", ""} { // the second record is kept next to the first
			r.ID, r.Until, r.Recording = runID(1+i), journal.StepID(until), newJournalRecording(t)
			if ended := do(t, r, w); ended.Err != nil {
				t.Fatal(ended.Err)
			}
		}
	}
	addPauseRights(t, used)
	granted := map[right]bool{}
	options := job.Options{Distribution: wellknown.RKE2, Cluster: clusterName, Namespace: fleet}
	for _, scope := range options.Rights() {
		for _, rule := range scope.Rules {
			names := rule.ResourceNames
			if len(names) == 0 {
				names = []string{""}
			}
			for _, verb := range rule.Verbs {
				for _, name := range names {
					granted[right{verb, rule.APIGroups[0], rule.Resources[0], scope.Namespace, name}] = true
				}
			}
		}
	}
	delete(granted, right{"get", "", "secrets", fleet, clusterName + "-kubeconfig"})
	for r := range granted {
		if !used[r] {
			t.Errorf("granted and never used: %+v", r)
		}
	}
	for r := range used {
		if !granted[r] {
			t.Errorf("used and not granted: %+v", r)
		}
	}
}

// addPauseRights adds the requests of a run that pauses Rancher.
func addPauseRights(t *testing.T, used map[right]bool) {
	t.Helper()
	w, r, _ := announceEnable(t)
	all, err := fragments(t, r, w, true)
	if err != nil {
		t.Fatal(err)
	}
	_, second, _ := strings.Cut(all, "NOT YET")
	commit(t, w, "# NOT YET"+second)
	r.ID, r.After = w.nextRun(), collectRights(t, w, used)
	if f, _ := fault.As(do(t, r, w).Err); f == nil || f.Reason != "NoManager" {
		t.Fatalf("the run did not pause: %v", f)
	}
}

// Another run holds the lock for an hour. A Job retries as under the Job controller, with the
// shortest of its pauses: it is not given up, and then migrates the cluster.
func TestJobOutlastsAHeldLock(t *testing.T) {
	t.Parallel()
	w, limit, failed := NewRKE2(), int(job.BackoffLimit(time.Hour)), 0
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		begun := time.Now()
		other := holdLock(ctx, t, w)
		for pause := 10 * time.Second; ; pause = min(2*pause, 6*time.Minute) {
			if other != nil && time.Since(begun) > time.Hour {
				if err := other.Release(ctx); err != nil {
					t.Fatal(err)
				}
				other = nil
			}
			ended := Run{ID: w.nextRun(), Elsewhere: true}.On(ctx, w)
			if ended.Err == nil {
				break
			}
			if failed++; fault.ClassOf(ended.Err) != fault.Locked || failed > limit {
				t.Fatalf("try %d of %d, after %s: %v", failed, limit, time.Since(begun), ended.Err)
			}
			pass(pause)
		}
		if held := time.Since(begun); held < time.Hour {
			t.Errorf("the lock was taken from a live owner after %s", held)
		}
	})
	if failed < 7 || len(w.Violations()) > 0 {
		t.Errorf("%d failed tries; %v", failed, w.Violations())
	}
}

// holdLock returns another run's lock, held and renewed.
func holdLock(ctx context.Context, t *testing.T, w *World) lock.Lock {
	t.Helper()
	p := &Process{world: w, die: func() {}}
	home, err := kubernetes.NewForConfig(p.config(func(w *World) *server { return w.mgmt }))
	if err != nil {
		t.Fatal(err)
	}
	owner := lock.Owner{User: "bob", Host: "elsewhere", PID: 7, Start: time.Now(), Run: "run-bob"}
	held := lock.NewLease(home, fleet, journal.Name(clusterName), owner, clock.RealClock{})
	if err := held.Acquire(ctx); err != nil {
		t.Fatal(err)
	}
	return held
}
