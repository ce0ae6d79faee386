package session

import (
	"context"
	"fmt"
	"io"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/kube"
	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
	"github.com/awsmigrate/awsmigrate/pkg/plaintext"
	"github.com/awsmigrate/awsmigrate/pkg/rke"
	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile"
	"github.com/awsmigrate/awsmigrate/pkg/rke/ownfile"
	"github.com/awsmigrate/awsmigrate/pkg/runner/lock"
	"github.com/awsmigrate/awsmigrate/pkg/runner/retry"
)

// openFile opens a cluster by its cluster.yml. Journal and lock are in the cluster itself; a
// second lock next to the file covers an rke process of a run.
func openFile(ctx context.Context, t Target, o Options, to serverDialer) (*Session, error) {
	options := o.OfRKE(t)
	if err := options.Validate(); err != nil {
		return nil, err
	}
	if err := t.check(); err != nil {
		return nil, err
	}
	// Errors in the file are reported even if the cluster cannot be reached.
	if _, err := clusterfile.Read(t.File); err != nil {
		return nil, err
	}
	config, err := t.fileConfig(to)
	if err != nil {
		return nil, err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fault.AsUsage(err)
	}
	lock := &ownfile.Lock{Path: ownfile.LockPath(t.File), Clock: o.clock(), Processes: lock.HostProcesses(),
		Say: func(what string) { fmt.Fprintln(o.Live, plaintext.Line(what)) }} // the lock needs an owner
	deps := rke.Deps{Kube: client, Config: config, Clock: o.clock(), Live: rkeOutput{o.Live}, LockFile: lock.File}
	procedure, err := newProcedure(ctx, deps, options, lock)
	if err != nil {
		return nil, err
	}
	s := newSession(procedure, client, o).writingTo(t.writesTo(config)).reachedBy(config)
	lock.Inner, lock.Owner, s.Lock = s.Lock, s.Owner, lock
	return s, nil
}

// fileConfig returns the configuration of a cluster's own server. rke's kubeconfig names one control
// plane; if rke is killed while it stops that API server, only the next rke starts it again, which a
// run begins through another control plane.
func (t Target) fileConfig(to serverDialer) (*rest.Config, error) {
	config, err := to.config(t.Server)
	if err != nil {
		return nil, err
	}
	if file, err := clusterfile.Read(t.File); err == nil { // a reader of the API alone needs no file
		kube.DialOthers(config, file.Config().ControlPlanes())
	}
	return config, nil
}

// newProcedure reads the cluster. It retries while an rke process that survived its awsmigrate
// keeps the API server down.
func newProcedure(ctx context.Context, deps rke.Deps, options rke.Options, lock *ownfile.Lock) (*procedure.Migration, error) {
	procedure, err := rke.New(ctx, deps, options)
	for said := false; err != nil && retry.Transient(err) && lock.Busy(); said = true {
		if !said {
			lock.Say("the API server is away, and an rke still works on this cluster.yml; waiting for it")
		}
		if err := retry.Pause(ctx, deps.Clock, time.Second); err != nil {
			return nil, err
		}
		procedure, err = rke.New(ctx, deps, options)
	}
	return procedure, err
}

// rkeOutput marks the lines of rke in the output.
type rkeOutput struct{ out io.Writer }

// Write implements io.Writer. It receives whole lines.
func (o rkeOutput) Write(line []byte) (int, error) {
	if _, err := o.out.Write(append([]byte("rke │ "), line...)); err != nil {
		return 0, err
	}
	return len(line), nil
}
