package runlog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
)

var noon = time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)

// said is a log line about the cluster, so many seconds after noon.
func said(seconds int, message string) string {
	return fmt.Sprintf(`{"time":%q,"msg":%q,"namespace":"fleet-default","cluster":"prod"}`+"\n", noon.Add(time.Duration(seconds)*time.Second).Format(time.RFC3339Nano), message)
}

// server answers for the pods of a namespace and their logs.
type server struct {
	mu   sync.Mutex
	pods []corev1.Pod
	logs map[string]string // by pod and what was asked for, such as "a", "a previous", "a follow"
	held map[string]bool   // logs that do not end
	seen []string          // queries, in order
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	const path = "/api/v1/namespaces/cattle-awsmigrate-system/pods"
	if r.URL.Path == path {
		s.mu.Lock()
		defer s.mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Query().Get("labelSelector") != Selector {
			http.Error(w, "{}", http.StatusBadRequest)
			return
		}
		_ = json.NewEncoder(w).Encode(corev1.PodList{TypeMeta: metav1.TypeMeta{Kind: "PodList", APIVersion: "v1"}, Items: s.pods})
		return
	}
	name := strings.TrimSuffix(strings.TrimPrefix(r.URL.Path, path+"/"), "/log")
	for _, option := range []string{"previous", "follow"} {
		if r.URL.Query().Get(option) == "true" {
			name += " " + option
		}
	}
	s.mu.Lock()
	text, is := s.logs[name]
	held := s.held[name]
	s.seen = append(s.seen, name+" of "+r.URL.Query().Get("container"))
	s.mu.Unlock()
	if !is {
		http.Error(w, "{}", http.StatusNotFound)
		return
	}
	fmt.Fprint(w, text)
	if flusher, is := w.(http.Flusher); held && is {
		flusher.Flush()
		<-r.Context().Done()
	}
}

// asked says whether a log was asked for.
func (s *server) asked(what string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.seen {
		if one == what {
			return true
		}
	}
	return false
}

func (s *server) start(t *testing.T) Pods {
	t.Helper()
	web := httptest.NewServer(s)
	t.Cleanup(web.Close)
	return Pods{Kube: kubernetes.NewForConfigOrDie(&rest.Config{Host: web.URL}), Namespace: "cattle-awsmigrate-system"}
}

func pod(name string, restarts int32, containers ...string) corev1.Pod {
	p := corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}, Status: corev1.PodStatus{Phase: corev1.PodRunning}}
	for _, c := range containers {
		p.Spec.Containers = append(p.Spec.Containers, corev1.Container{Name: c})
		p.Status.ContainerStatuses = append(p.Status.ContainerStatuses, corev1.ContainerStatus{Name: c, RestartCount: restarts})
	}
	return p
}

func TestPodsAreReadInOrder(t *testing.T) {
	pending := pod("c", 0, "awsmigrate")
	pending.Status.Phase = corev1.PodPending
	s := &server{
		pods: []corev1.Pod{pod("b", 0, "mesh", "awsmigrate"), pod("a", 2, "awsmigrate"), pod("own", 0, "controller"), pending},
		logs: map[string]string{
			"a": said(3, "third") + said(5, "fifth"), "a previous": said(1, "first"), "b": said(2, "second") + said(4, "fourth"), "own": said(6, "sixth"),
		},
	}
	var got []string
	if err := s.start(t).Read(t.Context(), Filter{Cluster: "prod"}, func(l Line) error { got = append(got, l.Message); return nil }); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"first", "second", "third", "fourth", "fifth", "sixth"}, got); diff != "" {
		t.Errorf("want (-), got (+):\n%s", diff)
	}
	for _, what := range []string{"a of awsmigrate", "b of awsmigrate", "own of controller"} {
		if !s.asked(what) {
			t.Errorf("%s was not asked for, but %q", what, s.seen)
		}
	}
}

func TestPodsThatCannotBeRead(t *testing.T) {
	for name, tt := range map[string]struct {
		server *server
		reason string
	}{
		"no pod":     {&server{}, "NoController"},
		"no log":     {&server{pods: []corev1.Pod{pod("a", 0, "awsmigrate")}}, "LogUnread"},
		"no crashed": {&server{pods: []corev1.Pod{pod("a", 1, "awsmigrate")}, logs: map[string]string{"a": ""}}, ""},
	} {
		err := tt.server.start(t).Read(t.Context(), Filter{}, func(Line) error { return nil })
		if (err == nil) != (tt.reason == "") || tt.reason != "" && (!fault.HasReason(err, tt.reason) || fault.ClassOf(err) != fault.CouldNotLook) {
			t.Errorf("%s: %v", name, err)
		}
	}
	away := Pods{Kube: kubernetes.NewForConfigOrDie(&rest.Config{Host: "http://127.0.0.1:1"}), Namespace: "x"}
	if err := away.Read(t.Context(), Filter{}, nil); !fault.HasReason(err, "Unreachable") {
		t.Errorf("%v", err)
	}
}

// Following shows no line twice, reads a log on that ended, and finds the pod that comes
// in another's place.
func TestFollow(t *testing.T) {
	s := &server{
		pods: []corev1.Pod{pod("a", 0, "awsmigrate")},
		logs: map[string]string{"a": said(1, "first"), "a follow": said(1, "first") + said(2, "second")},
		held: map[string]bool{},
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	clock := clocktesting.NewFakeClock(noon)
	var got []string
	err := s.start(t).Follow(ctx, clock, Filter{Cluster: "prod"}, func(l Line) error {
		got = append(got, l.Message)
		s.mu.Lock()
		defer s.mu.Unlock()
		switch l.Message {
		case "second": // and the log ends
			s.logs["a follow"] = said(2, "second") + said(3, "third")
			go ticks(ctx, clock)
		case "third":
			s.pods = append(s.pods, pod("b", 0, "awsmigrate"))
			s.logs["b follow"], s.held["b follow"] = said(4, "fourth"), true
		case "fourth":
			cancel()
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"first", "second", "third", "fourth"}, got); diff != "" {
		t.Errorf("want (-), got (+):\n%s", diff)
	}
}

// ticks lets the clock run fast.
func ticks(ctx context.Context, clock *clocktesting.FakeClock) {
	ticker := time.NewTicker(5 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			clock.Step(again)
		}
	}
}

func TestFollowEndsWhereNobodyTakesLines(t *testing.T) {
	closed := errors.New("closed")
	s := &server{pods: []corev1.Pod{pod("a", 0, "awsmigrate")}, logs: map[string]string{"a": "", "a follow": said(1, "first")}, held: map[string]bool{"a follow": true}}
	err := s.start(t).Follow(t.Context(), clocktesting.NewFakeClock(noon), Filter{}, func(Line) error { return closed })
	if !errors.Is(err, closed) {
		t.Errorf("%v", err)
	}
	none := &server{}
	if err := none.start(t).Follow(t.Context(), clocktesting.NewFakeClock(noon), Filter{}, nil); !fault.HasReason(err, "NoController") {
		t.Errorf("%v", err)
	}
}
