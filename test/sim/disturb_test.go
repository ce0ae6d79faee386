package sim

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/audit"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
)

// disturbance is a change that others make to a cluster between two runs.
type disturbance struct {
	name   string
	change func(*World)
	breaks string // the promise that the change breaks, or empty
	at3    seen   // with the CCM installed
	at4    seen   // with the whole cluster on the external provider
}

// seen holds the results of an audit and of the next run for a disturbance on RKE2.
type seen struct {
	position string // with "mixed" if machines differ
	failed   string // IDs of failed checks, in order
	exit     int
	reason   string
}

// disturbances are changes by users, other tools and broken machines. None targets only parts that
// awsmigrate wrote.
var disturbances = []disturbance{
	{
		name:   "a node cordoned",
		change: func(w *World) { w.cordon(w.machines[0].node, true) },
		at3:    seen{position: "P3"},
		at4:    seen{position: "P4"},
	},
	{
		name: "all nodes uncordoned",
		change: func(w *World) {
			for _, m := range w.machines {
				w.cordon(m.node, false)
			}
		},
		at3: seen{position: "P3"},
		at4: seen{position: "P4"},
	},
	{
		name:   "a node without its ProviderID",
		change: changeNode(4, func(node object) { delete(mapAt(node, "spec"), "providerID") }),
		breaks: "S2",
		at3:    seen{position: "P3", failed: "AWSM-301 AWSM-312", exit: 3, reason: "ChecksFailed"},
		at4:    seen{position: "P4", failed: "AWSM-301 AWSM-312", exit: 3, reason: "ChecksFailed"},
	},
	{
		name:   "a node with the ProviderID of another instance",
		change: changeNode(4, func(node object) { mapAt(node, "spec")["providerID"] = "aws:///eu-west-1b/i-0other" }),
		breaks: "S2",
		at3:    seen{position: "P3", failed: "AWSM-301 AWSM-312", exit: 3, reason: "ChecksFailed"},
		at4:    seen{position: "P4", failed: "AWSM-301 AWSM-312", exit: 3, reason: "ChecksFailed"},
	},
	{
		name: "a node that waits for its cloud provider",
		change: changeNode(3, func(node object) {
			mapAt(node, "spec")["taints"] = []any{object{"key": "node.cloudprovider.kubernetes.io/uninitialized", "value": "true", "effect": "NoSchedule"}}
		}),
		at3: seen{position: "P3"},
		at4: seen{position: "P4"},
	},
	{
		name:   "a node not ready",
		change: func(w *World) { w.setNodeReady(w.machines[3].node, false) },
		at3:    seen{position: "P3", failed: "AWSM-105 AWSM-307", exit: 3, reason: "ChecksFailed"},
		at4:    seen{position: "P4", failed: "AWSM-105 AWSM-307", exit: 3, reason: "ChecksFailed"},
	},
	{
		name:   "the DaemonSet deleted",
		change: func(w *World) { w.down.remove(key{daemonSets, kubeSystem, ccmName}) },
		at3:    seen{position: "P2"},
		at4:    seen{position: "unknown mixed", failed: "AWSM-103 AWSM-116 AWSM-213 AWSM-604 AWSM-612", exit: 3, reason: "HalfMigrated"},
	},
	{
		name:   "the migration lease deleted",
		change: func(w *World) { w.down.remove(key{leasesResource, kubeSystem, migrationLease}) },
		breaks: "S1",
		at3:    seen{position: "P3"},
		at4:    seen{position: "P3 mixed", failed: "AWSM-103 AWSM-116"},
	},
	{
		name: "the migration lease held by a stranger",
		change: func(w *World) {
			w.writeLease(w.down.get(leasesResource, kubeSystem, migrationLease), migrationLease, &process{id: "stranger_1", component: kcmName})
		},
		at3: seen{position: "P3"}, // taken by a candidate during the reading
		at4: seen{position: "P4 mixed", failed: "AWSM-208 AWSM-209", exit: 3, reason: "ChecksFailed"},
	},
	{
		name:   "no CCM runs",
		change: func(w *World) { w.stop(func(p process) bool { return p.component == ccmName }) },
		at3:    seen{position: "P3", failed: "AWSM-612", exit: 3, reason: "ChecksFailed"},
		at4:    seen{position: "P4 mixed", failed: "AWSM-209 AWSM-612", exit: 3, reason: "ChecksFailed"},
	},
	{
		name: "a bare pod of a kube-controller-manager",
		change: func(w *World) {
			spec := object{"containers": []any{object{"name": "m", "image": "r/kube-controller-manager:v1.26.13", "args": []any{"--cloud-provider=aws"}}}}
			w.down.put(pods, object{"apiVersion": "v1", "kind": "Pod", "metadata": object{"namespace": "default", "name": "other"}, "spec": spec}, w.now)
		},
		at3: seen{position: "P3", failed: "AWSM-205 AWSM-215", exit: 3, reason: "ChecksFailed"},
		at4: seen{position: "P4", failed: "AWSM-205 AWSM-215", exit: 3, reason: "ChecksFailed"},
	},
	{
		name: "another host name of a load balancer",
		change: func(w *World) {
			service := w.down.get("services", "default", "front")
			mapAt(service, "status", "loadBalancer")["ingress"] = []any{object{"hostname": "b2-2.eu-west-1.elb.amazonaws.com"}}
			w.down.put("services", service, w.now)
		},
		at3: seen{position: "P3", failed: "AWSM-801", exit: 3, reason: "ChecksFailed"},
		at4: seen{position: "P4", failed: "AWSM-801", exit: 3, reason: "ChecksFailed"},
	},
	{
		name: "the grant deleted",
		change: func(w *World) {
			for k := range w.down.objects {
				if k.name == "awsmigrate-leader-migration" {
					w.down.remove(k)
				}
			}
		},
		at3: seen{position: "unknown mixed", failed: "AWSM-201 AWSM-213 AWSM-311", exit: 3, reason: "HalfMigrated"}, // the CCM takes the lease by its own Role
		at4: seen{position: "P4"},
	},
	{
		name: "the journal deleted",
		change: func(w *World) {
			home := w.mgmt
			if home == nil {
				home = w.down
			}
			for k := range home.objects {
				if k.resource == "configmaps" && isOwn(k) {
					home.remove(k)
				}
			}
		},
		at3: seen{position: "P3"},
		at4: seen{position: "P4"},
	},
	{
		name: "Rancher paused",
		change: func(w *World) {
			if w.rancher != nil {
				w.pause("true")
			}
		},
		at3: seen{position: "P3", failed: "AWSM-105", exit: 3, reason: "ChecksFailed"},
		at4: seen{position: "P4", failed: "AWSM-105", exit: 11, reason: "NoProgress"},
	},
	{
		name:   "an hour later",
		change: func(w *World) { w.advanceBy(time.Hour) },
		at3:    seen{position: "P3"},
		at4:    seen{position: "P4"},
	},
}

func changeNode(i int, change func(node object)) func(*World) {
	return func(w *World) {
		node := w.down.get("nodes", "", w.machines[i].node)
		change(node)
		w.down.put("nodes", node, w.now)
	}
}

// A change by others gives the same position and the same failed checks, regardless of the next
// run. The run completes, or stops with the exit code and reason of its row.
func TestRunAfterDisturbance(t *testing.T) {
	s := scenarios[0]
	for until, of := range map[journal.StepID]func(disturbance) seen{
		migration.StepInstall: func(d disturbance) seen { return d.at3 },
		migration.StepVerify:  func(d disturbance) seen { return d.at4 },
	} {
		t.Run(string(until), func(t *testing.T) {
			t.Parallel()
			w, r := s.world(), s.run
			r.ID, r.Until = runID(1), until
			if ended := do(t, r, w); ended.Err != nil {
				t.Fatal(ended.Err)
			}
			for _, d := range disturbances {
				mine := w.clone()
				d.change(mine)
				got := s.auditOf(t, mine)
				again := s.run
				again.ID, again.Until = mine.nextRun(), migration.StepVerify
				ended := do(t, again, mine)
				got.exit, got.reason = view.ExitCode(ended.Err), reasonOf(ended.Err)
				if want := of(d); got != want {
					t.Errorf("%s: got %+v, want %+v", d.name, got, want)
				}
				if wrong := brokenPromises(mine, d); len(wrong) > 0 {
					t.Errorf("%s: %v", d.name, wrong)
				}
			}
		})
	}
}

// auditOf returns the position and the failed checks of an audit of w.
func (s scenario) auditOf(t *testing.T, w *World) (got seen) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		inspection, err := s.inspect(t, w.clone())
		if err != nil {
			t.Error(err)
			return
		}
		at := inspection.Input.Position
		report := verify.RunAll(t.Context(), inspection.Bound(), verify.Options{Position: at.Position})
		var failed []string
		for _, result := range report.With(verify.Fail) {
			failed = append(failed, result.ID)
		}
		if got.position = at.Position.String(); at.Mixed {
			got.position += " mixed"
		}
		got.failed = strings.Join(failed, " ")
	})
	return got
}

// inspect reads the input of all checks, with the journal.
func (s scenario) inspect(t *testing.T, w *World) (audit.Inspection, error) {
	t.Helper()
	pass(max(0, time.Until(w.Now())))
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	r := s.run
	r.ID, r.Clock = "look", clock.RealClock{}
	procedure, home, err := r.open(ctx, w, &Process{world: w, die: cancel})
	if err != nil {
		return audit.Inspection{}, err
	}
	target := procedure.Target()
	state, err := journal.NewConfigMap(home, target.Namespace, journal.Name(target.Name), target).Load(ctx)
	if err != nil {
		return audit.Inspection{}, err
	}
	return gather(ctx, looker(procedure), state.Record())
}

// brokenPromises returns the broken promises of w that none of the disturbances breaks.
func brokenPromises(w *World, others ...disturbance) []string {
	return slices.DeleteFunc(w.Violations(), func(violation string) bool {
		return slices.ContainsFunc(others, func(d disturbance) bool {
			return d.breaks != "" && strings.HasPrefix(violation, d.breaks+":")
		})
	})
}

func reasonOf(err error) string {
	if f, ok := fault.As(err); ok {
		return f.Reason
	}
	return ""
}
