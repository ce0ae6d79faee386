package sim

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// affectNth returns an outcome for the n-th matching call.
func affectNth(n int, which func(Call) bool, outcome Outcome) func(Call) Outcome {
	seen := 0
	return func(c Call) Outcome {
		if !which(c) {
			return Pass
		}
		if seen++; seen-1 == n {
			return outcome
		}
		return Pass
	}
}

func isWrite(c Call) bool { return c.Writes }
func isRead(c Call) bool  { return !c.Writes && c.Server != "file" }
func isFile(c Call) bool  { return c.Writes && c.Server == "file" }

// clean is the undisturbed run of a scenario.
type clean struct {
	want map[string]string
	// Numbers of calls: all, writes, reads, file operations.
	all, writes, reads, files int
}

var cleans sync.Map // func() clean by the name of a scenario

// cleanRun computes the clean run of each scenario once, to compare other runs with it.
func cleanRun(t *testing.T, s scenario) clean {
	t.Helper()
	made, _ := cleans.LoadOrStore(s.name, sync.OnceValue(func() clean {
		var c clean
		w := s.world()
		r := s.run
		r.ID = runID(1)
		r.Before = func(call Call) Outcome {
			c.all++
			for counter, which := range map[*int]func(Call) bool{&c.writes: isWrite, &c.reads: isRead, &c.files: isFile} {
				if which(call) {
					*counter++
				}
			}
			return Pass
		}
		if ended := do(t, r, w); ended.Err != nil {
			t.Error(ended.Err)
		}
		c.want = w.Dump()
		return c
	}))
	return made.(func() clean)()
}

// Helm goes on after a request that failed, so the DaemonSet may run without a Role. The step
// installs again, and the same run ends as without the fault.
func TestInstallationCutByOneRequest_completed(t *testing.T) {
	t.Parallel()
	s := scenarios[0]
	want := cleanRun(t, s).want
	for _, kind := range []string{"serviceaccounts", "configmaps", "clusterroles", "clusterrolebindings", "roles", "rolebindings", "daemonsets"} {
		t.Run(kind, func(t *testing.T) {
			installs, failed := false, false
			w, r := s.world(), s.run
			r.ID = runID(1)
			r.Before = func(c Call) Outcome {
				posts := c.Writes && c.Server == "downstream" && c.Verb == http.MethodPost
				installs = installs || posts && strings.HasSuffix(c.Path, "/kube-system/secrets")
				if failed || !installs || !posts || !strings.HasSuffix(c.Path, "/"+kind) {
					return Pass
				}
				failed = true
				return Internal
			}
			ended := do(t, r, w)
			if !failed {
				t.Fatal("no request failed")
			}
			if wrong := faults(w, ended, want); wrong != "" {
				t.Error(wrong)
			}
		})
	}
}

// One call fails. The run recovers, or stops with a class that explains it. The next run ends as
// without the fault.
func TestOneCallFails(t *testing.T) {
	stale := []fault.Class{fault.Stale, fault.CouldNotLook}
	for _, tt := range []struct {
		name    string
		on      int // scenario
		which   func(Call) bool
		outcome Outcome
		fast    int           // stride of the tried calls in a fast run
		may     []fault.Class // permitted classes of an error; if nil, the run must recover
	}{
		{"a write is lost", 0, isWrite, Lose, 24, stale},
		{"the reply to a write is lost", 0, isWrite, LoseReply, 24, stale},
		{"the answer to a write is torn", 0, isWrite, Torn, 24, stale},
		{"a write conflicts", 0, isWrite, Conflict, 24, append(stale, fault.Unexpected)},
		{"a write is denied", 0, isWrite, Denied, 24, append(stale, fault.Unexpected)},
		{"a write is answered with 429", 0, isWrite, Busy, 24, stale},
		{"a write is answered with 500", 0, isWrite, Internal, 24, stale},
		{"a write is answered with 503", 0, isWrite, Away, 24, stale},
		{"a read is answered with 503", 0, isRead, Away, 500, stale},
		{"the answer to a read is torn", 0, isRead, Torn, 500, stale},
		{"a read is never answered", 0, isRead, Hang, 700, stale},
		{"a read is denied", 0, isRead, Denied, 500, append(stale, fault.Check, fault.Unexpected)},
		{"a file operation fails", 2, isFile, Lose, 12, []fault.Class{fault.Usage, fault.Unexpected}},
		{"the disk is full", 2, isFile, Denied, 12, []fault.Class{fault.Usage, fault.Unexpected}},
		{"the reply to a write is lost, rke", 2, isWrite, LoseReply, 40, append(stale, fault.Usage, fault.Unexpected)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := scenarios[tt.on]
			made := cleanRun(t, s)
			want, n := made.want, made.reads
			if tt.which(Call{Writes: true, Server: "file"}) {
				n = made.writes
			}
			if tt.on == 2 && !tt.which(Call{Writes: true}) {
				n = made.files
			}
			every, tried, over := sampleStride(tt.fast), 0, 0
			for i := every / 2; i < n; i += every {
				w := s.world()
				r := s.run
				r.ID, r.Before = runID(1), affectNth(i, tt.which, tt.outcome)
				ended := do(t, r, w)
				tried++
				if ended.Err == nil {
					over++
				} else {
					if class := fault.ClassOf(ended.Err); !slices.Contains(tt.may, class) {
						t.Errorf("call %d: ended with class %d: %v", i, class, ended.Err)
					}
					r.Before, r.ID = nil, runID(2)
					ended = do(t, r, w)
				}
				if wrong := faults(w, ended, want); wrong != "" {
					t.Errorf("call %d: %s", i, wrong)
				}
			}
			if tried == 0 {
				t.Fatal("no call was tried")
			}
			t.Logf("counts: %s: %d calls, %d tried, the run recovered from %d", tt.name, n, tried, over)
		})
	}
}

// The API servers are unavailable for a while. No run fails, and none considers its lock lost.
func TestAPIServersAreAway(t *testing.T) {
	for i, s := range scenarios {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			want := cleanRun(t, s).want
			for _, from := range []time.Duration{20 * time.Second, 80 * time.Second, 150 * time.Second} {
				w, r := s.world(), s.run
				r.ID = runID(1)
				r.Before = func(c Call) Outcome {
					if at := w.now.Sub(epoch); c.Server != "file" && at >= from && at < from+50*time.Second {
						return Away
					}
					return Pass
				}
				if wrong := faults(w, do(t, r, w), want); wrong != "" {
					t.Errorf("scenario %d, away from %s on: %s", i, from, wrong)
				}
			}
		})
	}
}

// Rights are revoked for good: nothing more is written, and the exit code reports unreadable
// objects.
func TestRightsAreTakenAway(t *testing.T) {
	t.Parallel()
	s := scenarios[0]
	made := cleanRun(t, s)
	want, n := made.want, made.reads
	for _, from := range []int{n / 5, n / 2, n * 4 / 5} {
		w, r, late := s.world(), s.run, 0
		reads := 0
		r.ID = runID(1)
		r.Before = func(c Call) Outcome {
			if isRead(c) {
				reads++
			}
			if reads <= from {
				return Pass
			}
			if c.Writes {
				late++
			}
			return Denied
		}
		ended := do(t, r, w)
		if class := fault.ClassOf(ended.Err); class != fault.CouldNotLook {
			t.Errorf("from read %d on: class %d, %v", from, class, ended.Err)
		}
		r.Before, r.ID = nil, runID(2)
		if wrong := faults(w, do(t, r, w), want); wrong != "" {
			t.Errorf("from read %d on: %s", from, wrong)
		}
	}
}

// The machine's clock is wrong by hours, runs at double speed for a while, or jumps back. Nothing
// is decided by a comparison with another clock.
func TestClocksDisagree(t *testing.T) {
	for name, by := range map[string]func() time.Duration{
		"hours ahead":  func() time.Duration { return 5 * time.Hour },
		"hours behind": func() time.Duration { return -5 * time.Hour },
		"jumps back": func() time.Duration {
			if time.Since(epoch) > 100*time.Second {
				return -time.Hour
			}
			return 0
		},
		"jumps ahead": func() time.Duration {
			if time.Since(epoch) > 100*time.Second {
				return time.Minute
			}
			return 0
		},
	} {
		for _, s := range []scenario{scenarios[0], scenarios[natural]} {
			t.Run(name+", "+s.name, func(t *testing.T) {
				t.Parallel()
				want := cleanRun(t, s).want
				w, r := s.world(), s.run
				r.ID, r.Clock = runID(1), skewed{by: by}
				if wrong := faults(w, do(t, r, w), want); wrong != "" {
					t.Error(wrong)
				}
			})
		}
	}
}

// A first interrupt at any call ends the run within a minute. The lock is released and the history
// is closed; the next run resumes.
func TestInterruptedAtAnyCall(t *testing.T) {
	for _, s := range []scenario{scenarios[0], scenarios[2], scenarios[inRancher]} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			made := cleanRun(t, s)
			want, n := made.want, made.all
			every := sampleStride(n / 6)
			for i := every / 2; i < n; i += every {
				w, r := s.world(), s.run
				var ended Ended
				var took time.Duration
				synctest.Test(t, func(t *testing.T) {
					stop := make(chan struct{})
					var at time.Time
					seen := 0
					r.ID, r.Interrupt = runID(1), stop
					r.Before = func(Call) Outcome {
						if seen++; seen-1 == i {
							at = time.Now()
							close(stop)
						}
						return Pass
					}
					ended = r.On(t.Context(), w)
					took = time.Since(at)
				})
				if ended.Err != nil && fault.ClassOf(ended.Err) != fault.Interrupted || took > time.Minute {
					t.Errorf("call %d: %v after %s", i, ended.Err, took)
				}
				if held := w.lockHolder(); held != "" {
					t.Errorf("call %d: the lock was not released: %s", i, held)
				}
				r.Interrupt, r.Before, r.ID = nil, nil, runID(2)
				if wrong := faults(w, do(t, r, w), want); wrong != "" {
					t.Errorf("call %d: %s", i, wrong)
				}
			}
		})
	}
}

func (w *World) lock() (*server, key) {
	for _, s := range []*server{w.mgmt, w.down} {
		if s == nil {
			continue
		}
		for k := range s.objects {
			if k.resource == leasesResource && isOwn(k) {
				return s, k
			}
		}
	}
	return nil, key{}
}

func (w *World) lockHolder() string {
	s, k := w.lock()
	if s == nil {
		return ""
	}
	return text(s.objects[k].body, "spec", "holderIdentity")
}

// proofTTL is the time for which a read of our lock counts: a dead owner's lock is taken after
// minutes at the earliest.
const proofTTL = 5 * time.Second

// exposed returns the calls after a renewal of the lock whose next write comes when the last proof
// is stale, but before the next renewal. If a run loses its lock there, only a proof stops that
// write.
func exposed(t *testing.T, s scenario) []int {
	t.Helper()
	type call struct {
		at             time.Time
		writes, renews bool
	}
	var all []call
	w, r := s.world(), s.run
	r.ID = runID(1)
	r.Before = func(c Call) Outcome {
		all = append(all, call{time.Now(), c.Writes, c.Writes && strings.Contains(c.Path, "/leases/awsmigrate-")})
		return Pass
	}
	if ended := do(t, r, w); ended.Err != nil {
		t.Fatal(ended.Err)
	}
	var found []int
	for n := 1; n < len(all); n++ {
		if !all[n-1].renews || all[n].writes {
			continue
		}
		next := n + slices.IndexFunc(all[n:], func(c call) bool { return c.writes })
		if next > n && !all[next].renews && all[next].at.Sub(all[n].at) > proofTTL {
			found = append(found, n)
		}
	}
	return found
}

// A run whose lock was taken or deleted begins nothing after its next look at the lock is due, and
// reports the loss. The test takes the lock from a live owner.
func TestSupersededRunStops(t *testing.T) {
	for _, s := range []scenario{scenarios[0], scenarios[natural]} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			superseded(t, s)
		})
	}
}

func superseded(t *testing.T, s scenario) {
	t.Helper()
	calls := exposed(t, s)
	if len(calls) == 0 {
		t.Fatal("no write depends on the proof alone")
	}
	type moment struct{ write, call int }
	moments := []moment{{write: 8}, {write: 20}, {write: 34}, {write: 50}}
	for _, n := range calls {
		moments = append(moments, moment{call: n})
	}
	for _, how := range []string{"taken", "deleted"} {
		for _, at := range moments {
			w, r := s.world(), s.run
			r.ID = runID(1)
			stolen, late, when := false, []string{}, time.Time{}
			r.Sink = runner.SinkFunc(func(e runner.Event) {
				// A renewal of the lock, every 20 s, notices the loss.
				if stolen && e.Time.Sub(when) > 30*time.Second && e.Type != runner.StepWarning {
					late = append(late, fmt.Sprintf("%s %s after %s", e.Type, e.Step, e.Time.Sub(when)))
				}
			})
			r.Before = func(c Call) Outcome {
				if !stolen && (at.write > 0 && c.Writes && c.Write >= at.write || at.call > 0 && c.N >= at.call) {
					stolen, when = true, time.Now()
					server, k := w.lock()
					if how == "deleted" {
						server.remove(k)
					} else {
						lease := server.get(k.resource, k.namespace, k.name)
						mapAt(lease, "spec")["holderIdentity"] = "another"
						server.put(k.resource, lease, w.now)
					}
					return Pass
				}
				if stolen && c.Writes && time.Since(when) > proofTTL {
					late = append(late, c.String())
				}
				return Pass
			}
			ended := do(t, r, w)
			if fault.ClassOf(ended.Err) != fault.Locked {
				t.Errorf("%s at %+v: %v", how, at, ended.Err)
			}
			// The run may still try to renew the lock.
			late = slices.DeleteFunc(late, func(c string) bool { return strings.Contains(c, "/leases/awsmigrate-") })
			if len(late) > 0 {
				t.Errorf("%s at %+v: wrote afterwards: %v", how, at, late)
			}
			if len(w.Violations()) > 0 {
				t.Errorf("%s at %+v: %v", how, at, w.Violations())
			}
		}
	}
}

// Two people run at once on two machines; the second run begins after any write of the first. One
// acts. The other names the owner, or starts after the first has ended.
func TestTwoRunners(t *testing.T) {
	for _, s := range []scenario{scenarios[0], scenarios[natural]} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			tryTwoRunners(t, s)
		})
	}
}

func tryTwoRunners(t *testing.T, s scenario) {
	t.Helper()
	first, every, tried, locked := cleanRun(t, s), sampleStride(12), 0, 0
	for n := 0; n < first.writes; n += every {
		tried++
		w := s.world()
		var one, two Ended
		meanwhile := 0
		synctest.Test(t, func(t *testing.T) {
			begun, done := make(chan struct{}), make(chan struct{})
			go func() {
				defer close(done)
				one = Run{ID: "run-a", Early: s.run.Early, Elsewhere: true, After: func(c Call) {
					if c.Writes && c.Write == n {
						close(begun)
					}
				}}.On(t.Context(), w)
			}()
			<-begun
			two = Run{ID: "run-b", Early: s.run.Early, Elsewhere: true, Before: func(c Call) Outcome {
				select {
				case <-done:
				default:
					if c.Writes {
						meanwhile++
					}
				}
				return Pass
			}}.On(t.Context(), w)
			<-done
		})
		if two.Err != nil && fault.ClassOf(two.Err) != fault.Locked || meanwhile > 0 {
			t.Errorf("second after write %d: %v, %d writes during the first", n, two.Err, meanwhile)
		}
		if fault.ClassOf(two.Err) == fault.Locked {
			locked++
		}
		if wrong := faults(w, one, first.want); wrong != "" {
			t.Errorf("second after write %d: first run: %s", n, wrong)
		}
	}
	if locked == 0 {
		t.Error("no second run found the first one's lock")
	}
	t.Logf("counts: %s: a second run after %d of %d writes, %d met the first", s.name, tried, first.writes, locked)
}

// The lock of a run that died on another machine is taken over within its duration plus half a
// minute, without action.
func TestDeadOwnersLockIsTakenOver(t *testing.T) {
	t.Parallel()
	for _, at := range []int{10, 30, 60} {
		s := scenarios[0]
		w := s.world()
		kill := func(c Call) Outcome {
			if c.Writes && c.Write == at {
				return KillAfter
			}
			return Pass
		}
		ended := do(t, Run{ID: runID(1), Elsewhere: true, Before: kill}, w)
		if !ended.Killed {
			t.Fatalf("write %d was never made", at)
		}
		died := w.Now()
		var took time.Duration
		r := Run{ID: runID(2), Elsewhere: true, Sink: runner.SinkFunc(func(e runner.Event) {
			if e.Type == runner.LockTaken {
				took = w.now.Sub(died)
			}
		})}
		if ended := do(t, r, w); ended.Err != nil {
			t.Errorf("write %d: %v", at, ended.Err)
		}
		if took < 100*time.Second || took > 150*time.Second {
			t.Errorf("write %d: the lock was taken after %s", at, took)
		}
	}
}
