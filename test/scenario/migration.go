package scenario

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// oldService is the lab's load balancer from before the migration.
const oldService = "web"

// Migration is one complete migration, with everything that must survive it and the events
// meanwhile.
type Migration struct {
	Lab  *Lab
	Out  io.Writer
	Args []string // of awsmigrate, after the target and --yes
	// Switching is called once, when switch-provider has begun.
	Switching func(context.Context) error
}

// Evidence describes the result of a migration.
type Evidence struct {
	Nodes       int
	Hostname    string
	Cordoned    []string
	Took        time.Duration
	Observation Observation
	Report      string // the observer's text
	Output      string // awsmigrate's
	ClusterFile string // cluster.yml afterwards, or empty
}

// Do migrates and checks from outside that nothing was lost. The error lists all failed checks,
// not only the first.
func (m Migration) Do(ctx context.Context) (Evidence, error) {
	var e Evidence
	before, err := m.Lab.takeStock(ctx)
	if err != nil {
		return e, err
	}
	run, err := m.Lab.Start(ctx, m.Out, m.Lab.Command("", append([]string{"--yes"}, m.Args...)...)...)
	if err != nil {
		return e, err
	}
	if err := m.meanwhile(ctx, run); err != nil {
		return e, err
	}
	code, err := run.Wait(ctx)
	if err != nil {
		return e, err
	}
	e.Took, e.Output = time.Since(before.start), run.Stdout()+run.Stderr()
	if code != 0 {
		return e, fmt.Errorf("awsmigrate exited with %d", code)
	}
	return before.judge(ctx, e)
}

// stock is the state that must survive a migration.
type stock struct {
	lab      *Lab
	start    time.Time
	nodes    map[string]Identity
	hostname string // of the old Service
	cordoned []string
}

func (l *Lab) takeStock(ctx context.Context) (stock, error) {
	s := stock{lab: l, start: time.Now()}
	var err error
	if s.nodes, err = l.Identities(ctx); err != nil {
		return s, err
	}
	if s.hostname, err = l.Hostname(ctx, "default", oldService); err != nil {
		return s, err
	}
	s.cordoned, err = l.Cordoned(ctx)
	return s, err
}

func (m Migration) meanwhile(ctx context.Context, run *Run) error {
	if m.Switching == nil {
		return nil
	}
	err := Until(ctx, "switch-provider to begin", func(context.Context) (bool, string, error) {
		select {
		case <-run.Done():
			return true, "", nil
		default:
		}
		return strings.Contains(run.Stdout(), "◐  switch-provider"), "awsmigrate runs", nil
	})
	if err != nil {
		return err
	}
	return m.Switching(ctx)
}

// judge completes the evidence of a migration.
func (s stock) judge(ctx context.Context, e Evidence) (Evidence, error) {
	var problems []error
	problem := func(format string, args ...any) { problems = append(problems, fmt.Errorf(format, args...)) }
	after, err := s.lab.Identities(ctx)
	if err != nil {
		return e, err
	}
	for name, was := range s.nodes {
		if now, ok := after[name]; !ok || now != was {
			problem("Node %s: UID and ProviderID %v, were %v", name, now, was)
		}
	}
	e.Nodes = len(s.nodes)
	if e.Hostname, err = s.lab.Hostname(ctx, "default", oldService); err != nil || e.Hostname != s.hostname || s.hostname == "" {
		problem("Service default/%s: hostname %q, was %q (%w)", oldService, e.Hostname, s.hostname, err)
	}
	if e.Cordoned, err = s.lab.Cordoned(ctx); err != nil || !slices.Equal(e.Cordoned, s.cordoned) {
		problem("cordoned nodes %v, were %v (%w)", e.Cordoned, s.cordoned, err)
	}
	if e.Observation, e.Report, err = s.lab.Observe(ctx, s.start.Add(-10*time.Second)); err != nil {
		problem("%w", err)
	}
	if n := e.Observation.Overlaps(); n > 0 {
		problem("the observer reports %d overlaps:\n%s", n, e.Report)
	}
	for _, blind := range e.Observation.Blind {
		problem("the observer is blind: %s", blind)
	}
	return e, errors.Join(problems...)
}

// Grow adds a worker and waits until its Node has lost the taint that a cloud provider removes. It
// returns the new Node.
func (l *Lab) Grow(ctx context.Context, pool string, to int) (corev1.Node, error) {
	before, err := l.Identities(ctx)
	if err != nil {
		return corev1.Node{}, err
	}
	if err := l.Lab(ctx, "scale", pool, fmt.Sprint(to)); err != nil {
		return corev1.Node{}, err
	}
	var joined corev1.Node
	err = Until(ctx, "a new worker to be initialized by the cloud controller manager", func(ctx context.Context) (bool, string, error) {
		nodes, err := l.Downstream.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, "", err
		}
		for _, node := range nodes.Items {
			if _, old := before[node.Name]; !old {
				joined = node
				return !Tainted(&node) && node.Spec.ProviderID != "", "Node " + node.Name + " has joined", nil
			}
		}
		return false, "no new Node", nil
	})
	return joined, err
}

// Shrink removes a worker and waits until its Node is gone and no load balancer lists its
// instance. It returns the instance's ID.
func (l *Lab) Shrink(ctx context.Context, pool string, to int, hostnames ...string) (string, error) {
	before, err := l.Identities(ctx)
	if err != nil {
		return "", err
	}
	if err := l.Lab(ctx, "scale", pool, fmt.Sprint(to)); err != nil {
		return "", err
	}
	gone := ""
	err = Until(ctx, "a worker to leave", func(ctx context.Context) (bool, string, error) {
		after, err := l.Identities(ctx)
		if err != nil {
			return false, "", err
		}
		for name := range before {
			if _, still := after[name]; !still {
				gone = instanceOf(before[name].ProviderID)
				return true, "", nil
			}
		}
		return false, fmt.Sprintf("%d Nodes", len(slices.Collect(maps.Keys(after)))), nil
	})
	if err != nil {
		return "", err
	}
	return gone, l.WaitTarget(ctx, gone, false, hostnames...)
}

// WaitTarget waits until an instance is, or is no longer, a target of all named load balancers.
func (l *Lab) WaitTarget(ctx context.Context, instance string, wanted bool, hostnames ...string) error {
	for _, hostname := range hostnames {
		err := Until(ctx, fmt.Sprintf("instance %s to be a target of %s: %t", instance, hostname, wanted), func(ctx context.Context) (bool, string, error) {
			targets, err := l.Targets(ctx, hostname)
			return slices.Contains(targets, instance) == wanted, strings.Join(targets, " "), err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
