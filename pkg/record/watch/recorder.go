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
	// checkEvery is how often the leases are read past every cache: what bounds from below
	// when a version was written.
	checkEvery = time.Second
	// shortest is how long a stream has to be away for the record to tell of it, if nothing
	// of it was lost.
	shortest = time.Second
)

// Recorder records one cluster.
type Recorder struct {
	Config  *rest.Config // of the cluster; writes are refused whatever it allows
	Clock   clock.WithTicker
	Sink    record.Sink
	Timeout time.Duration // of one request that is no watch
	// Name, Version, By and Context go into the header.
	Name, Version, By, Context string
	// Machines are those of the cluster, from whoever made them; nil: nobody knows.
	Machines func(context.Context) ([]record.Machine, error)
	// Say tells people at once what cannot be seen; nil: nobody.
	Say func(string)
	// Refused takes the name of a stream that the credentials may not watch, at each try; or nil.
	Refused func(what string)
	// Began is when the clock of the record began, where others write to it, too, or where
	// it is taken up again; zero: when Run begins.
	Began time.Time
}

// Run records until ctx ends, and ends the record. An error before anything was recorded
// says why nothing can be; later only a sink that takes no more is one.
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
	_ = g.Wait() // none returns an error
	if ctx.Err() == nil {
		return context.Cause(watching)
	}
	return s.end("asked to")
}

// session is one recording.
type session struct {
	recorder Recorder
	kube     kubernetes.Interface
	began    time.Time // what its stamps count from
	opened   time.Time
	fail     context.CancelCauseFunc

	mu    sync.Mutex
	begun map[record.Stream]int
	away  map[*stream]away
}

// away is a stream that is not seen.
type away struct {
	stream record.Stream
	from   time.Time
	why    string
}

// open makes the clients, looks whether leases may be watched at all, and writes the header.
func (r Recorder) open(ctx context.Context) (*session, error) {
	config := rest.CopyConfig(r.Config)
	config.Timeout = 0 // it would end watches, too
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

// header tells which cluster this is, as far as that may be read.
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

// serverVersion is "" where it cannot be had in time; client-go's own way to ask knows no end.
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

// now is the recorder's clock: the wall clock of the beginning, and monotonic from there.
func (s *session) now() time.Time { return s.at(s.recorder.Clock.Now()) }

// at is a moment of the recorder's clock as the record has it.
func (s *session) at(t time.Time) time.Time {
	return s.began.Round(0).Add(t.Sub(s.began)).UTC()
}

// put stamps and writes entries that came together. Whatever is in the record is in the
// order of its stamps.
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

// end tells what is away still, and ends the record.
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

// check reads the leases past every cache, again and again.
func (s *session) check(ctx context.Context) {
	ticker := s.recorder.Clock.NewTicker(checkEvery)
	defer ticker.Stop()
	notBefore := map[string]time.Time{} // of leases that may not be read
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

// version asks which version of a lease there is.
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
