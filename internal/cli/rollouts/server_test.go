package rollouts_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/yaml"

	"github.com/awsmigrate/awsmigrate/internal/cli"
	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/internal/testing/apiserver"
	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fleet/rollout"
	"github.com/awsmigrate/awsmigrate/pkg/fleet/status"
	awsmigrate "github.com/awsmigrate/awsmigrate/pkg/generated/controllers/awsmigrate.io"
	generated "github.com/awsmigrate/awsmigrate/pkg/generated/controllers/awsmigrate.io/v1alpha1"
)

// server is a real API server with the kinds that the commands read. The test writes what a
// controller would.
type server struct {
	kubeconfig string
	kube       kubernetes.Interface
	plain      dynamic.Interface
	rollouts   generated.MigrationRolloutClient
	migrations generated.ClusterMigrationClient
}

func newServer(t *testing.T) *server {
	t.Helper()
	api := apiserver.New(t, apiserver.Options{})
	factory, err := awsmigrate.NewFactoryFromConfig(api.Config())
	if err != nil {
		t.Fatal(err)
	}
	kinds := factory.Awsmigrate().V1alpha1()
	s := &server{kubeconfig: api.Kubeconfig(t), kube: kubernetes.NewForConfigOrDie(api.Config()), plain: dynamic.NewForConfigOrDie(api.Config()),
		rollouts: kinds.MigrationRollout(), migrations: kinds.ClusterMigration()}
	for _, name := range []string{"clustermigrations", "migrationrollouts"} {
		text, err := os.ReadFile(filepath.Join("..", "..", "..", "charts", "awsmigrate-crd", "templates", "awsmigrate.io_"+name+".yaml"))
		if err != nil {
			t.Fatal(err)
		}
		s.define(t, string(text))
	}
	s.define(t, definition("provisioning.cattle.io", "v1", "Namespaced"))
	s.define(t, definition("management.cattle.io", "v3", "Cluster"))
	apiserver.Eventually(t, func() bool {
		_, ours := s.migrations.List("", metav1.ListOptions{})
		_, waves := s.rollouts.List("", metav1.ListOptions{})
		_, newer := s.plain.Resource(clusters("provisioning.cattle.io", "v1")).List(t.Context(), metav1.ListOptions{})
		_, older := s.plain.Resource(clusters("management.cattle.io", "v3")).List(t.Context(), metav1.ListOptions{})
		return ours == nil && waves == nil && newer == nil && older == nil
	})
	return s
}

func clusters(group, version string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: group, Version: version, Resource: "clusters"}
}

// definition replaces a CRD of Rancher, without its schema.
func definition(group, version, scope string) string {
	return `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: clusters.` + group + `}
spec:
  group: ` + group + `
  scope: ` + scope + `
  names: {kind: Cluster, listKind: ClusterList, plural: clusters, singular: cluster}
  versions:
  - name: ` + version + `
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`
}

func (s *server) define(t *testing.T, text string) {
	t.Helper()
	var crd map[string]any
	if err := yaml.Unmarshal([]byte(text), &crd); err != nil {
		t.Fatal(err)
	}
	definitions := schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	if _, err := s.plain.Resource(definitions).Create(t.Context(), &unstructured.Unstructured{Object: crd}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// space is a namespace with the rollout eu.
type space struct {
	*server
	name string
}

func (s *server) space(t *testing.T, spec v1alpha1.MigrationRolloutSpec) *space {
	t.Helper()
	n := &space{server: s, name: strings.ToLower(t.Name()[strings.LastIndex(t.Name(), "/")+1:])}
	if _, err := s.kube.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: n.name}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if len(spec.Waves) > 0 {
		if _, err := s.rollouts.Create(&v1alpha1.MigrationRollout{ObjectMeta: metav1.ObjectMeta{Namespace: n.name, Name: "eu"}, Spec: spec}); err != nil {
			t.Fatal(err)
		}
	}
	return n
}

// cluster makes Rancher's Cluster with labels.
func (n *space) cluster(t *testing.T, name, provider string, labels map[string]any) {
	t.Helper()
	o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "provisioning.cattle.io/v1", "kind": "Cluster",
		"metadata": map[string]any{"name": name, "labels": labels}, "spec": map[string]any{"kubernetesVersion": "v1.26.13+rke2r1", "rkeConfig": map[string]any{
			"machinePools":        []any{map[string]any{"name": "cp", "controlPlaneRole": true, "etcdRole": true, "quantity": int64(1)}},
			"machineGlobalConfig": map[string]any{"cloud-provider-name": provider}}}}}
	if _, err := n.plain.Resource(clusters("provisioning.cattle.io", "v1")).Namespace(n.name).Create(t.Context(), o, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// now returns the rollout as it is.
func (n *space) now(t *testing.T) *v1alpha1.MigrationRollout {
	t.Helper()
	r, err := n.rollouts.Get(n.name, "eu", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (n *space) migration(t *testing.T, name string) *v1alpha1.ClusterMigration {
	t.Helper()
	m, err := n.migrations.Get(n.name, name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// state describes a ClusterMigration as a controller would leave it.
type state struct {
	goal     v1alpha1.Goal // of the spec; empty: Migrate
	shown    status.State
	message  string
	plan     string
	begun    bool
	deadline time.Time // empty: in a year
	unseen   bool      // the status is of an earlier spec
	display  string    // in Rancher's UI
}

// member makes a ClusterMigration whose goal the rollout has set.
func (n *space) member(t *testing.T, name string, of state) {
	t.Helper()
	mark := rollout.Mark{Rollout: "eu", UID: n.now(t).UID, Goal: v1alpha1.GoalMigrate}
	if of.begun {
		if of.deadline.IsZero() {
			of.deadline = time.Now().AddDate(1, 0, 0)
		}
		mark.Began, mark.Deadline = of.deadline.Add(-24*time.Hour).UTC().Truncate(time.Second), of.deadline.UTC().Truncate(time.Second)
	}
	text, err := mark.Text()
	if err != nil {
		t.Fatal(err)
	}
	m := &v1alpha1.ClusterMigration{ObjectMeta: metav1.ObjectMeta{Namespace: n.name, Name: name, Annotations: map[string]string{rollout.Annotation: text}},
		Spec: v1alpha1.ClusterMigrationSpec{Goal: v1alpha1.GoalMigrate, Edits: v1alpha1.EditsApply}}
	if of.goal != "" {
		m.Spec.Goal = of.goal
	}
	if of.begun {
		m.Spec.ApprovedPlan = of.plan
	}
	if m, err = n.migrations.Create(m); err != nil {
		t.Fatal(err)
	}
	m.Status.Display, m.Status.ObservedGeneration, m.Status.DisplayName = status.Moment{State: of.shown, Message: of.message}.Display(), m.Generation, of.display
	if of.unseen {
		m.Status.ObservedGeneration--
	}
	if of.plan != "" {
		m.Status.Plan = &v1alpha1.Plan{Hash: of.plan}
	}
	if _, err := n.migrations.UpdateStatus(m); err != nil {
		t.Fatal(err)
	}
}

// show writes the status of the rollout.
func (n *space) show(t *testing.T, moment status.Moment) {
	t.Helper()
	r := n.now(t)
	r.Status.ObservedGeneration, r.Status.Display = r.Generation, moment.Display()
	if _, err := n.rollouts.UpdateStatus(r); err != nil {
		t.Fatal(err)
	}
}

// result is the outcome of a command.
type result struct {
	code      int
	out, errs string
}

func (r result) all() string { return r.out + r.errs }

// run runs a command about the rollout. typed is what a user types at a terminal, or nil without one.
func (n *space) run(t *testing.T, typed io.Reader, args ...string) result {
	t.Helper()
	var out, errs bytes.Buffer
	streams := console.Streams{In: typed, InTerminal: typed != nil, Out: &out, Err: &errs, Env: func(string) string { return "" }}
	code := cli.Main(t.Context(), slices.Concat([]string{"rollout"}, args, []string{"--kubeconfig", n.kubeconfig, "--namespace", n.name}), streams)
	return result{code, out.String(), errs.String()}
}

// expect fails unless a command ended with a code and said all words.
func (r result) expect(t *testing.T, code int, words ...string) {
	t.Helper()
	if r.code != code {
		t.Errorf("exit %d, wanted %d\n%s", r.code, code, r.all())
	}
	said := strings.Join(strings.Fields(r.all()), " ")
	for _, word := range words {
		if !strings.Contains(said, word) {
			t.Errorf("lacks %q:\n%s", word, r.all())
		}
	}
}

func hash(digit string) string { return "sha256:" + strings.Repeat(digit, 64) }

// waves returns waves that name clusters. "a1 a2" becomes wave a, and "rest" has no names.
func waves(clusters ...string) v1alpha1.MigrationRolloutSpec {
	spec := v1alpha1.MigrationRolloutSpec{}
	for _, names := range clusters {
		wave := v1alpha1.Wave{Name: names}
		if names != "rest" {
			wave.Name, wave.Clusters = names[:1], strings.Fields(names)
		}
		spec.Waves = append(spec.Waves, wave)
	}
	return spec
}

// TestRollout runs the commands against a real API server. It has no controller: what that would
// write is in each test.
func TestRollout(t *testing.T) {
	s := newServer(t)
	for name, test := range map[string]func(*testing.T, *server){
		"PlanByName": planByName, "PlanByFile": planByFile, "NotFound": notFound, "Approve": approve, "ApproveUnseen": approveUnseen, "ApproveUnknown": approveUnknown, "ApproveConflict": approveConflict,
		"ApproveTooMany": approveTooMany, "ApproveAnew": approveAnew, "Pause": pause, "Retry": retry, "RetryOne": retryOne, "Status": showStatus, "Watch": watch,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, s)
		})
	}
}
