package election

import (
	"fmt"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/utils/ptr"

	"github.com/awsmigrate/awsmigrate/pkg/awsccm"
	judged "github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// The kube-controller-manager with client-go's defaults, and the cloud controller manager
// as the chart has it for an early hand-over, in seconds: a retry period below one is one.
var (
	kcm = Timing{Duration: 15, Deadline: 10, Retry: 2}
	ccm = Timing{Duration: 15, Deadline: 10, Retry: 1}
)

// fenced is what awsmigrate makes of a lease, by its own code.
func fenced(t *testing.T, longest int) Fence {
	t.Helper()
	return made(t, longest, func(f awsccm.Fence, client kubernetes.Interface) error {
		return f.Write(t.Context(), client, time.Unix(0, 0))
	})
}

// cleared is what it makes of a lease with its fence.
func cleared(t *testing.T, longest int) Fence {
	t.Helper()
	return made(t, longest, func(f awsccm.Fence, client kubernetes.Interface) error {
		_, err := f.Clear(t.Context(), client)
		return err
	})
}

// made is what a write comes to, for each question once.
func made(t *testing.T, longest int, by func(awsccm.Fence, kubernetes.Interface) error) Fence {
	t.Helper()
	type question struct {
		run            int
		target, holder Identity
		duration       int
	}
	type answer struct {
		after  Identity
		lasts  int
		writes bool
	}
	known := map[question]answer{}
	return func(run int, target, holder Identity, duration int) (Identity, int, bool) {
		q := question{run, target, holder, duration}
		a, there := known[q]
		if !there {
			a.after, a.lasts, a.writes = write(t, by, run, target, holder, duration, longest)
			known[q] = a
		}
		return a.after, a.lasts, a.writes
	}
}

func name(id Identity) string {
	switch {
	case id == Nobody:
		return ""
	case id >= Fences:
		return fmt.Sprintf("%s%d", wellknown.Fence, id-Fences)
	}
	return fmt.Sprintf("host_%d", id)
}

// write has a run that has judged target to be the holder write a lease.
func write(t *testing.T, by func(awsccm.Fence, kubernetes.Interface) error, run int, target, holder Identity, duration, longest int) (Identity, int, bool) {
	t.Helper()
	client := fake.NewClientset(&coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: wellknown.MigrationLease, Namespace: wellknown.System},
		Spec: coordinationv1.LeaseSpec{HolderIdentity: ptr.To(name(holder)), LeaseDurationSeconds: ptr.To(int32(duration))}})
	fence := awsccm.FenceOf(fmt.Sprint(run), judged.Observation{Holder: name(target), Duration: time.Duration(duration) * time.Second}, time.Duration(longest)*time.Second)
	if err := by(fence, client); err != nil {
		return 0, 0, false
	}
	now, err := client.CoordinationV1().Leases(wellknown.System).Get(t.Context(), wellknown.MigrationLease, metav1.GetOptions{})
	if err != nil {
		return Nobody, duration, true // it was deleted: whoever waits takes it at once
	}
	for _, id := range []Identity{Nobody, First, Second, FirstB, SecondB, Foreign, Fences, Fences + 1} {
		if name(id) == ptr.Deref(now.Spec.HolderIdentity, "") {
			return id, int(ptr.Deref(now.Spec.LeaseDurationSeconds, 0)), id != holder
		}
	}
	t.Fatalf("a fence made %+v", now.Spec)
	return 0, 0, false
}

// A hand-over adds no time for which two run at once to what client-go alone gives,
// whatever happens between any two reads and writes of anybody.
func TestFenceAddsNothing(t *testing.T) {
	newer := ccm
	newer.Recorded = true
	patient := Timing{Duration: 30, Deadline: 20, Retry: 2}
	for _, tt := range []struct {
		name  string
		world World
		most  int // seconds for which two run at once, by client-go alone
	}{
		{"undisturbed, or cut off for however long", World{Timings: Of(kcm, ccm), Runs: 1}, 0},
		{"nobody is cut off", World{Timings: Of(kcm, ccm), Runs: 1, Renews: true}, 0},
		{"two runs", World{Timings: Of(kcm, ccm), Runs: 2}, 0},
		{"either dies, and is started again", World{Timings: Of(kcm, ccm), Runs: 1, Dies: true}, 0},
		{"somebody else writes the lease", World{Timings: Of(kcm, ccm), Runs: 1, Writes: true}, 0},
		{"a candidate of newer client-go", World{Timings: Of(kcm, newer), Runs: 1}, 0},
		{"a candidate of newer client-go beside a more patient holder", World{Timings: Of(patient, newer), Runs: 1}, 0},
		{"replies take long", World{Timings: Of(kcm, ccm), Runs: 2, Slow: true}, 5},
		{"either stands still, and goes on", World{Timings: Of(kcm, ccm), Runs: 1, Freezes: true}, 11},
		{"somebody else empties the lease", World{Timings: Of(kcm, ccm), Runs: 1, Empties: true}, 11},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			began := time.Now()
			alone := tt.world
			alone.Runs = 0
			without := Explore(alone)
			with := tt.world
			with.Fence = fenced(t, max(int(tt.world.Timings[0].duration), int(tt.world.Timings[1].duration)))
			found := Explore(with)
			t.Logf("counts: %s: %d states, %d s beside one another; by client-go alone %d states, %d s; %.1f s", tt.name, found.States, found.Beside, without.States, without.Beside, time.Since(began).Seconds())
			if without.Beside != tt.most || found.Beside > without.Beside {
				t.Errorf("two run for %d s at once, by client-go alone for %d s, wanted %d", found.Beside, without.Beside, tt.most)
			}
			if found.Fenced == 0 || found.Taken == 0 {
				t.Errorf("%+v: nothing was handed over", found)
			}
		})
	}
}

// Nor does a fence that is taken away, once whom it fenced is known to have ended.
func TestClearAddsNothing(t *testing.T) {
	newer := ccm
	newer.Recorded = true
	for _, tt := range []struct {
		name  string
		world World
		most  int // seconds for which two run at once, by client-go alone
	}{
		{"undisturbed, or cut off for however long", World{Timings: Of(kcm, ccm), Runs: 1}, 0},
		{"two runs", World{Timings: Of(kcm, ccm), Runs: 2}, 0},
		{"either dies, and is started again", World{Timings: Of(kcm, ccm), Runs: 1, Dies: true}, 0},
		{"somebody else writes the lease", World{Timings: Of(kcm, ccm), Runs: 1, Writes: true}, 0},
		{"a candidate of newer client-go", World{Timings: Of(kcm, newer), Runs: 1}, 0},
		{"replies take long", World{Timings: Of(kcm, ccm), Runs: 1, Slow: true}, 5},
		{"either stands still, and goes on", World{Timings: Of(kcm, ccm), Runs: 1, Freezes: true}, 11},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			began := time.Now()
			with := tt.world
			with.Fence, with.Clear = fenced(t, 15), cleared(t, 15)
			with.Proven = func(gone bool, age int) bool { return gone && age >= kcm.Deadline }
			found := Explore(with)
			t.Logf("counts: %s, cleared: %d states, %d s beside one another; %.1f s", tt.name, found.States, found.Beside, time.Since(began).Seconds())
			if found.Beside > tt.most {
				t.Errorf("two run for %d s at once, wanted %d", found.Beside, tt.most)
			}
			if found.Fenced == 0 || found.Taken == 0 {
				t.Errorf("%+v: nothing was handed over", found)
			}
		})
	}
}

// A proof about another container lets two run at once for two seconds, as the renew
// deadline is waited for; without that it would be ten.
func TestClearByAWrongProof(t *testing.T) {
	for name, tt := range map[string]struct {
		proven      func(gone bool, age int) bool
		least, most int
	}{
		"behind the renew deadline": {func(_ bool, age int) bool { return age >= kcm.Deadline }, 1, 2},
		"at once":                   {func(bool, int) bool { return true }, 10, 12},
	} {
		found := Explore(World{Timings: Of(kcm, ccm), Runs: 1, Fence: fenced(t, 15), Clear: cleared(t, 15), Proven: tt.proven})
		if found.Beside < tt.least || found.Beside > tt.most {
			t.Errorf("%s: two run for %d s at once, wanted %d to %d", name, found.Beside, tt.least, tt.most)
		}
	}
}

// What the step may not do, and the clusters that it leaves alone, would be seen.
func TestWhatAFenceMayNotBe(t *testing.T) {
	emptied := func(_ int, target, holder Identity, duration int) (Identity, int, bool) {
		return Nobody, duration, holder == target
	}
	brief := func(run int, target, holder Identity, _ int) (Identity, int, bool) {
		return Fences + Identity(run), 15, holder == target
	}
	newer, patient := ccm, Timing{Duration: 30, Deadline: 20, Retry: 2}
	newer.Recorded = true
	for _, tt := range []struct {
		name  string
		world World
		least int // seconds for which two run at once
	}{
		{"it empties the lease", World{Timings: Of(kcm, ccm), Fence: emptied, Runs: 1}, 10},
		{"it gives a lease for less than the holder works on", World{Timings: Of(patient, newer), Fence: brief, Runs: 1}, 5},
		{"it is made although whoever waits counts less than the holder works on", World{Timings: Of(patient, ccm), Fence: fenced(t, 30), Runs: 1, Renews: true}, 5},
	} {
		alone := tt.world
		alone.Runs = 0
		if without, with := Explore(alone), Explore(tt.world); without.Beside != 0 || with.Beside < tt.least {
			t.Errorf("%s: two run for %d s at once, wanted %d at least; by client-go alone for %d s", tt.name, with.Beside, tt.least, without.Beside)
		}
	}
}
