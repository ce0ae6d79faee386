package rollouts_test

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/awsmigrate/awsmigrate/internal/cli"
	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/internal/testing/apiserver"
	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fleet/status"
)

func showStatus(t *testing.T, s *server) {
	n := s.space(t, waves("a1 a2", "rest"))
	n.run(t, nil, "status", "--name", "eu").expect(t, 0, "status/eu · goal Migrate", "state Pending", "the controller has not seen it yet", "next kubectl get awsm -n status")
	n.show(t, status.Moment{State: status.AwaitingApproval})
	n.run(t, nil, "status", "--name", "eu").expect(t, 0, "state Awaiting-Approval", "next awsmigrate rollout approve --name eu --namespace status")
	r := n.now(t)
	r.Status = v1alpha1.MigrationRolloutStatus{ObservedGeneration: r.Generation, Wave: "a", Counts: v1alpha1.RolloutCounts{Total: 3, Failed: 1, Waiting: 2},
		Waves:   []v1alpha1.WaveStatus{{Name: "a", State: "Stopped", Counts: v1alpha1.RolloutCounts{Total: 3, Failed: 1, Waiting: 2}}},
		Notes:   []v1alpha1.RolloutNote{{Cluster: "c-a1b2c", DisplayName: "legacy", Wave: "a", State: "Failed", Message: "check AWSM-303 fails"}},
		Display: status.Moment{State: status.Stalled, Reason: status.WaveStopped, Message: "wave a stopped"}.Display()}
	if _, err := n.rollouts.UpdateStatus(r); err != nil {
		t.Fatal(err)
	}
	n.run(t, nil, "status", "--name", "eu").expect(t, 0, "state Stalled · wave a wave a stopped", "a Stopped 3 0 0 1 2 0", "1 failed in wave a: c-a1b2c (legacy) check AWSM-303 fails", "next awsmigrate rollout retry --name eu")
	n.show(t, status.Moment{State: status.Paused})
	n.run(t, nil, "pause", "--name", "eu").expect(t, 0)
	n.run(t, nil, "status", "--name", "eu").expect(t, 0, "next awsmigrate rollout resume --name eu")
	n.run(t, nil, "status", "--name", "eu", "--watch", "-o", "json").expect(t, 2, "wanted -o text")
}

// lines is an output whose lines a test waits for.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) has(word string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Contains(l.text.String(), word)
}

// A watch prints each change once, and ends with the success of the rollout.
func watch(t *testing.T, s *server) {
	n := s.space(t, waves("a1"))
	out, ended := &lines{}, make(chan int, 1)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		ended <- cli.Main(ctx, []string{"rollout", "status", "--name", "eu", "--watch", "--kubeconfig", n.kubeconfig, "-n", n.name}, console.Streams{Out: out, Err: out})
	}()
	wait := func(word string) {
		t.Helper()
		apiserver.Eventually(t, func() bool { return out.has(word) })
	}
	wait("Pending: no controller has looked at it yet")
	n.show(t, status.Moment{State: status.Running, Message: "wave a: 1 of 3 clusters done"})
	wait("Running: wave a: 1 of 3 clusters done")
	n.show(t, status.Moment{State: status.Succeeded, Message: "3 of 3 clusters are at the goal"})
	if code := <-ended; code != 0 || !out.has("Succeeded: 3 of 3 clusters are at the goal") {
		t.Errorf("exit %d\n%s", code, out.text.String())
	}
	if got := strings.Count(out.text.String(), "\n"); got != 3 {
		t.Errorf("%d lines:\n%s", got, out.text.String())
	}
}
