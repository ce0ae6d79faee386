package node

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/awsmigrate/awsmigrate/test/lab/docker"
)

// dockerd runs a machine's components on clusters of rke: as containers that no API shows. They
// outlive their creator, and a restart policy restarts them. After a boot it restarts every
// container that was ever started, including one that rke stopped and left.
type dockerd struct {
	a   *Agent
	s   *session
	ctx context.Context // of the machine's power

	mu         sync.Mutex
	containers map[string]*dockerContainer
	ran        map[string]bool // components that a new container replaces
	current    *kubelet
}

type dockerContainer struct {
	docker.Spec
	task *task // nil until its first start after a boot
	// started reports whether the container was ever started, before this boot or since.
	started bool
	// asked reports whether someone asked for its health since its start.
	asked bool
	stop  func() // returns when the process is gone, or nil while it does not run
}

// savedContainer is a container as the machine's disk keeps it.
type savedContainer struct {
	docker.Spec
	Started bool `json:"started"`
}

func newDockerd(ctx context.Context, a *Agent, s *session) *dockerd {
	return &dockerd{a: a, s: s, ctx: ctx, containers: map[string]*dockerContainer{}, ran: map[string]bool{}}
}

// dockerBackOff is Docker's first pause before it restarts a crashed container; it is doubled
// each time (moby/moby:restartmanager).
const dockerBackOff = 100 * time.Millisecond

func (d *dockerd) file() string { return filepath.Join(d.a.dir, "containers.json") }

// boot starts the containers that ran before the power-off.
func (d *dockerd) boot() error {
	raw, err := os.ReadFile(d.file())
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	saved := map[string]savedContainer{}
	if err := json.Unmarshal(raw, &saved); err != nil {
		return fmt.Errorf("machine %s: its containers: %w", d.a.c.Name, err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for name, c := range saved {
		d.containers[name] = &dockerContainer{Spec: c.Spec, started: c.Started}
		if c.Started && c.Restart == "always" {
			d.run(name, 0)
		}
	}
	return nil
}

// save writes the containers to the disk; the caller holds the lock. A machine that goes down
// changes nothing.
func (d *dockerd) save() error {
	if d.ctx.Err() != nil {
		return nil //nolint:nilerr // a machine that is off keeps its state
	}
	saved := map[string]savedContainer{}
	for name, c := range d.containers {
		saved[name] = savedContainer{Spec: c.Spec, Started: c.started}
	}
	raw, err := json.MarshalIndent(saved, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(d.file(), raw, 0o600)
}

// run starts a container; the caller holds the lock.
func (d *dockerd) run(name string, delay time.Duration) {
	c := d.containers[name]
	ctx, cancel := context.WithCancel(d.ctx)
	done := make(chan struct{})
	t := &task{
		clock: d.a.c.Clock, policy: corev1.RestartPolicyAlways, backOff: dockerBackOff, grace: d.a.c.Timing.Grace, delay: delay,
		tail: func() string { return "" },
	}
	if c.Restart != "always" {
		t.policy = corev1.RestartPolicyNever
	}
	t.start = func(int) (process, error) { return d.startProcess(name, c.Spec) }
	c.task, c.started, c.asked = t, true, false
	c.stop = func() { cancel(); <-done }
	go func() {
		defer close(done)
		t.run(ctx)
	}()
}

func (d *dockerd) stopAll() {
	d.mu.Lock()
	var stops []func()
	for _, c := range d.containers {
		if c.stop != nil {
			stops = append(stops, c.stop)
		}
	}
	d.mu.Unlock()
	var all sync.WaitGroup
	for _, stop := range stops {
		all.Go(stop)
	}
	all.Wait()
}

// signal reports whether a container of that name runs a process, and signals it.
func (d *dockerd) signal(name string, sig os.Signal, hold time.Duration) (bool, error) {
	d.mu.Lock()
	c := d.containers[name]
	d.mu.Unlock()
	if c == nil || c.task == nil {
		return false, nil
	}
	return c.task.signal(sig, hold)
}

func (d *dockerd) killAll() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, c := range d.containers {
		if c.task != nil {
			_, _ = c.task.signal(os.Kill, afterPower) // an error means that it has exited
		}
	}
}

func (d *dockerd) setKubelet(k *kubelet) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.current = k
}

func (d *dockerd) kubelet() *kubelet {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.current
}

// components returns the running containers, for a machine's status.
func (d *dockerd) components() []ComponentStatus {
	d.mu.Lock()
	defer d.mu.Unlock()
	var out []ComponentStatus
	for name, c := range d.containers {
		if c.stop != nil {
			out = append(out, componentStatus(name, c.task.snapshot()))
		}
	}
	return out
}
