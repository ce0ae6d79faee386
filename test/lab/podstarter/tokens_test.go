package podstarter

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/awsmigrate/awsmigrate/test/lab/testplane"
)

// A token in its last fifth is replaced by another one in the same file.
func TestTokenIsRenewed(t *testing.T) {
	client := kubernetes.NewForConfigOrDie(testplane.Start(t, "management")[0])
	pods := client.CoreV1().Pods("default")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	_, err := client.CoreV1().ServiceAccounts("default").Create(t.Context(), &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "runner"}}, metav1.CreateOptions{})
	must(err)
	live, err := pods.Create(t.Context(), &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "one"},
		Spec:       corev1.PodSpec{ServiceAccountName: "runner", Containers: []corev1.Container{{Name: "main", Image: "none"}}},
	}, metav1.CreateOptions{})
	must(err)
	s := &starter{client: client, Config: Config{Dir: t.TempDir(), TokenLifetime: 10 * time.Minute, Log: slog.New(slog.NewTextHandler(os.Stderr, nil))}}
	p := newPod(s, live)
	kept := &token{path: filepath.Join(s.Dir, "token"), source: &corev1.ServiceAccountTokenProjection{}}
	p.tokens = []*token{kept}
	asked := time.Now()
	must(p.renew(t.Context(), kept))
	if due := kept.due.Sub(asked); due < 7*time.Minute || due > 8*time.Minute+5*time.Second {
		t.Errorf("due after %s, wanted four fifths of ten minutes", due)
	}
	first, err := os.ReadFile(kept.path)
	must(err)
	kept.due = asked
	running, stop := context.WithCancel(t.Context())
	over := make(chan struct{})
	go func() {
		defer close(over)
		p.keepTokens(running)
	}()
	defer func() { stop(); <-over }()
	deadline := time.NewTimer(time.Minute)
	defer deadline.Stop()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		now, err := os.ReadFile(kept.path)
		must(err)
		if string(now) != string(first) && len(now) > 0 {
			return
		}
		select {
		case <-deadline.C:
			t.Fatal("it is still the same")
		case <-tick.C:
		}
	}
}
