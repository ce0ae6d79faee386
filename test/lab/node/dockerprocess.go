package node

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/awsmigrate/awsmigrate/test/lab/docker"
)

// startProcess is the start of a container: the entrypoint of rke-tools, then the
// component. etcd, kube-proxy and nginx-proxy are only there.
func (d *dockerd) startProcess(name string, spec docker.Spec) (process, error) {
	words := append(append([]string{}, spec.Entrypoint...), spec.Cmd...)
	if len(words) < 2 {
		return newPause(), nil
	}
	component, args := words[1], words[2:]
	switch component {
	case KubeAPIServer, KubeControllerManager, KubeScheduler:
		return d.a.startComponent(component, imageVersion(spec.Image), args, filepath.Join(d.a.dir, "log", component+".log"))
	case Kubelet:
		return d.startKubelet(spec, args)
	}
	return newPause(), nil
}

// startKubelet runs the kubelet in this process: it is a stand-in.
func (d *dockerd) startKubelet(spec docker.Spec, args []string) (process, error) {
	ctx, cancel := context.WithCancel(d.ctx)
	args = toolsArguments(d.tools(), args, d.metadata(ctx))
	k := &kubelet{a: d.a, s: d.s, rendering: Rendering{Kubelet: args, Version: imageVersion(spec.Image)}, runtime: dockerRuntime}
	p := &kubeletProcess{cancel: cancel, done: make(chan struct{})}
	d.setKubelet(k)
	d.a.logf("kubelet: starting with rke-tools v0.1.%d", d.tools())
	go func() {
		defer cancel()
		if err := unknownWords(args); err != nil {
			p.exit(d.failed(k, err))
			return
		}
		err := k.run(ctx)
		p.exit(d.failed(k, err))
	}()
	return p, nil
}

const dockerRuntime = "docker://23.0.6"

func (d *dockerd) failed(k *kubelet, err error) int {
	if err == nil {
		return 0
	}
	k.fail(err)
	d.a.logf("kubelet exited: %v", err)
	return 1
}

// unknownWords returns the kubelet's error for an argument that is no flag
// (kubernetes/kubernetes:cmd/kubelet/app/server.go@v1.26.13), or nil.
func unknownWords(args []string) error {
	for _, argument := range args {
		if !strings.HasPrefix(argument, "-") {
			return fmt.Errorf("unknown command %s", argument)
		}
	}
	return nil
}

// healthCheck returns the health check of rke, for the API server with its own certificate.
func (d *dockerd) healthCheck(component string) func(context.Context) error {
	return func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
		defer cancel()
		return d.a.componentHealth(component)(ctx)
	}
}

// kubeletProcess is the kubelet as a process. It ends on request or with an error.
type kubeletProcess struct {
	cancel context.CancelFunc
	once   sync.Once
	done   chan struct{}
	code   int
}

func (p *kubeletProcess) exit(code int) {
	p.once.Do(func() {
		p.code = code
		close(p.done)
	})
}

func (p *kubeletProcess) Pid() int              { return 0 }
func (p *kubeletProcess) Done() <-chan struct{} { return p.done }
func (p *kubeletProcess) ExitCode() int         { return p.code }

// Signal ends it; it cannot be frozen.
func (p *kubeletProcess) Signal(sig os.Signal) error {
	if sig == syscall.SIGSTOP || sig == syscall.SIGCONT {
		return errors.New("the lab's kubelet is no process of its own and cannot be frozen")
	}
	p.cancel()
	return nil
}

// Stop returns when it has ended.
func (p *kubeletProcess) Stop(time.Duration) {
	p.cancel()
	<-p.done
}
