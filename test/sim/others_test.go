package sim

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// Another writer changes the object of the run's edit, right before each of its writes there. Its
// change is never lost: the run sees it, or refuses and reports it.
func TestOthersEditInBetween(t *testing.T) {
	t.Run("rke2", func(t *testing.T) {
		t.Parallel()
		s := scenarios[0]
		for n := range 3 {
			w, r, seen := s.world(), s.run, 0
			r.ID = runID(1)
			r.Before = func(c Call) Outcome {
				if c.Writes && strings.HasSuffix(c.Path, "/clusters/demo") {
					if seen++; seen-1 == n {
						cluster := w.mgmt.get(provClusters, fleet, clusterName)
						global := mapAt(cluster, "spec", "rkeConfig", "machineGlobalConfig")
						global["kube-controller-manager-arg"] = append(list(global, "kube-controller-manager-arg"), "v=4")
						w.mgmt.put(provClusters, cluster, w.now)
					}
				}
				return Pass
			}
			ended := do(t, r, w)
			if class := fault.ClassOf(ended.Err); ended.Err != nil && class != fault.Stale && class != fault.Check {
				t.Errorf("before edit %d: %v", n, ended.Err)
			}
			args := fmt.Sprint(at(w.mgmt.peek(provClusters, fleet, clusterName), "spec", "rkeConfig", "machineGlobalConfig", "kube-controller-manager-arg"))
			if !strings.Contains(args, "v=4") || !strings.Contains(args, "node-monitor-period=5s") || seen <= n {
				t.Errorf("before edit %d (%d made): the arguments are %s", n, seen, args)
			}
			if len(w.Violations()) > 0 {
				t.Error(w.Violations())
			}
		}
	})
	t.Run("rke", func(t *testing.T) {
		t.Parallel()
		s := scenarios[2]
		made := cleanRun(t, s)
		every := sampleStride(max(made.files/8, 1))
		for n := 0; n < made.files; n += every {
			w, r, seen := s.world(), s.run, 0
			r.ID = runID(1)
			r.Before = func(c Call) Outcome {
				if isFile(c) {
					if seen++; seen-1 == n {
						f := w.rke.disk[clusterFile]
						f.text += "# a note of bob's\n"
						w.rke.disk[clusterFile] = f
					}
				}
				return Pass
			}
			ended := do(t, r, w)
			if class := fault.ClassOf(ended.Err); ended.Err != nil && class != fault.Usage && class != fault.Stale && class != fault.Gate {
				t.Errorf("before file operation %d: %v", n, ended.Err)
			}
			// On no file system can a change between the last look and the rename be seen.
			if f := w.rke.disk[clusterFile]; !strings.Contains(f.text, "bob") && !renames(t, s, n) || f.mode != 0o600 {
				t.Errorf("before file operation %d: the note or the mode is lost: %o\n%s", n, f.mode, f.text)
			}
		}
	})
}

// renames reports whether the n-th file operation of a clean run replaces cluster.yml.
func renames(t *testing.T, s scenario, n int) bool {
	t.Helper()
	w, r, seen, found := s.world(), s.run, 0, false
	r.ID = runID(1)
	r.Before = func(c Call) Outcome {
		if isFile(c) {
			if seen++; seen-1 == n {
				found = c.Verb == "rename" && c.Path == clusterFile
			}
		}
		return Pass
	}
	do(t, r, w)
	return found
}

// A person cordons a node during the migration. It stays cordoned, and the cordon stays theirs.
func TestCordonOfAPersonStays(t *testing.T) {
	t.Parallel()
	for _, at := range []time.Duration{5 * time.Second, 90 * time.Second, 130 * time.Second} {
		w := scenarios[0].world()
		node := w.machines[3].node
		done := false
		r := Run{ID: runID(1), Before: func(Call) Outcome {
			if !done && w.now.Sub(epoch) >= at {
				done = true
				w.cordon(node, true)
			}
			return Pass
		}}
		if ended := do(t, r, w); ended.Err != nil && fault.ClassOf(ended.Err) != fault.Stale && fault.ClassOf(ended.Err) != fault.Check {
			t.Errorf("at %s: %v", at, ended.Err)
		}
		if !done || !isCordoned(w, node) || !isCordoned(w, w.machines[4].node) {
			t.Errorf("at %s: done %t, cordons of people were removed", at, done)
		}
	}
}

func isCordoned(w *World, node string) bool {
	return at(w.down.peek("nodes", "", node), "spec", "unschedulable") == true
}

// A changed host name of a load balancer, or a Node that loses its ProviderID, is no success,
// regardless of the cause.
func TestHarmIsNoSuccess(t *testing.T) {
	for name, harm := range map[string]func(w *World){
		"host name of a load balancer": func(w *World) {
			service := w.down.get("services", "default", "front")
			mapAt(service, "status", "loadBalancer")["ingress"] = []any{object{"hostname": "b2-2.eu-west-1.elb.amazonaws.com"}}
			w.down.put("services", service, w.now)
		},
		"ProviderID": func(w *World) {
			node := w.down.get("nodes", "", w.machines[4].node)
			mapAt(node, "spec")["providerID"] = "aws:///eu-west-1b/i-0other"
			w.down.put("nodes", node, w.now)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := NewRKE2()
			done := false
			ended := do(t, Run{ID: runID(1), Before: func(Call) Outcome {
				if !done && w.now.Sub(epoch) >= 100*time.Second {
					done = true
					harm(w)
				}
				return Pass
			}}, w)
			if class := fault.ClassOf(ended.Err); !done || class != fault.Check {
				t.Errorf("done %t, class %d: %v", done, class, ended.Err)
			}
		})
	}
}

// An unreadable object is unknown, and unknown blocks: nothing is written.
func TestUnknownBlocks(t *testing.T) {
	t.Parallel()
	for _, what := range []string{"/services", "/serviceaccounts", "/storageclasses", "/daemonsets"} {
		w := NewRKE2()
		var wrote []string
		ended := do(t, Run{ID: runID(1), Before: func(c Call) Outcome {
			if c.Writes && c.Server != "management" { // home of lock and journal
				wrote = append(wrote, c.String())
			}
			if !c.Writes && strings.HasSuffix(c.Path, what) {
				return Denied
			}
			return Pass
		}}, w)
		if class := fault.ClassOf(ended.Err); ended.Err != nil && class != fault.CouldNotLook || what == "/services" && ended.Err == nil {
			t.Errorf("%s denied: class %d, %v", what, class, ended.Err)
		} else if ended.Err != nil && len(wrote) > 0 {
			t.Errorf("%s denied: wrote %v", what, wrote)
		}
	}
}

// Another controller manager stops a run before its first write, regardless of its kind of
// workload and its place.
func TestOthersManagersStopARun(t *testing.T) {
	kcm := object{"containers": []any{object{"name": "m", "image": "r/kube-controller-manager:v1.26.13", "args": []any{"--cloud-provider=external"}}}}
	ccm := object{"containers": []any{object{"name": "m", "image": "r/aws-cloud-controller-manager:v1.26.14", "args": []any{"--cloud-provider=aws"}}}}
	for _, tc := range []struct {
		name, resource, version, kind string
		spec                          object
	}{
		{"a DaemonSet of a kube-controller-manager", "daemonsets.apps", "apps/v1", "DaemonSet", object{"template": object{"spec": kcm}}},
		{"a pod of a kube-controller-manager", "pods", "v1", "Pod", kcm},
		{"a Job of a CCM", "jobs.batch", "batch/v1", "Job", object{"template": object{"spec": ccm}}},
		{"a pod of a CCM", "pods", "v1", "Pod", ccm},
	} {
		for _, scenario := range []scenario{scenarios[0], scenarios[2]} {
			t.Run(scenario.name+"/"+tc.name, func(t *testing.T) {
				t.Parallel()
				w := scenario.world()
				w.down.put(tc.resource, object{"apiVersion": tc.version, "kind": tc.kind, "metadata": object{"namespace": "default", "name": "other"}, "spec": tc.spec}, w.now)
				var wrote []string
				ended := do(t, Run{ID: runID(1), Before: func(c Call) Outcome {
					if c.Writes && !strings.Contains(c.Path, "/configmaps") && !strings.Contains(c.Path, "/leases") { // journal and lock
						wrote = append(wrote, c.String())
					}
					return Pass
				}}, w)
				if fault.ClassOf(ended.Err) != fault.Check || !strings.Contains(ended.Err.Error(), tc.kind+" default/other") || len(wrote) > 0 {
					t.Errorf("%v, wrote %v", ended.Err, wrote)
				}
			})
		}
	}
}

// Another controller manager that starts during a run stops it before the next change of the cloud
// controllers. Once it is removed, the same command completes.
func TestOthersManagerThatComesMeanwhile(t *testing.T) {
	pod := object{"apiVersion": "v1", "kind": "Pod", "metadata": object{"namespace": "default", "name": "other"},
		"spec": object{"containers": []any{object{"name": "m", "image": "r/kube-controller-manager:v1.26.13", "args": []any{"--cloud-provider=aws", "--leader-elect=false"}}}}}
	for _, scenario := range scenarios {
		moments := []struct{ when, before string }{
			{"/rolebindings", "enable-leader-migration"}, {"/nodes/", "install-ccm"}, {"/daemonsets", "switch-provider"}}
		if scenario.run.Early {
			moments[2].before = "hand-over"
		}
		if scenario.run.Method == migration.InstallManifest { // the cordon comes after it
			moments[1].before, moments = "switch-provider", moments[:2]
		}
		for _, tc := range moments {
			t.Run(scenario.name+"/before "+tc.before, func(t *testing.T) {
				t.Parallel()
				w := scenario.world()
				r := scenario.run
				came := false
				r.ID, r.Before = runID(1), func(c Call) Outcome {
					if !came && c.Writes && strings.Contains(c.Path, tc.when) {
						came = true
						w.down.put("pods", pod, w.now)
					}
					return Pass
				}
				ended := do(t, r, w)
				f, _ := fault.As(ended.Err)
				if !came || f == nil || f.Class != fault.Check || !strings.Contains(f.Error(), "Pod default/other") || !strings.Contains(f.Error(), "AWSM-205") {
					t.Fatalf("came %t: %v", came, ended.Err)
				}
				if step := ended.Result.Steps; !stoppedIn(step, tc.before) {
					t.Errorf("not stopped in %s: %+v", tc.before, step)
				}
				w.down.remove(key{"pods", "default", "other"})
				r.ID, r.Before = runID(2), nil
				if wrong := faults(w, do(t, r, w), cleanRun(t, scenario).want); wrong != "" {
					t.Error(wrong)
				}
			})
		}
	}
}

// stoppedIn reports whether a run was stopped in a step, by its result.
func stoppedIn(steps []runner.StepResult, id string) bool {
	return slices.ContainsFunc(steps, func(s runner.StepResult) bool { return string(s.ID) == id && s.Outcome == runner.Stopped })
}

// A control plane joins during a run, because a user scales its pool. The run stops before the
// switch and reports it. The next run accepts it, cordons it with the others, and completes.
func TestControlPlaneThatJoinsMeanwhile(t *testing.T) {
	t.Parallel()
	w := NewRKE2()
	came := false
	ended := do(t, Run{ID: runID(1), Before: func(c Call) Outcome {
		if !came && c.Writes && strings.Contains(c.Path, "/daemonsets") {
			came = true
			cluster := w.mgmt.get(provClusters, fleet, clusterName)
			pools := at(cluster, "spec", "rkeConfig", "machinePools").([]any)
			pools[0].(object)["quantity"] = int64(4)
			w.mgmt.put(provClusters, cluster, w.now)
			plane := w.mgmt.get(controlPlanes, fleet, clusterName)
			w.addMachine(5, true, mapAt(plane, "spec"))
		}
		return Pass
	}}, w)
	f, _ := fault.As(ended.Err)
	if !came || f == nil || f.Reason != "ControlPlanesChanged" || !strings.Contains(f.Seen, "4 now, 3 then") {
		t.Fatalf("came %t: %v", came, ended.Err)
	}
	ended = do(t, Run{ID: runID(2)}, w)
	if ended.Err != nil {
		t.Fatal(ended.Err)
	}
	for _, step := range ended.Result.Steps {
		if step.ID == "cordon" && step.Outcome != runner.Finished {
			t.Errorf("the new control plane was not cordoned: %+v", step)
		}
	}
	if wrong := w.cordonFaults(); len(wrong) > 0 {
		t.Error(wrong)
	}
}

// A user deletes a Node between two steps. The run stops before the next write and names it.
// Resumed without the Node it reports the same, and does not claim that this is another cluster.
// Once its kubelet has registered it again, with a new UID, the same command and undo continue
// with it.
func TestNodeIsDeleted(t *testing.T) {
	for _, undo := range []bool{false, true} {
		t.Run(fmt.Sprintf("undo %t", undo), func(t *testing.T) {
			t.Parallel()
			w := NewRKE2()
			m := w.machines[3]
			var node object
			ended := do(t, Run{ID: runID(1), Before: func(c Call) Outcome {
				if node == nil && c.Writes && strings.Contains(c.Path, "/daemonsets") {
					node = w.down.get("nodes", "", m.node)
					w.down.remove(key{"nodes", "", m.node})
				}
				return Pass
			}}, w)
			gone := "Machine " + m.name + ": its Node " + m.node + " is gone"
			for i, ended := range []Ended{ended, do(t, Run{ID: runID(2), Undo: undo, Timeout: 5 * time.Minute}, w)} {
				if fault.ClassOf(ended.Err) != fault.Check || !strings.Contains(fmt.Sprint(ended.Err), gone) {
					t.Errorf("run %d: %v", i, ended.Err)
				}
			}
			for _, server := range []string{"uid", "resourceVersion", "creationTimestamp"} {
				delete(mapAt(node, "metadata"), server)
			}
			w.down.put("nodes", node, w.now)
			if ended := do(t, Run{ID: runID(3), Undo: undo}, w); ended.Err != nil {
				t.Errorf("after the Node returned: %v", ended.Err)
			}
		})
	}
}

// A user pauses Rancher in the middle of a rollout. The wait ends with the last observation, a
// bounded time after the last progress. A run after the pause ends as without it.
func TestEveryWaitEnds(t *testing.T) {
	t.Parallel()
	want := cleanRun(t, scenarios[0]).want
	for _, at := range []time.Duration{25 * time.Second, 140 * time.Second} {
		w := NewRKE2()
		done := false
		ended := do(t, Run{ID: runID(1), Timeout: 10 * time.Minute, Before: func(Call) Outcome {
			if !done && w.now.Sub(epoch) >= at {
				done = true
				w.pause("true")
			}
			return Pass
		}}, w)
		e, _ := fault.As(ended.Err)
		if e == nil || !slices.Contains([]fault.Class{fault.NoProgress, fault.Check}, e.Class) || !strings.Contains(ended.Err.Error(), "pause") {
			t.Errorf("paused at %s: %v", at, ended.Err)
		}
		if took := w.Now().Sub(epoch); took > at+15*time.Minute {
			t.Errorf("paused at %s: ended after %s", at, took)
		}
		w.pause("")
		if wrong := faults(w, do(t, Run{ID: runID(2)}, w), want); wrong != "" {
			t.Errorf("paused at %s, then not: %s", at, wrong)
		}
	}
}

func (w *World) pause(value string) {
	plane := w.mgmt.get(controlPlanes, fleet, clusterName)
	if annotations := mapAt(plane, "metadata", "annotations"); value == "" {
		delete(annotations, paused)
	} else {
		annotations[paused] = value
	}
	w.mgmt.put(controlPlanes, plane, w.now)
}

// Another writer reverts an edit while it is rolled out, as Terraform does. The run stops at once
// and names the reverted places. It does not wait for a rollout that never comes.
func TestEditTakenBackWhileItRolls(t *testing.T) {
	for _, tt := range []struct {
		name string
		undo bool
		edit int // index of the edit whose rollout is hit
		wait time.Duration
	}{
		{"enable", false, 1, 0}, {"enable, later", false, 1, 10 * time.Second}, {"switch, later", false, 2, 10 * time.Second},
		{"undo-switch", true, 1, 0}, {"undo-switch, later", true, 1, 10 * time.Second}, {"undo-enable, later", true, 2, 10 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := NewRKE2()
			if tt.undo {
				if ended := do(t, Run{ID: runID(1)}, w); ended.Err != nil {
					t.Fatal(ended.Err)
				}
			}
			var before object
			var edited, since time.Time
			seen := 0
			back := func() {
				back := runtime.DeepCopyJSON(before)
				mapAt(back, "metadata")["managedFields"] = []any{
					object{"manager": "awsmigrate", "operation": "Update", "time": w.now.UTC().Format(time.RFC3339), "fieldsV1": object{"f:spec": object{}}},
					object{"manager": "terraform-provider-rancher2", "operation": "Update", "time": w.now.UTC().Format(time.RFC3339), "fieldsV1": object{"f:spec": object{}}},
					object{"manager": "rancher", "operation": "Update", "subresource": "status", "time": w.now.Add(time.Second).UTC().Format(time.RFC3339), "fieldsV1": object{"f:status": object{}}},
				}
				w.mgmt.put(provClusters, back, w.now)
				since = w.now
			}
			r := Run{ID: runID(2), Undo: tt.undo, Before: func(c Call) Outcome {
				if edits(c) && edited.IsZero() {
					before = w.mgmt.get(provClusters, fleet, clusterName)
				}
				if !edited.IsZero() && since.IsZero() && w.now.Sub(edited) >= tt.wait {
					back()
				}
				return Pass
			}, After: func(c Call) {
				if !edited.IsZero() || !edits(c) || !hasRollout(w, before) {
					return
				}
				if seen++; seen == tt.edit {
					edited = w.now
				}
			}}
			ended := do(t, r, w)
			f, _ := fault.As(ended.Err)
			if f == nil || f.Class != fault.Stale || f.Reason != "EditTakenBack" || !strings.Contains(f.Seen, "terraform-provider-rancher2") {
				t.Errorf("%v", ended.Err)
			}
			if took := w.Now().Sub(since); since.IsZero() || took > time.Minute {
				t.Errorf("it took %s", took)
			}
		})
	}
}

// The same holds for cluster.yml, which a pipeline checks out anew, before rke has read it or
// while rke works. rke is allowed to end. The run reports the revert, and does not ask for another
// run of rke.
func TestFileTakenBackWhileItRolls(t *testing.T) {
	for _, tt := range []struct {
		name string
		undo bool
		edit int // index of the edit whose rollout is hit
		wait time.Duration
	}{
		{"enable", false, 1, 0}, {"enable, later", false, 1, 3 * time.Second}, {"switch", false, 2, 0}, {"switch, later", false, 2, 3 * time.Second},
		{"undo-switch", true, 1, 0}, {"undo-switch, later", true, 1, 3 * time.Second}, {"undo-enable, later", true, 2, 3 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := NewRKE()
			if tt.undo {
				if ended := do(t, Run{ID: runID(1)}, w); ended.Err != nil {
					t.Fatal(ended.Err)
				}
			}
			before, seen := w.rke.disk[clusterFile], 0
			var old file
			var edited, since time.Time
			r := Run{ID: runID(2), Undo: tt.undo, Before: func(c Call) Outcome {
				if !edited.IsZero() && since.IsZero() && w.now.Sub(edited) >= tt.wait {
					since, w.rke.disk[clusterFile] = w.now, old
				}
				return Pass
			}, After: func(c Call) {
				now := w.rke.disk[clusterFile]
				if c.Server != "file" || now.text == before.text || !edited.IsZero() {
					return
				}
				if old, before, seen = before, now, seen+1; seen == tt.edit {
					edited = w.now
				}
			}}
			ended := do(t, r, w)
			f, _ := fault.As(ended.Err)
			if f == nil || f.Class != fault.Stale || f.Reason != "EditTakenBack" {
				t.Errorf("%v", ended.Err)
			}
			if took := w.Now().Sub(since); since.IsZero() || took > 2*time.Minute {
				t.Errorf("it took %s", took)
			}
			if got := w.rke.disk[clusterFile].text; got != old.text {
				t.Errorf("the user's file was overwritten:\n%s", got)
			}
		})
	}
}

// edits reports whether a call writes Rancher's Cluster object.
func edits(c Call) bool { return c.Writes && strings.HasSuffix(c.Path, "/clusters/"+clusterName) }

// hasRollout reports whether the machines' configuration differs from before. A snapshot is
// requested on the same object.
func hasRollout(w *World, before object) bool {
	now := w.mgmt.peek(provClusters, fleet, clusterName)
	for _, part := range []string{"machineGlobalConfig", "machineSelectorConfig"} {
		if fmt.Sprint(at(now, "spec", "rkeConfig", part)) != fmt.Sprint(at(before, "spec", "rkeConfig", part)) {
			return true
		}
	}
	return false
}

// A user deletes the CCM's DaemonSet while a step watches its pods. The run reports it at once
// instead of waiting for pods without a controller. It completes as usual once the DaemonSet is
// back.
func TestDaemonSetIsDeletedWhileItIsWatched(t *testing.T) {
	for _, s := range scenarios {
		for step, flagged := range map[string]bool{"install-ccm": true, "disable-leader-migration": false} {
			t.Run(s.name+"/"+step, func(t *testing.T) {
				t.Parallel()
				want := cleanRun(t, s).want
				w, seen, gone, taken := s.world(), time.Time{}, time.Time{}, object(nil)
				r := s.run
				r.ID, r.Before = runID(1), func(Call) Outcome {
					set := w.down.get(daemonSets, kubeSystem, ccmName)
					switch {
					case set == nil || !gone.IsZero() || strings.Contains(string(must(json.Marshal(set))), "enable-leader-migration") != flagged:
					case seen.IsZero():
						seen = w.now
					case w.now.Sub(seen) > 5*time.Second:
						w.down.remove(key{daemonSets, kubeSystem, ccmName})
						gone, taken = w.now, set
					}
					return Pass
				}
				ended := do(t, r, w)
				if f, ok := fault.As(ended.Err); !ok || f.Reason != "DaemonSetGone" || f.Class != fault.Check {
					t.Fatalf("the run ended with %v", ended.Err)
				}
				if took := w.Now().Sub(gone); took > time.Minute {
					t.Errorf("the report took %s", took)
				}
				w.down.put(daemonSets, taken, w.now)
				r.ID, r.Before = runID(2), nil
				ended = do(t, r, w)
				if wrong := faults(w, ended, want); wrong != "" {
					t.Errorf("resumed: %s", wrong)
				}
			})
		}
	}
}
