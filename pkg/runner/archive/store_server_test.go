package archive

import (
	"errors"
	"net/http"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/awsmigrate/awsmigrate/internal/testing/apiserver"
	"github.com/awsmigrate/awsmigrate/internal/testing/faulty"
	"github.com/awsmigrate/awsmigrate/pkg/runner/retry"
)

// Only a real API server has preconditions, and a limit for the size of an object.
func TestOnAPIServer(t *testing.T) {
	server := apiserver.New(t, apiserver.Options{})
	for name, test := range map[string]func(*testing.T, *rest.Config){
		"kept, and read back":         keepsAndReads,
		"two at once":                 keepsBesideAnother,
		"full to the brim":            keepsWhatAServerTakes,
		"an object of others":         keepsNothingInAnothers,
		"may not be written, or read": keepsNothingUnasked,
	} {
		t.Run(name, func(t *testing.T) { test(t, server.Config()) })
	}
}

func storeIn(t *testing.T, config *rest.Config) (Store, *faulty.Transport) {
	t.Helper()
	client, transport := faulty.Client(t, config)
	return Store{Client: client, Namespace: "default", Cluster: faulty.Name(t), Clock: faulty.NewClock()}, transport
}

func keep(t *testing.T, s Store, size int, runs ...string) {
	t.Helper()
	if err := s.Keep(t.Context(), runs, slices.Repeat([]byte(runs[0][:1]), size)); err != nil {
		t.Fatal(err)
	}
}

func loaded(t *testing.T, s Store) Records {
	t.Helper()
	all, err := s.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func keepsAndReads(t *testing.T, config *rest.Config) {
	s, _ := storeIn(t, config)
	if all := loaded(t, s); len(all.Runs()) > 0 {
		t.Errorf("%v are kept where nothing ever was", all.Runs())
	}
	keep(t, s, 3, "a")
	keep(t, s, 4, "b")
	keep(t, s, 5, "b", "c") // an undo by the process of run b
	all := loaded(t, s)
	if !slices.Equal(all.Runs(), []string{"a", "b", "c"}) {
		t.Errorf("runs %v", all.Runs())
	}
	for run, size := range map[string]int{"a": 3, "b": 5, "c": 5} {
		if packed, err := all.Of(run); err != nil || len(packed) != size {
			t.Errorf("run %s: %d bytes, %v", run, len(packed), err)
		}
	}
	if _, err := all.Of("d"); !errors.Is(err, ErrNone) {
		t.Errorf("a run without a record: %v", err)
	}
}

// A record that another run stored meanwhile remains.
func keepsBesideAnother(t *testing.T, config *rest.Config) {
	s, transport := storeIn(t, config)
	keep(t, s, 1, "a")
	other, _ := storeIn(t, config)
	other.Cluster = s.Cluster
	between := false
	transport.Set(func(method string, _ int) faulty.Fate {
		if method == http.MethodPatch && !between {
			between = true
			keep(t, other, 1, "b")
		}
		return faulty.Deliver
	})
	keep(t, s, 1, "c")
	if all := loaded(t, s).Runs(); !slices.Equal(all, []string{"a", "b", "c"}) || !between {
		t.Errorf("runs %v", all)
	}
}

// An API server accepts the largest object.
func keepsWhatAServerTakes(t *testing.T, config *rest.Config) {
	s, _ := storeIn(t, config)
	for _, run := range []string{"a", "b", "c"} {
		keep(t, s, maxTotal/2, run)
	}
	if all := loaded(t, s).Runs(); !slices.Equal(all, []string{"b", "c"}) {
		t.Errorf("runs %v", all)
	}
	if err := s.Keep(t.Context(), []string{"d"}, make([]byte, maxTotal+1)); err == nil {
		t.Error("one that no object can hold was kept")
	}
}

func keepsNothingInAnothers(t *testing.T, config *rest.Config) {
	s, _ := storeIn(t, config)
	anothers := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: s.name(), Namespace: s.Namespace}, Data: map[string]string{"k": "v"}}
	if _, err := s.Client.CoreV1().ConfigMaps(s.Namespace).Create(t.Context(), anothers, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := s.Keep(t.Context(), []string{"a"}, []byte("r")); err == nil {
		t.Error("a record was put into a foreign object")
	}
	if _, err := s.Load(t.Context()); err == nil {
		t.Error("a foreign object was read for records")
	}
}

func keepsNothingUnasked(t *testing.T, config *rest.Config) {
	config = rest.CopyConfig(config)
	config.Impersonate = rest.ImpersonationConfig{UserName: "stranger"}
	s, _ := storeIn(t, config)
	if err := s.Keep(t.Context(), []string{"a"}, []byte("r")); !retry.Denied(err) {
		t.Errorf("%v", err)
	}
	if _, err := s.Load(t.Context()); !retry.Denied(err) {
		t.Errorf("%v", err)
	}
}
