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

// kcm has client-go's defaults. ccm has the chart's values for an early hand-over. Both are in
// seconds, so a retry period below one second is one.
var (
	kcm = Timing{Duration: 15, Deadline: 10, Retry: 2}
	ccm = Timing{Duration: 15, Deadline: 10, Retry: 1}
)

// writeFence returns the Fence of awsmigrate's own code.
func writeFence(t *testing.T, longest int) Fence {
	t.Helper()
	return memoize(t, longest, func(f awsccm.Fence, client kubernetes.Interface) error {
		return f.Write(t.Context(), client, time.Unix(0, 0))
	})
}

// clearFence returns the Fence by which awsmigrate's own code clears its fence.
func clearFence(t *testing.T, longest int) Fence {
	t.Helper()
	return memoize(t, longest, func(f awsccm.Fence, client kubernetes.Interface) error {
		_, err := f.Clear(t.Context(), client)
		return err
	})
}

// memoize returns a Fence that performs each distinct write once.
func memoize(t *testing.T, longest int, by func(awsccm.Fence, kubernetes.Interface) error) Fence {
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

func holderName(id Identity) string {
	switch {
	case id == Unheld:
		return ""
	case id >= Fences:
		return fmt.Sprintf("%s%d", wellknown.Fence, id-Fences)
	}
	return fmt.Sprintf("host_%d", id)
}

// write performs a write by a run that judged target to be the holder.
func write(t *testing.T, by func(awsccm.Fence, kubernetes.Interface) error, run int, target, holder Identity, duration, longest int) (Identity, int, bool) {
	t.Helper()
	client := fake.NewClientset(&coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: wellknown.MigrationLease, Namespace: wellknown.System},
		Spec: coordinationv1.LeaseSpec{HolderIdentity: ptr.To(holderName(holder)), LeaseDurationSeconds: ptr.To(int32(duration))}})
	fence := awsccm.FenceOf(fmt.Sprint(run), judged.Observation{Holder: holderName(target), Duration: time.Duration(duration) * time.Second}, time.Duration(longest)*time.Second)
	if err := by(fence, client); err != nil {
		return 0, 0, false
	}
	now, err := client.CoordinationV1().Leases(wellknown.System).Get(t.Context(), wellknown.MigrationLease, metav1.GetOptions{})
	if err != nil {
		return Unheld, duration, true // deleted: a waiting candidate takes it at once
	}
	for _, id := range []Identity{Unheld, First, Second, FirstB, SecondB, Foreign, Fences, Fences + 1} {
		if holderName(id) == ptr.Deref(now.Spec.HolderIdentity, "") {
			return id, int(ptr.Deref(now.Spec.LeaseDurationSeconds, 0)), id != holder
		}
	}
	t.Fatalf("a fence made %+v", now.Spec)
	return 0, 0, false
}

// A hand-over adds no overlap to that of client-go alone, for any interleaving of reads and
// writes.
func TestFenceAddsNothing(t *testing.T) {
	newer := ccm
	newer.Recorded = true
	patient := Timing{Duration: 30, Deadline: 20, Retry: 2}
	for _, tt := range []struct {
		name       string
		world      World
		maxOverlap int // seconds of overlap by client-go alone
	}{
		{"undisturbed, or cut off for any time", World{Timings: Timings(kcm, ccm), Runs: 1}, 0},
		{"no candidate is cut off", World{Timings: Timings(kcm, ccm), Runs: 1, Renews: true}, 0},
		{"two runs", World{Timings: Timings(kcm, ccm), Runs: 2}, 0},
		{"either dies and is restarted", World{Timings: Timings(kcm, ccm), Runs: 1, Dies: true}, 0},
		{"another writer changes the lease", World{Timings: Timings(kcm, ccm), Runs: 1, Writes: true}, 0},
		{"a candidate of newer client-go", World{Timings: Timings(kcm, newer), Runs: 1}, 0},
		{"a candidate of newer client-go and a holder with longer durations", World{Timings: Timings(patient, newer), Runs: 1}, 0},
		{"replies take long", World{Timings: Timings(kcm, ccm), Runs: 2, Slow: true}, 5},
		{"either freezes and thaws", World{Timings: Timings(kcm, ccm), Runs: 1, Freezes: true}, 11},
		{"another writer empties the lease", World{Timings: Timings(kcm, ccm), Runs: 1, Empties: true}, 11},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			began := time.Now()
			alone := tt.world
			alone.Runs = 0
			without := Explore(alone)
			with := tt.world
			with.Fence = writeFence(t, max(int(tt.world.Timings[0].duration), int(tt.world.Timings[1].duration)))
			found := Explore(with)
			t.Logf("counts: %s: %d states, %d s of overlap; by client-go alone %d states, %d s; %.1f s", tt.name, found.States, found.MaxOverlap, without.States, without.MaxOverlap, time.Since(began).Seconds())
			if without.MaxOverlap != tt.maxOverlap || found.MaxOverlap > without.MaxOverlap {
				t.Errorf("overlap is %d s, by client-go alone %d s, wanted %d s", found.MaxOverlap, without.MaxOverlap, tt.maxOverlap)
			}
			if found.Fenced == 0 || found.Taken == 0 {
				t.Errorf("%+v: no lease was handed over", found)
			}
		})
	}
}

// A cleared fence adds no overlap either, if the fenced process is known to have ended.
func TestClearAddsNothing(t *testing.T) {
	newer := ccm
	newer.Recorded = true
	for _, tt := range []struct {
		name       string
		world      World
		maxOverlap int // seconds of overlap by client-go alone
	}{
		{"undisturbed, or cut off for any time", World{Timings: Timings(kcm, ccm), Runs: 1}, 0},
		{"two runs", World{Timings: Timings(kcm, ccm), Runs: 2}, 0},
		{"either dies and is restarted", World{Timings: Timings(kcm, ccm), Runs: 1, Dies: true}, 0},
		{"another writer changes the lease", World{Timings: Timings(kcm, ccm), Runs: 1, Writes: true}, 0},
		{"a candidate of newer client-go", World{Timings: Timings(kcm, newer), Runs: 1}, 0},
		{"replies take long", World{Timings: Timings(kcm, ccm), Runs: 1, Slow: true}, 5},
		{"either freezes and thaws", World{Timings: Timings(kcm, ccm), Runs: 1, Freezes: true}, 11},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			began := time.Now()
			with := tt.world
			with.Fence, with.Clear = writeFence(t, 15), clearFence(t, 15)
			with.Proven = func(gone bool, age int) bool { return gone && age >= kcm.Deadline }
			found := Explore(with)
			t.Logf("counts: %s, cleared: %d states, %d s of overlap; %.1f s", tt.name, found.States, found.MaxOverlap, time.Since(began).Seconds())
			if found.MaxOverlap > tt.maxOverlap {
				t.Errorf("overlap is %d s, wanted at most %d s", found.MaxOverlap, tt.maxOverlap)
			}
			if found.Fenced == 0 || found.Taken == 0 {
				t.Errorf("%+v: no lease was handed over", found)
			}
		})
	}
}

// A proof about the wrong container lets two run at once for two seconds, because the renew
// deadline is awaited. Without that wait it would be ten.
func TestClearByAWrongProof(t *testing.T) {
	for name, tt := range map[string]struct {
		proven                 func(gone bool, age int) bool
		minOverlap, maxOverlap int
	}{
		"after the renew deadline": {func(_ bool, age int) bool { return age >= kcm.Deadline }, 1, 2},
		"at once":                  {func(bool, int) bool { return true }, 10, 12},
	} {
		found := Explore(World{Timings: Timings(kcm, ccm), Runs: 1, Fence: writeFence(t, 15), Clear: clearFence(t, 15), Proven: tt.proven})
		if found.MaxOverlap < tt.minOverlap || found.MaxOverlap > tt.maxOverlap {
			t.Errorf("%s: overlap is %d s, wanted %d to %d s", name, found.MaxOverlap, tt.minOverlap, tt.maxOverlap)
		}
	}
}

// The model detects forbidden fences, and those in the clusters that the step leaves alone.
func TestFence_forbidden_overlaps(t *testing.T) {
	emptied := func(_ int, target, holder Identity, duration int) (Identity, int, bool) {
		return Unheld, duration, holder == target
	}
	brief := func(run int, target, holder Identity, _ int) (Identity, int, bool) {
		return Fences + Identity(run), 15, holder == target
	}
	newer, patient := ccm, Timing{Duration: 30, Deadline: 20, Retry: 2}
	newer.Recorded = true
	for _, tt := range []struct {
		name       string
		world      World
		minOverlap int // seconds of overlap
	}{
		{"it empties the lease", World{Timings: Timings(kcm, ccm), Fence: emptied, Runs: 1}, 10},
		{"its duration is shorter than the holder keeps working", World{Timings: Timings(patient, newer), Fence: brief, Runs: 1}, 5},
		{"the waiting candidate's duration is shorter than the holder keeps working", World{Timings: Timings(patient, ccm), Fence: writeFence(t, 30), Runs: 1, Renews: true}, 5},
	} {
		alone := tt.world
		alone.Runs = 0
		if without, with := Explore(alone), Explore(tt.world); without.MaxOverlap != 0 || with.MaxOverlap < tt.minOverlap {
			t.Errorf("%s: overlap is %d s, wanted at least %d s; by client-go alone %d s", tt.name, with.MaxOverlap, tt.minOverlap, without.MaxOverlap)
		}
	}
}
