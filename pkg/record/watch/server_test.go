package watch

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	"sigs.k8s.io/yaml"

	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/awsmigrate/awsmigrate/internal/testing/apiserver"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/record/judge"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// memory is a sink.
type memory struct {
	mu  sync.Mutex
	all []record.Entry
}

func (m *memory) Put(e record.Entry) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.all = append(m.all, e)
	return nil
}

func (m *memory) entries() []record.Entry {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.all)
}

func (m *memory) has(fits func(record.Entry) bool) bool {
	return slices.ContainsFunc(m.entries(), fits)
}

// components returns the clients of the components that the test plays.
type components struct {
	t    *testing.T
	kube kubernetes.Interface
}

// hold writes a lease as its holder does, and returns the version.
func (c components) hold(name, holder string) string {
	c.t.Helper()
	leases := c.kube.CoordinationV1().Leases(wellknown.System)
	now, seconds := metav1.NowMicro(), int32(15)
	l, err := leases.Get(c.t.Context(), name, metav1.GetOptions{})
	if absent(err) {
		zero := int32(0)
		l, err = leases.Create(c.t.Context(), &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: wellknown.System},
			Spec: coordinationv1.LeaseSpec{HolderIdentity: &holder, LeaseDurationSeconds: &seconds, AcquireTime: &now, RenewTime: &now, LeaseTransitions: &zero}},
			metav1.CreateOptions{FieldManager: wellknown.KCM})
	} else if err == nil {
		if l.Spec.HolderIdentity == nil || *l.Spec.HolderIdentity != holder {
			more := *l.Spec.LeaseTransitions + 1
			l.Spec.LeaseTransitions, l.Spec.AcquireTime = &more, &now
		}
		l.Spec.HolderIdentity, l.Spec.RenewTime = &holder, &now
		l, err = leases.Update(c.t.Context(), l, metav1.UpdateOptions{FieldManager: wellknown.KCM})
	}
	if err != nil {
		c.t.Fatal(err)
	}
	return l.ResourceVersion
}

// pod returns a kube-controller-manager's pod, with the relevant arguments and one other.
func (c components) pod(name, node string) *corev1.Pod {
	c.t.Helper()
	p, err := c.kube.CoreV1().Pods(wellknown.System).Create(c.t.Context(), &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: map[string]string{corev1.MirrorPodAnnotationKey: "x"}},
		Spec: corev1.PodSpec{NodeName: node, HostNetwork: true, Containers: []corev1.Container{{Name: wellknown.KCM, Image: "rancher/hyperkube:v1.26.13",
			Command: []string{wellknown.KCM, "--cloud-provider=aws", "--enable-leader-migration=true", "--token=secret"}}}}}, metav1.CreateOptions{})
	if err != nil {
		c.t.Fatal(err)
	}
	return p
}

func (c components) status(p *corev1.Pod, s corev1.ContainerStatus) {
	c.t.Helper()
	s.Name = wellknown.KCM
	fresh, err := c.kube.CoreV1().Pods(p.Namespace).Get(c.t.Context(), p.Name, metav1.GetOptions{})
	if err != nil {
		c.t.Fatal(err)
	}
	fresh.Status.ContainerStatuses = []corev1.ContainerStatus{s}
	if _, err := c.kube.CoreV1().Pods(p.Namespace).UpdateStatus(c.t.Context(), fresh, metav1.UpdateOptions{}); err != nil {
		c.t.Fatal(err)
	}
}

// recording runs a recorder until the test ends it.
func recording(t *testing.T, config *rest.Config) (*memory, func()) {
	t.Helper()
	sink, over := &memory{}, make(chan error, 1)
	ctx, stop := context.WithCancel(t.Context())
	r := Recorder{Config: config, Clock: clock.RealClock{}, Sink: sink, Timeout: 20 * time.Second, Name: "demo", Version: "test"}
	go func() { over <- r.Run(ctx) }()
	end := sync.OnceFunc(func() {
		stop()
		if err := <-over; err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(end)
	apiserver.Eventually(t, func() bool {
		return sink.has(func(e record.Entry) bool { return e.Begun != nil && e.Begun.Stream == record.Leases }) &&
			sink.has(func(e record.Entry) bool { return e.Begun != nil && e.Begun.Stream == record.Pods }) &&
			sink.has(func(e record.Entry) bool { return e.Begun != nil && e.Begun.Stream == record.Services })
	})
	return sink, end
}

func versionOf(version string) func(record.Entry) bool {
	return func(e record.Entry) bool { return e.Lease != nil && e.Lease.ResourceVersion == version }
}

func TestRecorder(t *testing.T) {
	server := apiserver.New(t, apiserver.Options{})
	kube, err := kubernetes.NewForConfig(server.Config())
	if err != nil {
		t.Fatal(err)
	}
	t.Run("records", func(t *testing.T) { components{t, kube}.recorded(server) })
	t.Run("goes on where a watch broke off", func(t *testing.T) { components{t, kube}.resumes(server) })
	t.Run("lists anew after 410", func(t *testing.T) { components{t, kube}.expires(server) })
	t.Run("least rights", func(t *testing.T) { components{t, kube}.leastRights(server) })
	t.Run("an API server is away", func(t *testing.T) { components{t, kube}.away(server) })
}

func (c components) recorded(server *apiserver.Server) {
	t, ctx := c.t, c.t.Context()
	c.hold(wellknown.KCMLease, "cp-0_a")
	old := c.pod("old", "cp-0")
	sink, end := recording(t, server.Config())
	version := c.hold(wellknown.KCMLease, "cp-0_a")
	c.hold(wellknown.MigrationLease, "cp-0_a")
	c.status(old, corev1.ContainerStatus{ContainerID: "containerd://a", State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.Now()}}})
	c.status(old, corev1.ContainerStatus{ContainerID: "containerd://a", State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ContainerID: "containerd://a", FinishedAt: metav1.Now(), ExitCode: 1}}})
	if _, err := c.kube.CoreV1().Nodes().Create(ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "cp-0", Labels: map[string]string{"node-role.kubernetes.io/control-plane": "true"}, Annotations: map[string]string{machineOfNode: "demo-cp-0"}}, Spec: corev1.NodeSpec{ProviderID: "aws:///a/i-1"}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	for name, kind := range map[string]corev1.ServiceType{"lb": corev1.ServiceTypeLoadBalancer, "plain": corev1.ServiceTypeClusterIP} {
		if _, err := c.kube.CoreV1().Services("default").Create(ctx, &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.ServiceSpec{Type: kind, Ports: []corev1.ServicePort{{Port: 80}}}}, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	for what, fits := range map[string]func(record.Entry) bool{
		"a renewal":   versionOf(version),
		"who renewed": func(e record.Entry) bool { return e.Lease != nil && e.Lease.Manager == wellknown.KCM },
		"no lease":    func(e record.Entry) bool { return e.Lease != nil && e.Lease.Name == wellknown.CCMLease && e.Lease.Gone },
		"a quorum read": func(e record.Entry) bool {
			return e.Checked != nil && e.Checked.Versions[wellknown.KCMLease].ResourceVersion == version
		},
		"an end": func(e record.Entry) bool {
			return e.Pod != nil && len(e.Pod.Containers) == 1 && e.Pod.Containers[0].Ended() && e.Pod.Containers[0].ID == "containerd://a"
		},
		"a Node": func(e record.Entry) bool {
			return e.Node != nil && e.Node.ProviderID == "aws:///a/i-1" && e.Node.Machine == "demo-cp-0"
		},
		"a load balancer": func(e record.Entry) bool { return e.Service != nil && e.Service.Name == "lb" },
	} {
		apiserver.Eventually(t, func() bool { return sink.has(fits) || t.Failed() })
		if !sink.has(fits) {
			t.Errorf("%s was not recorded", what)
		}
	}
	end()
	all := sink.entries()
	if h := all[0].Header; h == nil || h.UID == "" || !strings.HasPrefix(h.Kubernetes, "v1.26") {
		t.Errorf("header %+v", h)
	}
	if all[len(all)-1].End == nil {
		t.Error("the record has no end")
	}
	for n, e := range all {
		if n > 0 && e.At.Before(all[n-1].At) {
			t.Errorf("entry %d is earlier than the previous one", n)
		}
		if e.Pod != nil && (strings.Contains(fmt.Sprint(e.Pod.Flags), "secret") || !slices.Contains(e.Pod.Flags, "--cloud-provider=aws")) {
			t.Errorf("flags %v", e.Pod.Flags)
		}
		if e.Service != nil && e.Service.Name == "plain" {
			t.Error("a Service without load balancer was recorded")
		}
	}
}

// resumes cuts every connection: no version may be missing or recorded as lost.
func (c components) resumes(server *apiserver.Server) {
	t := c.t
	config, cutter := server.Config(), &cutting{}
	config.Wrap(cutter.wrap)
	sink, end := recording(t, config)
	var written []string
	var lastCut time.Time
	for range 3 {
		written = append(written, c.hold(wellknown.KCMLease, "cp-0_a"))
		lastCut = time.Now()
		cutter.cut(1500 * time.Millisecond)
		written = append(written, c.hold(wellknown.KCMLease, "cp-0_a"), c.hold(wellknown.KCMLease, "cp-1_b"), c.hold(wellknown.KCMLease, "cp-0_a"))
	}
	for _, version := range written {
		apiserver.Eventually(t, func() bool { return sink.has(versionOf(version)) })
	}
	// A stream that is away at the end of a record is recorded as lost, and each source waits
	// separately.
	apiserver.Eventually(t, func() bool {
		back := map[record.Stream]int{}
		for _, e := range sink.entries() {
			if e.Missed != nil && e.Missed.Until.After(lastCut) {
				back[e.Missed.Stream]++
			}
		}
		return back[record.Leases] >= len(record.LeaseNames()) && len(back) == 4
	})
	end()
	late := false
	for _, e := range sink.entries() {
		if e.Missed != nil && e.Missed.Lost {
			t.Errorf("told as lost: %+v", e.Missed)
		}
		late = late || e.Missed != nil && e.Missed.Stream == record.Leases && e.Missed.Until.Sub(e.Missed.From) >= time.Second
	}
	if !late {
		t.Error("nothing is told of the stretches without a watch")
	}
}

// expires answers a watch with 410: the gap is recorded, and everything is listed again.
func (c components) expires(server *apiserver.Server) {
	t := c.t
	config, cutter := server.Config(), &cutting{}
	config.Wrap(cutter.wrap)
	gone := c.pod("gone", "cp-1")
	sink, end := recording(t, config)
	c.hold(wellknown.KCMLease, "cp-0_a")
	cutter.expired.Store(true)
	cutter.cut(time.Second)
	if err := c.kube.CoreV1().Pods(wellknown.System).Delete(t.Context(), gone.Name, *metav1.NewDeleteOptions(0)); err != nil {
		t.Fatal(err)
	}
	version := c.hold(wellknown.KCMLease, "cp-1_b")
	lost := func(stream record.Stream) func(record.Entry) bool {
		return func(e record.Entry) bool { return e.Missed != nil && e.Missed.Stream == stream && e.Missed.Lost }
	}
	apiserver.Eventually(t, func() bool { return sink.has(lost(record.Leases)) && sink.has(lost(record.Pods)) })
	cutter.expired.Store(false)
	apiserver.Eventually(t, func() bool {
		return sink.has(versionOf(version)) &&
			sink.has(func(e record.Entry) bool { return e.Pod != nil && e.Pod.Name == "gone" && e.Pod.Gone })
	})
	end()
	j := judge.New()
	for _, e := range sink.entries() {
		_ = j.Put(e) // it never fails
	}
	if got := j.Result().Verdict(); got != judge.NotSeen {
		t.Errorf("verdict %s, wanted %s", got, judge.NotSeen)
	}
}

// away stops the API server: changes during the outage are listed afterwards.
func (c components) away(server *apiserver.Server) {
	t := c.t
	c.hold(wellknown.KCMLease, "cp-0_a")
	sink, end := recording(t, server.Config())
	server.Stop()
	server.Restart(t)
	version := c.hold(wellknown.KCMLease, "cp-0_a")
	apiserver.Eventually(t, func() bool {
		return sink.has(versionOf(version)) && sink.has(func(e record.Entry) bool { return e.Missed != nil && e.Missed.Stream == record.Leases })
	})
	server.Stop()
	apiserver.Eventually(t, func() bool { return !answers(t.Context(), c.kube) })
	end()
	all := sink.entries()
	last := all[len(all)-1]
	if last.End == nil {
		t.Errorf("the last entry is %+v", last)
	}
}

func answers(ctx context.Context, kube kubernetes.Interface) bool {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	_, err := kube.CoreV1().Namespaces().Get(ctx, wellknown.System, metav1.GetOptions{})
	return err == nil
}

// leastRights records with exactly the roles of the documentation.
func (c components) leastRights(server *apiserver.Server) {
	t, ctx := c.t, c.t.Context()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "clusterrole-readonly.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range strings.Split(string(text), "\n---\n") {
		var meta metav1.PartialObjectMetadata
		if err := yaml.Unmarshal([]byte(one), &meta); err != nil {
			t.Fatal(err)
		}
		if meta.Name != "awsmigrate-record" {
			continue
		}
		c.apply(ctx, meta.Kind, []byte(one))
	}
	var (
		sink   *memory
		short  = 5 * time.Second // twice as long each time: the rights come a moment later, and no machine is too slow
		config = server.As("auditor", "awsmigrate-audit")
	)
	apiserver.Eventually(t, func() bool {
		ctx, cancel := context.WithTimeout(ctx, short)
		defer cancel()
		sink, short = &memory{}, 2*short
		r := Recorder{Config: config, Clock: clock.RealClock{}, Sink: sink, Timeout: 20 * time.Second}
		return r.Run(ctx) == nil && len(notBegun(sink)) == 0 && !sink.has(func(e record.Entry) bool { return e.Missed != nil })
	})
	if streams := notBegun(sink); len(streams) != 0 {
		t.Errorf("%v cannot be watched with these rights", streams)
	}
	stranger := Recorder{Config: server.As("stranger"), Clock: clock.RealClock{}, Sink: sink, Timeout: 20 * time.Second}
	if err := stranger.Run(ctx); fault.ClassOf(err) != fault.CouldNotLook {
		t.Errorf("without rights: %v", err)
	}
}

func notBegun(sink *memory) []record.Stream {
	return slices.DeleteFunc([]record.Stream{record.Leases, record.Pods, record.Nodes, record.Services},
		func(stream record.Stream) bool {
			return sink.has(func(e record.Entry) bool { return e.Begun != nil && e.Begun.Stream == stream })
		})
}

func (c components) apply(ctx context.Context, kind string, text []byte) {
	var err error
	rbac := c.kube.RbacV1()
	switch kind {
	case "ClusterRole":
		o := decoded[rbacv1.ClusterRole](c.t, text)
		_, err = rbac.ClusterRoles().Create(ctx, &o, metav1.CreateOptions{})
	case "ClusterRoleBinding":
		o := decoded[rbacv1.ClusterRoleBinding](c.t, text)
		_, err = rbac.ClusterRoleBindings().Create(ctx, &o, metav1.CreateOptions{})
	case "Role":
		o := decoded[rbacv1.Role](c.t, text)
		_, err = rbac.Roles(o.Namespace).Create(ctx, &o, metav1.CreateOptions{})
	case "RoleBinding":
		o := decoded[rbacv1.RoleBinding](c.t, text)
		_, err = rbac.RoleBindings(o.Namespace).Create(ctx, &o, metav1.CreateOptions{})
	}
	if err != nil {
		c.t.Fatal(err)
	}
}

func decoded[O any](t *testing.T, text []byte) O {
	t.Helper()
	var o O
	if err := yaml.Unmarshal(text, &o); err != nil {
		t.Fatal(err)
	}
	return o
}

// cutting cuts the connections of watches, and answers new ones with 410 on request.
type cutting struct {
	mu      sync.Mutex
	open    []context.CancelFunc
	until   time.Time
	expired atomic.Bool
}

func (c *cutting) wrap(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(req *http.Request) (*http.Response, error) {
		c.mu.Lock()
		defer c.mu.Unlock()
		watching := req.URL.Query().Get("watch") != ""
		switch {
		case time.Now().Before(c.until):
			return nil, fmt.Errorf("cut off")
		case watching && c.expired.Load():
			answer := httptest.NewRecorder()
			answer.Header().Set("Content-Type", "application/json")
			answer.WriteHeader(http.StatusGone)
			fmt.Fprint(answer, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Expired","code":410}`)
			return answer.Result(), nil
		case watching:
			ctx, cancel := context.WithCancel(req.Context())
			c.open = append(c.open, cancel)
			req = req.WithContext(ctx)
		}
		return next.RoundTrip(req)
	})
}

// cut ends every watch, and refuses connections for a while.
func (c *cutting) cut(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, cancel := range c.open {
		cancel()
	}
	c.open, c.until = nil, time.Now().Add(d)
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }
