package watch

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	kubeapi "github.com/awsmigrate/awsmigrate/pkg/kube"
	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

const (
	// checkInterval is the time between two reads of the leases past every cache, which give the
	// earliest time of a write.
	checkInterval = time.Second
	// minGap is the shortest gap of a stream that is recorded, if none of its events were lost.
	minGap = time.Second
)

// Recorder records one cluster.
type Recorder struct {
	Config  *rest.Config // of the cluster; the recorder refuses writes regardless of it
	Clock   clock.WithTicker
	Sink    record.Sink
	Timeout time.Duration // of one request, except a watch
	// Name, Version, By and Context are fields of the header.
	Name, Version, By, Context string
	// Machines returns the machines of the cluster, or is nil if no source knows them.
	Machines func(context.Context) ([]record.Machine, error)
	// Say reports gaps to a user at once, or is nil.
	Say func(string)
	// Refused receives the name of a stream that the credentials may not watch, at each try; or is
	// nil.
	Refused func(what string)
	// Began holds the begin of the record's clock if others write to the record too or it is
	// resumed. If zero, the clock begins with Run.
	Began time.Time
}

// Run records until ctx ends, and then ends the record. It returns an error if nothing could be
// recorded; later it returns only errors of the sink.
func (r Recorder) Run(ctx context.Context) error {
	s, err := r.open(ctx)
	if err != nil {
		return err
	}
	watching, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	s.fail = stop
	g := errgroup.Group{}
	for _, one := range s.streams() {
		g.Go(func() error { one.follow(watching); return nil })
	}
	g.Go(func() error { s.check(watching); return nil })
	if r.Machines != nil {
		g.Go(func() error { s.machines(watching); return nil })
	}
	_ = g.Wait() // no function returns an error
	if ctx.Err() == nil {
		return context.Cause(watching)
	}
	return s.end("asked to")
}

// session is one recording.
type session struct {
	recorder Recorder
	kube     kubernetes.Interface
	began    time.Time // origin of its time stamps
	opened   time.Time
	fail     context.CancelCauseFunc

	mu    sync.Mutex
	begun map[record.Stream]int
	away  map[*stream]away
}

// away describes a stream that is not watched.
type away struct {
	stream record.Stream
	from   time.Time
	why    string
}

// open creates the clients, checks that leases may be watched, and writes the header.
func (r Recorder) open(ctx context.Context) (*session, error) {
	config := rest.CopyConfig(r.Config)
	config.Timeout = 0 // it would also end watches
	config.QPS, config.Burst = 50, 100
	config.Wrap(kubeapi.ReadOnly)
	config.ContentType = "application/vnd.kubernetes.protobuf"
	config.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	kube, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("client for %s: %w", fault.Server(config.Host), fault.Shown(err))
	}
	if r.Began.IsZero() {
		r.Began = r.Clock.Now()
	}
	s := &session{recorder: r, kube: kube, began: r.Began, opened: r.Clock.Now(), begun: map[record.Stream]int{}, away: map[*stream]away{}}
	for _, name := range record.LeaseNames() {
		if _, err := s.leaseSource(name).list(ctx, "", func(any) {}); err != nil {
			return nil, unwatchable(config.Host, err)
		}
	}
	return s, s.header(ctx)
}

func unwatchable(host string, err error) error {
	return &fault.Error{Class: fault.CouldNotLook, Reason: "LeasesUnread", Object: "the leases of " + fault.Server(host), Seen: "cannot be listed",
		Wanted: "list and watch on them", Fix: "the role in docs/clusterrole-readonly.yaml suffices", Err: fault.Shown(err)}
}

// header records the identity of the cluster, as far as it is readable.
func (s *session) header(ctx context.Context) error {
	h := record.Header{Form: record.Form, Version: s.recorder.Version, By: s.recorder.By, Name: s.recorder.Name, Context: s.recorder.Context,
		Server: fault.Server(s.recorder.Config.Host)}
	ctx, cancel := context.WithTimeout(ctx, s.recorder.Timeout)
	defer cancel()
	if ns, err := s.kube.CoreV1().Namespaces().Get(ctx, wellknown.System, metav1.GetOptions{}); err == nil {
		h.UID = string(ns.UID)
	}
	h.Kubernetes = s.serverVersion(ctx)
	return s.recorder.Sink.Put(record.Entry{At: s.now(), Header: &h})
}

// serverVersion returns "" if there is no answer in time; client-go's own method has no timeout.
func (s *session) serverVersion(ctx context.Context) string {
	text, err := s.kube.Discovery().RESTClient().Get().AbsPath("/version").Do(ctx).Raw()
	if err != nil {
		return ""
	}
	var info version.Info
	if err := json.Unmarshal(text, &info); err != nil {
		return ""
	}
	return info.GitVersion
}

// now returns the recorder's time: the wall clock at the beginning, and monotonic from there.
func (s *session) now() time.Time { return s.at(s.recorder.Clock.Now()) }

// at converts a time of the recorder's clock to the record's.
func (s *session) at(t time.Time) time.Time {
	return s.began.Round(0).Add(t.Sub(s.began)).UTC()
}

// put stamps and writes entries that arrived together. The order of a record is that of its
// stamps.
func (s *session) put(entries ...record.Entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := s.now()
	for _, e := range entries {
		e.At = at
		if e.Missed != nil && e.Missed.Until.IsZero() {
			e.Missed.Until = at
		}
		if err := s.recorder.Sink.Put(e); err != nil {
			s.fail(err)
			return
		}
	}
}

// end records the streams that are still away, and ends the record.
func (s *session) end(why string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := s.now()
	for _, a := range s.away {
		gone := record.Unwatched{Stream: a.stream, From: a.from, Why: a.why, Lost: true}
		if err := s.recorder.Sink.Put(record.Entry{At: at, Missed: &gone}); err != nil {
			return err
		}
	}
	return s.recorder.Sink.Put(record.Entry{At: at, End: &record.End{Why: why}})
}

// check reads the leases past every cache, periodically.
func (s *session) check(ctx context.Context) {
	ticker := s.recorder.Clock.NewTicker(checkInterval)
	defer ticker.Stop()
	notBefore := map[string]time.Time{} // for leases that must not be read
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C():
		}
		versions := map[string]record.Version{}
		for _, name := range record.LeaseNames() {
			if s.now().Before(notBefore[name]) {
				continue
			}
			v, err := s.version(ctx, name)
			switch {
			case refused(err):
				notBefore[name] = s.now().Add(LongestRefused)
			case err == nil:
				versions[name] = v
			}
		}
		if len(versions) > 0 {
			s.put(record.Entry{Checked: &record.Checked{Versions: versions}})
		}
	}
}

// version requests the version of a lease.
func (s *session) version(ctx context.Context, name string) (record.Version, error) {
	ctx, cancel := context.WithTimeout(ctx, min(s.recorder.Timeout, 5*time.Second))
	defer cancel()
	v := record.Version{Sent: s.now()}
	l, err := s.kube.CoordinationV1().Leases(wellknown.System).Get(ctx, name, metav1.GetOptions{})
	if err == nil {
		v.ResourceVersion = l.ResourceVersion
	}
	if absent(err) {
		err = nil
	}
	return v, err
}
