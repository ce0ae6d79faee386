package rke2checks

import (
	"testing"

	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
)

func TestJudgeHealthChecks_andConcurrency(t *testing.T) {
	pool := func(timeout string, plane, etcd bool) config.Pool {
		return config.Pool{Name: "p", UnhealthyNodeTimeout: timeout, ControlPlane: plane, Etcd: etcd}
	}
	for name, tt := range map[string]struct {
		pool config.Pool
		want verify.Status
	}{
		"none":                    {pool("", true, true), ""},
		"none, as a number":       {pool("0s", true, true), ""},
		"a moment":                {pool("1ns", true, true), verify.Fail},
		"short, on servers":       {pool("9m59s", true, true), verify.Fail},
		"short, on etcd":          {pool("5m", false, true), verify.Fail},
		"short, on control plane": {pool("5m", true, false), verify.Fail},
		"short, on workers":       {pool("5m", false, false), verify.Warn},
		"long enough":             {pool("10m", true, true), verify.Warn},
		"no duration":             {pool("soon", true, true), verify.Fail},
	} {
		p := sound()
		p.Cluster.Spec.Pools = []config.Pool{tt.pool}
		if got := statusOf(judgeHealthChecks(*p)); got != tt.want {
			t.Errorf("%s: %q", name, got)
		}
	}
	for name, tt := range map[string]struct {
		concurrency string
		planes      int
		want        verify.Status
	}{
		"the default":         {"", 3, ""},
		"one":                 {"1", 3, ""},
		"all":                 {"0", 3, verify.Fail},
		"two":                 {"2", 3, verify.Warn},
		"all of two":          {"0", 2, verify.Fail},
		"all of a single one": {"0", 1, ""},
	} {
		p := sound()
		p.Machines = p.Machines[:tt.planes]
		p.Cluster.Spec.Upgrade.ControlPlaneConcurrency = tt.concurrency
		if got := statusOf(judgeConcurrency(*p)); got != tt.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestJudgeWorkerConcurrency(t *testing.T) {
	for name, tt := range map[string]struct {
		concurrency string
		workers     int
		want        verify.Status
	}{
		"the default":         {"", 3, ""},
		"one":                 {"1", 3, ""},
		"two of three":        {"2", 3, ""},
		"all":                 {"0", 3, verify.Warn},
		"as many":             {"3", 3, verify.Warn},
		"more":                {"10", 3, verify.Warn},
		"a share of all":      {"100%", 3, verify.Warn},
		"a share, rounded up": {"67%", 3, verify.Warn},
		"a smaller share":     {"66%", 3, ""},
		"no share":            {"0%", 3, verify.Warn},
		"of a single one":     {"0", 1, ""},
		"of none":             {"0", 0, ""},
		"unreadable":          {"some", 3, ""},
	} {
		p := sound()
		worker := p.Machines[3]
		p.Machines = p.Machines[:3]
		for range tt.workers {
			p.Machines = append(p.Machines, worker)
		}
		p.Cluster.Spec.Upgrade.WorkerConcurrency = tt.concurrency
		if got := statusOf(judgeWorkerConcurrency(*p)); got != tt.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func statusOf(found []verify.Finding) verify.Status {
	if len(found) == 0 {
		return ""
	}
	return found[0].Status
}

// A gate that is fatal in the next version is a failure only if the run upgrades to it.
func TestJudgeArguments_fatalGateOfNextVersion(t *testing.T) {
	for target, want := range map[string]verify.Status{"": verify.Warn, "v1.27.16+rke2r1": verify.Fail} {
		p := sound()
		p.Options.KubernetesVersion = target
		p.Cluster.Spec.Global["kube-controller-manager-arg"] = []any{"feature-gates=CSIMigrationAWS=true", "concurrent-service-syncs=2"}
		if got := judgeArguments(*p); len(got) != 1 || got[0].Status != want {
			t.Errorf("%q: %+v", target, got)
		}
	}
}
