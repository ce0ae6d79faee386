// Package kube reads downstream.Facts through the Kubernetes API.
//
// It never writes. It creates only SubjectAccessReviews. The transport of New rejects all other
// writes.
package kube

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	kubeapi "github.com/awsmigrate/awsmigrate/pkg/kube"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Defaults of Reader.
const (
	DefaultTimeout  = 30 * time.Second // of one request
	DefaultPageSize = 500
	NoTimeout       = time.Duration(-1)
	parallel        = 6 // concurrent reads
)

// Reader reads one cluster.
type Reader struct {
	Kube      kubernetes.Interface
	Metadata  metadata.Interface // for Secrets, to read only their labels
	Dynamic   dynamic.Interface
	Clock     clock.WithTicker
	Timeout   time.Duration // of one request; 0 means DefaultTimeout, NoTimeout none
	PageSize  int64         // 0 means DefaultPageSize, and less for Nodes
	GrantName string        // of awsmigrate's Role and RoleBinding; empty means wellknown.Grant
	// OnNodes, if not nil, receives each page of Nodes when it arrives, so that other readers
	// can start before the last page. It must not block. It receives a page again if a list is
	// restarted.
	OnNodes func([]downstream.Node)
}

// New returns a Reader whose typed client uses protobuf, whose metadata client drops
// managedFields, and whose transport rejects writes.
func New(config *rest.Config, c clock.WithTicker) (Reader, error) {
	config = rest.CopyConfig(config)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return kubeapi.ReadOnly(next) })
	if config.QPS == 0 {
		config.QPS, config.Burst = 100, 200
	}
	typed := rest.CopyConfig(config)
	typed.ContentType = "application/vnd.kubernetes.protobuf"
	typed.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	r := Reader{Clock: c}
	var err error
	if r.Kube, err = kubernetes.NewForConfig(typed); err != nil {
		return Reader{}, fmt.Errorf("client for %s: %w", fault.Server(config.Host), fault.Shown(err))
	}
	thin := rest.CopyConfig(config)
	thin.Wrap(dropManagedFields)
	if r.Metadata, err = metadata.NewForConfig(thin); err != nil {
		return Reader{}, fmt.Errorf("metadata client for %s: %w", fault.Server(config.Host), fault.Shown(err))
	}
	if r.Dynamic, err = dynamic.NewForConfig(config); err != nil {
		return Reader{}, fmt.Errorf("dynamic client for %s: %w", fault.Server(config.Host), fault.Shown(err))
	}
	return r, nil
}

// Read reads the cluster once. It always returns Facts; a part that could not be read holds its
// error.
func Read(ctx context.Context, r Reader) downstream.Facts {
	var f downstream.Facts
	sets := r.daemonSets(ctx)
	runParallel([]func(){
		func() { f.Leases = r.leases(ctx) }, // takes longest
		func() { f.Nodes = r.nodes(ctx) },
		func() { f.Version = r.version(ctx) },
		func() { f.UID = r.uid(ctx) },
		func() { f.StaticPods = r.staticPods(ctx) },
		func() { f.LoosePods = r.loosePods(ctx) },
		func() { f.Workloads = r.workloads(ctx, sets) },
		func() { r.ccm(ctx, sets, &f) },
		func() { f.Rights = r.rights(ctx) },
		func() { f.Grant = r.grant(ctx) },
		func() { f.APIServers = r.apiServers(ctx) },
		func() { f.Charts = r.charts(ctx) },
		func() { f.Releases = r.releases(ctx) },
		func() { f.CCMObjects = r.ccmObjects(ctx) },
		func() { f.Services = r.services(ctx) },
		func() { f.Volumes = r.volumes(ctx) },
		func() { f.Classes = r.classes(ctx) },
		func() { f.CSINodes = r.csiNodes(ctx) },
		func() { f.Events = r.events(ctx) },
		func() { f.Etcds = r.etcds(ctx) },
	})
	f.Leases = r.extend(ctx, f.Leases, f.RenewDeadline())
	f.CCMRights = r.ccmRights(ctx, f.DaemonSets)
	r.addPullSecrets(ctx, f.Workloads.Value)
	f.ServerClock = newestRenewal(f)
	return f
}

// ReadManagers reads only the facts that show which controller managers run in the cluster.
func ReadManagers(ctx context.Context, r Reader) downstream.Facts {
	var f downstream.Facts
	sets := r.daemonSets(ctx)
	runParallel([]func(){
		func() { f.LoosePods = r.loosePods(ctx) },
		func() { f.Workloads = r.workloads(ctx, sets) },
		func() { f.Nodes = r.nodes(ctx) },
		func() { f.StaticPods = r.staticPods(ctx) },
		func() { r.ccm(ctx, sets, &f) },
	})
	return f
}

// runParallel runs the parts concurrently. Each stores its own result.
func runParallel(parts []func()) {
	var g errgroup.Group
	g.SetLimit(parallel)
	for _, part := range parts {
		g.Go(func() error { part(); return nil })
	}
	_ = g.Wait() // no part returns an error
}

// newestRenewal returns the newest timestamp that a component wrote. It replaces the cluster's
// clock where an age is needed.
func newestRenewal(f downstream.Facts) time.Time {
	var t time.Time
	for _, s := range []time.Time{
		f.Leases.Value.Migration.Last.Renew, f.Leases.Value.KCM.Last.Renew, f.Leases.Value.CCM.Last.Renew,
	} {
		if s.After(t) {
			t = s
		}
	}
	return t
}

func (r Reader) version(ctx context.Context) verify.Read[string] {
	ctx, cancel := r.deadline(ctx)
	defer cancel()
	var info version.Info
	raw, err := r.Kube.Discovery().RESTClient().Get().AbsPath("/version").SetHeader("Accept", "application/json").Do(ctx).Raw()
	if err == nil {
		err = decode(raw, &info)
	}
	if err != nil {
		return verify.Failed[string](fmt.Errorf("reading the API server's version: %w", err))
	}
	return verify.Got(info.GitVersion)
}

// Ping returns an error if the API server answers neither of two small requests.
func (r Reader) Ping(ctx context.Context) error {
	if r.version(ctx).OK() {
		return nil
	}
	return r.uid(ctx).Err
}

func (r Reader) uid(ctx context.Context) verify.Read[string] {
	ctx, cancel := r.deadline(ctx)
	defer cancel()
	ns, err := r.Kube.CoreV1().Namespaces().Get(ctx, wellknown.System, metav1.GetOptions{})
	if err != nil {
		return verify.Failed[string](fmt.Errorf("reading namespace %s: %w", wellknown.System, err))
	}
	if ns.UID == "" { // {} is a Namespace to client-go
		return verify.Failed[string](fmt.Errorf("reading namespace %s: Object 'Kind' is missing in the answer", wellknown.System))
	}
	return verify.Got(string(ns.UID))
}

func (r Reader) deadline(ctx context.Context) (context.Context, context.CancelFunc) {
	d := r.Timeout
	switch {
	case d == NoTimeout:
		return context.WithCancel(ctx)
	case d <= 0:
		d = DefaultTimeout
	}
	return context.WithTimeoutCause(ctx, d, fmt.Errorf("no answer within %s", d))
}
