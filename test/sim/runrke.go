package sim

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
	"github.com/awsmigrate/awsmigrate/pkg/rke"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkecli"
	"github.com/awsmigrate/awsmigrate/pkg/runner/lock"
	"github.com/awsmigrate/awsmigrate/pkg/runner/retry"
)

func (r Run) openRKE(ctx context.Context, p *Process, down *rest.Config, kube kubernetes.Interface, options migration.Options) (*procedure.Migration, kubernetes.Interface, error) {
	deps := rke.Deps{Kube: kube, Config: down, Clock: r.Clock, Live: io.Discard, Disk: disk{p}, Tool: rkeTool{p}}
	m, err := rke.New(ctx, deps, rke.Options{Options: options, Config: clusterFile})
	if err != nil {
		return nil, nil, err
	}
	if r.Undo {
		return m.Undo(), kube, nil
	}
	return m, kube, nil
}

// rkeTool is the rke binary of the world's machine.
type rkeTool struct{ p *Process }

// Find implements rkecli.Tool.
func (t rkeTool) Find(context.Context, string, ...string) (rkecli.Binary, error) {
	w := t.p.world
	w.mu.Lock()
	defer w.mu.Unlock()
	images := map[string]string{}
	for _, one := range plain(w.resolveFile().SystemImages).(object) {
		image := fmt.Sprint(one)
		if i := strings.LastIndex(image, ":"); i > 0 {
			images[image[:i]] = image
		}
	}
	return rkecli.Binary{Path: "/usr/bin/rke", Version: string(rkeRelease), Images: map[string]map[string]string{rkeVersion: images}}, nil
}

// Start implements rkecli.Tool. It is a call: the process may die before it, or once rke runs.
func (t rkeTool) Start(_ string, args []string, log string, _ io.Writer, _ *os.File, _ clock.WithTicker) (rkecli.Running, error) {
	c := &rkeChild{p: t.p, log: log, done: make(chan struct{})}
	err := disk(t).do("run", "rke "+args[0], true, func(*rkeState) error {
		c.job = t.p.world.beginJob(slices.Contains(args, "up"))
		return nil
	})
	if err != nil {
		return nil, err
	}
	go c.attend()
	return c, nil
}

// rkeChild watches the world's rke while its process lives.
type rkeChild struct {
	p    *Process
	job  *rkeJob
	log  string
	done chan struct{}

	mu  sync.Mutex
	err error
}

func (c *rkeChild) attend() {
	defer close(c.done)
	w := c.p.world
	for {
		pass(tick)
		if c.p.Dead() {
			c.mu.Lock()
			c.err = errors.New("the process was killed")
			c.mu.Unlock()
			return
		}
		w.mu.Lock()
		w.advance(w.clock())
		ended := w.rke.done >= c.job.number
		w.mu.Unlock()
		if ended {
			return
		}
	}
}

// Running implements rkecli.Running.
func (c *rkeChild) Running() bool {
	select {
	case <-c.done:
		return false
	default:
		return true
	}
}

// Done implements rkecli.Running.
func (c *rkeChild) Done() <-chan struct{} { return c.done }

// Seen implements rkecli.Running.
func (c *rkeChild) Seen() (last, mark string) {
	w := c.p.world
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.rke.phase(), w.rke.phase()
}

// Interrupt implements rkecli.Running. The simulated rke cannot be stopped.
func (c *rkeChild) Interrupt() {}

// Err implements rkecli.Running.
func (c *rkeChild) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// LogPath implements rkecli.Running.
func (c *rkeChild) LogPath() string { return c.log }

// behindRKE is the simulated part of ownfile.Lock: if awsmigrate is killed, its rke holds the lock
// on cluster.yml to the end.
type behindRKE struct {
	lock.Lock
	p *Process
}

// Acquire implements lock.Lock.
func (l behindRKE) Acquire(ctx context.Context) error {
	if err := l.Lock.Acquire(ctx); err != nil {
		return err
	}
	w := l.p.world
	for {
		w.mu.Lock()
		w.advance(w.clock())
		free := w.rke == nil || w.rke.job == nil
		w.mu.Unlock()
		if free {
			return nil
		}
		if err := retry.Pause(ctx, clock.RealClock{}, time.Second); err != nil {
			return err
		}
	}
}
