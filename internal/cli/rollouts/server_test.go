package rollouts_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/yaml"

	"github.com/awsmigrate/awsmigrate/internal/cli"
	"github.com/awsmigrate/awsmigrate/internal/cli/console"
	"github.com/awsmigrate/awsmigrate/internal/cli/view"
	"github.com/awsmigrate/awsmigrate/internal/controller"
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
	m.Status.Display, m.Status.ObservedGeneration = status.Moment{State: of.shown, Message: of.message}.Display(), m.Generation
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

func waves(names ...string) v1alpha1.MigrationRolloutSpec {
	spec := v1alpha1.MigrationRolloutSpec{}
	for _, name := range names {
		wave := v1alpha1.Wave{Name: name}
		if name != "rest" {
			wave.Clusters = []string{name + "1", name + "2", name + "3"}
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
		"PlanByName": planByName, "PlanByFile": planByFile, "NotFound": notFound, "Approve": approve, "ApproveUnseen": approveUnseen, "ApproveConflict": approveConflict,
		"ApproveTooMany": approveTooMany, "ApproveAnew": approveAnew, "Pause": pause, "Retry": retry, "RetryOne": retryOne, "Status": showStatus, "Watch": watch,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, s)
		})
	}
}

// A plan by name has the members as the controller shows them, and writes nothing.
func planByName(t *testing.T, s *server) {
	spec := waves("a")
	spec.Waves = append(spec.Waves, v1alpha1.Wave{Name: "test", Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"env": "test"}}})
	n := s.space(t, spec)
	n.cluster(t, "labelled", "aws", map[string]any{"env": "test"})
	n.cluster(t, "alone", "aws", nil)
	n.member(t, "a1", state{shown: status.AwaitingApproval, plan: hash("1")})
	n.member(t, "a2", state{shown: status.AwaitingOwner, message: "say who edits it"})
	n.member(t, "a3", state{shown: status.AwaitingApproval, plan: hash("3"), unseen: true})
	n.member(t, "labelled", state{shown: status.AwaitingApproval, plan: hash("4")})
	n.member(t, "alone", state{shown: status.AwaitingApproval, plan: hash("5")})
	before := n.now(t).ResourceVersion
	n.run(t, nil, "plan", "--name", "eu").expect(t, 0, "wave a · 3 clusters", "1 with a plan: a1", "1 without a plan: a2 say who edits it", "1 not looked at yet: a3",
		"wave test · 1 cluster", "1 cluster in no wave: alone", "next awsmigrate rollout status --name eu --namespace planbyname")
	n.run(t, nil, "plan", "--name", "eu", "-o", "wide").expect(t, 0, "a1 with a plan 111111111111", "labelled with a plan 444444444444")
	got := n.run(t, nil, "plan", "--name", "eu", "-o", "json")
	got.expect(t, 0)
	var doc view.RolloutPlanDocument
	if err := json.Unmarshal([]byte(got.out), &doc); err != nil || len(doc.Waves) != 2 || doc.Waves[0].Clusters[0].Plan != hash("1") || doc.Approved {
		t.Errorf("%v: %+v", err, doc)
	}
	if after := n.now(t).ResourceVersion; after != before {
		t.Error("the rollout was written")
	}
}

// A plan by file reads Rancher's clusters. It has those of its namespace that could be migrated.
func planByFile(t *testing.T, s *server) {
	n := s.space(t, v1alpha1.MigrationRolloutSpec{})
	n.cluster(t, "one", "aws", map[string]any{"env": "test"})
	n.cluster(t, "two", "aws", map[string]any{"env": "prod"})
	n.cluster(t, "three", "aws", nil)
	n.cluster(t, "other-cloud", "rancher-vsphere", map[string]any{"env": "test"})
	file := manifest(t, `
# a rollout of this test
apiVersion: awsmigrate.io/v1alpha1
kind: MigrationRollout
metadata: {name: new}
spec:
  waves:
  - {name: test, selector: {matchLabels: {env: test}}}
  - {name: prod, selector: {matchLabels: {env: prod}}, soak: 1h}
`)
	// Rancher's copies of the clusters are missing here, so each could not be read.
	n.run(t, nil, "plan", "--file", file).expect(t, 10, n.name+"/new", "wave test · 1 cluster", "1 could not be checked: one", "wave prod · 1 cluster · 1 at a time · 0 failures allowed · deadline 24h · soak 1h",
		"could not be checked: two", "1 cluster in no wave: three", "next kubectl apply -f "+file+" -n planbyfile")
	elsewhere := manifest(t, strings.Replace(read(t, file), "name: new", "name: new, namespace: elsewhere", 1))
	n.run(t, nil, "plan", "--file", elsewhere).expect(t, 2, `flag --namespace: "planbyfile", but metadata.namespace`, `is "elsewhere"`)
}

func manifest(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "rollout.yaml")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func notFound(t *testing.T, s *server) {
	n := s.space(t, v1alpha1.MigrationRolloutSpec{})
	for _, command := range []string{"plan", "status", "approve", "pause", "resume", "retry"} {
		n.run(t, nil, command, "--name", "eu").expect(t, 2, "MigrationRollout notfound/eu: does not exist", "kubectl get awsr -n notfound")
	}
}

// An approval lists each cluster with its wave and plan, also those without a plan.
func approve(t *testing.T, s *server) {
	spec := waves("a", "rest")
	spec.Waves[1].FailuresAllowed = 1
	n := s.space(t, spec)
	n.member(t, "a1", state{shown: status.AwaitingApproval, plan: hash("1")})
	n.member(t, "a2", state{shown: status.AwaitingOwner})
	n.member(t, "z1", state{shown: status.AwaitingOwner})
	n.member(t, "z2", state{shown: status.AwaitingApproval, goal: v1alpha1.GoalUndo, plan: hash("2")}) // by a person
	n.run(t, nil, "approve", "--name", "eu").expect(t, 7, "read the plan, then add --yes")
	n.run(t, strings.NewReader("no\n"), "approve", "--name", "eu").expect(t, 7, "not approved")
	if n.now(t).Spec.Approved != nil {
		t.Fatal("approved without a yes")
	}
	n.run(t, strings.NewReader("yes\n"), "approve", "--name", "eu").expect(t, 0, "2 clusters · 1 at a time", "1 withdrawn: z2", `Approve 3 clusters of approve/eu? Only "yes" is accepted:`,
		"wave a has 1 cluster without a plan, and allows 0 failures: it will stop there", "wave rest has 1 cluster without a plan: each fails at its deadline",
		"3 clusters approved; to see the progress: awsmigrate rollout status --name eu --namespace approve --kubeconfig")
	want := v1alpha1.RolloutApproval{Goal: v1alpha1.GoalMigrate, Members: []v1alpha1.RolloutMember{{Cluster: "a1", Wave: "a", Plan: hash("1")}, {Cluster: "a2", Wave: "a"}, {Cluster: "z1", Wave: "rest"}}}
	if got := n.now(t).Spec.Approved; got == nil || got.Goal != want.Goal || !slices.Equal(got.Members, want.Members) {
		t.Errorf("%+v", got)
	}
	generation := n.now(t).Generation
	n.run(t, nil, "approve", "--name", "eu").expect(t, 0, "approved already")
	if n.now(t).Generation != generation {
		t.Error("approved again")
	}
	n.run(t, nil, "plan", "--name", "eu").expect(t, 0, "Active", "next awsmigrate rollout status")
}

// An approval would leave out the plans that the controller has not made yet.
func approveUnseen(t *testing.T, s *server) {
	n := s.space(t, waves("a"))
	n.run(t, nil, "approve", "--name", "eu", "--yes").expect(t, 2, "no cluster can take part", "it shows Pending")
	n.member(t, "a1", state{shown: status.AwaitingApproval, plan: hash("1")})
	n.member(t, "a2", state{shown: status.Auditing})
	n.member(t, "a3", state{shown: status.AwaitingApproval, goal: v1alpha1.GoalAudit})
	if _, err := n.migrations.Patch(n.name, "a3", types.MergePatchType, []byte(`{"metadata":{"annotations":{"`+rollout.Annotation+`":null}}}`)); err != nil {
		t.Fatal(err)
	}
	n.run(t, nil, "approve", "--name", "eu", "--yes").expect(t, 2, "has not looked at 2 of 3 clusters yet: a2, a3", "wait, then run the same command again")
	if n.now(t).Spec.Approved != nil {
		t.Error("approved")
	}
}

// typing does something before it answers.
type typing struct {
	once   sync.Once
	before func()
	answer io.Reader
}

func (r *typing) Read(p []byte) (int, error) {
	r.once.Do(r.before)
	return r.answer.Read(p)
}

// A change of the spec during the question voids the approval, and one of the status does not.
func approveConflict(t *testing.T, s *server) {
	n := s.space(t, waves("a", "b"))
	n.member(t, "a1", state{shown: status.AwaitingApproval, plan: hash("1")})
	change := func(patch string) func() {
		return func() {
			if _, err := n.rollouts.Patch(n.name, "eu", types.MergePatchType, []byte(patch)); err != nil {
				t.Error(err)
			}
		}
	}
	n.run(t, &typing{before: change(`{"spec":{"maxConcurrent":7}}`), answer: strings.NewReader("yes\n")}, "approve", "--name", "eu").expect(t, 9, "changed meanwhile; nothing was approved")
	if n.now(t).Spec.Approved != nil {
		t.Error("approved")
	}
	n.run(t, &typing{before: func() { n.show(t, status.Moment{State: status.AwaitingApproval}) }, answer: strings.NewReader("yes\n")}, "approve", "--name", "eu").expect(t, 0, "1 cluster approved")
	gone := func() {
		if err := n.rollouts.Delete(n.name, "eu", &metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
	}
	n.member(t, "b1", state{shown: status.AwaitingApproval, plan: hash("2")})
	n.run(t, &typing{before: gone, answer: strings.NewReader("yes\n")}, "approve", "--name", "eu").expect(t, 2, "does not exist")
}

// More clusters than an approval can list are refused before the API server refuses them.
func approveTooMany(t *testing.T, s *server) {
	n := s.space(t, waves("rest"))
	for i := range 501 {
		m := &v1alpha1.ClusterMigration{ObjectMeta: metav1.ObjectMeta{Namespace: n.name, GenerateName: "m-"}, Spec: v1alpha1.ClusterMigrationSpec{Goal: v1alpha1.GoalMigrate}}
		m, err := n.migrations.Create(m)
		if err != nil {
			t.Fatalf("%d: %v", i, err)
		}
		m.Status.Display, m.Status.ObservedGeneration = status.Moment{State: status.AwaitingOwner}.Display(), m.Generation
		if _, err := n.migrations.UpdateStatus(m); err != nil {
			t.Fatal(err)
		}
	}
	n.run(t, nil, "approve", "--name", "eu", "--yes").expect(t, 2, "501 without a plan", "cannot list these clusters", "select fewer clusters")
}

// A cluster that has begun keeps its plan, and one that joined is added.
func approveAnew(t *testing.T, s *server) {
	spec := waves("a", "rest")
	spec.Approved = &v1alpha1.RolloutApproval{Goal: v1alpha1.GoalMigrate, Members: []v1alpha1.RolloutMember{{Cluster: "a1", Wave: "a", Plan: hash("1")}, {Cluster: "a2", Wave: "a", Plan: hash("2")}}}
	n := s.space(t, spec)
	n.member(t, "a1", state{shown: status.Auditing, plan: hash("1"), begun: true})
	n.member(t, "a2", state{shown: status.AwaitingApproval, plan: hash("f")})
	n.member(t, "z1", state{shown: status.AwaitingApproval, plan: hash("9")})
	n.run(t, nil, "plan", "--name", "eu").expect(t, 0, "1 withdrawn: a2 its plan is not the one that was approved", "1 cluster joined after the approval · 1 with a plan in wave rest: z1")
	n.run(t, nil, "approve", "--name", "eu", "-y").expect(t, 0, "3 clusters approved")
	want := []v1alpha1.RolloutMember{{Cluster: "a1", Wave: "a", Plan: hash("1")}, {Cluster: "a2", Wave: "a", Plan: hash("f")}, {Cluster: "z1", Wave: "rest", Plan: hash("9")}}
	if got := n.now(t).Spec.Approved; !slices.Equal(got.Members, want) {
		t.Errorf("%+v", got)
	}
}

func pause(t *testing.T, s *server) {
	n := s.space(t, waves("a"))
	n.run(t, nil, "resume", "--name", "eu").expect(t, 0, "MigrationRollout pause/eu was not paused already")
	n.run(t, nil, "pause", "--name", "eu").expect(t, 0, "MigrationRollout pause/eu is paused now: no cluster begins", "go on, and are watched", "awsmigrate rollout resume --name eu --namespace pause")
	if !n.now(t).Spec.Paused {
		t.Error("not paused")
	}
	n.run(t, nil, "pause", "--name", "eu").expect(t, 0, "was paused already")
	n.member(t, "a1", state{shown: status.AwaitingApproval, plan: hash("1")})
	n.run(t, nil, "approve", "--name", "eu", "--yes").expect(t, 0, "no cluster begins before rollout resume")
	n.run(t, nil, "resume", "--name", "eu").expect(t, 0, "MigrationRollout pause/eu is not paused now")
	if n.now(t).Spec.Paused {
		t.Error("paused")
	}
}

// Failed clusters get another deadline and a retry. Others are not written.
func retry(t *testing.T, s *server) {
	spec := waves("a", "rest")
	spec.Waves[0].Deadline = "2h"
	n := s.space(t, spec)
	n.run(t, nil, "retry", "--name", "eu").expect(t, 0, "no cluster of MigrationRollout retry/eu has failed")
	past := time.Now().AddDate(0, 0, -1)
	n.member(t, "a1", state{shown: status.Stalled, plan: hash("1"), begun: true})
	n.member(t, "a2", state{shown: status.AwaitingApproval, plan: hash("2"), begun: true, deadline: past})
	n.member(t, "a3", state{shown: status.Running, plan: hash("3"), begun: true})
	n.member(t, "z1", state{shown: status.Undoing, goal: v1alpha1.GoalUndo, plan: hash("4"), begun: true})
	n.member(t, "z2", state{shown: status.AwaitingApproval, plan: hash("5")})
	untouched := map[string]string{"a3": "", "z1": "", "z2": ""}
	for name := range untouched {
		untouched[name] = n.migration(t, name).ResourceVersion
	}
	began := time.Now().Truncate(time.Second)
	n.run(t, nil, "retry", "--name", "eu").expect(t, 3, "✓ a1: retried in wave a until", "✓ a2: retried in wave a until", "its plan changed: awsmigrate rollout approve --name eu --namespace retry",
		"✗ z1: not retried: a person set goal Undo", "1 of 3 failed clusters were not retried")
	for name, version := range untouched {
		if n.migration(t, name).ResourceVersion != version {
			t.Errorf("%s was written", name)
		}
	}
	for _, name := range []string{"a1", "a2"} {
		m := n.migration(t, name)
		mark := rollout.MarkOf(m)
		if m.Annotations[controller.RetryAnnotation] == "" || mark.Began.Before(began) || !mark.Deadline.Equal(mark.Began.Add(2*time.Hour)) || mark.UID != n.now(t).UID || m.Spec.ApprovedPlan == "" {
			t.Errorf("%s: %v, %+v", name, m.Annotations, mark)
		}
	}
	n.run(t, nil, "status", "--name", "eu", "-o", "json").expect(t, 0, `"kind": "RolloutStatus"`)
}

func retryOne(t *testing.T, s *server) {
	n := s.space(t, waves("a"))
	n.member(t, "a1", state{shown: status.Stalled, plan: hash("1"), begun: true})
	n.member(t, "a2", state{shown: status.Stalled, plan: hash("2"), begun: true})
	n.member(t, "a3", state{shown: status.Running, plan: hash("3"), begun: true})
	n.run(t, nil, "retry", "--name", "eu", "--cluster", "a3").expect(t, 2, "ClusterMigration retryone/a3: has not failed: it is Active")
	n.run(t, nil, "retry", "--name", "eu", "--cluster", "x").expect(t, 2, "ClusterMigration retryone/x: is in no wave of MigrationRollout retryone/eu")
	n.run(t, nil, "retry", "--name", "eu", "--cluster", "retryone/a2").expect(t, 0, "a2: retried in wave a")
	if n.migration(t, "a1").Annotations[controller.RetryAnnotation] != "" || n.migration(t, "a2").Annotations[controller.RetryAnnotation] == "" {
		t.Error("the wrong cluster was retried")
	}
	first := n.migration(t, "a2").Annotations[controller.RetryAnnotation]
	n.run(t, nil, "retry", "--name", "eu", "--cluster", "a2").expect(t, 0, "a2: retried")
	if n.migration(t, "a2").Annotations[controller.RetryAnnotation] == first {
		t.Error("the second retry has the value of the first")
	}
}

func showStatus(t *testing.T, s *server) {
	n := s.space(t, waves("a", "rest"))
	n.run(t, nil, "status", "--name", "eu").expect(t, 0, "status/eu · goal Migrate", "state Pending", "the controller has not seen it yet", "next kubectl get awsm -n status")
	n.show(t, status.Moment{State: status.AwaitingApproval})
	n.run(t, nil, "status", "--name", "eu").expect(t, 0, "state Awaiting-Approval", "next awsmigrate rollout approve --name eu --namespace status")
	r := n.now(t)
	r.Status = v1alpha1.MigrationRolloutStatus{ObservedGeneration: r.Generation, Wave: "a", Counts: v1alpha1.RolloutCounts{Total: 3, Failed: 1, Waiting: 2},
		Waves:   []v1alpha1.WaveStatus{{Name: "a", State: "Stopped", Counts: v1alpha1.RolloutCounts{Total: 3, Failed: 1, Waiting: 2}}},
		Notes:   []v1alpha1.RolloutNote{{Cluster: "a1", Wave: "a", State: "Failed", Message: "check AWSM-303 fails"}},
		Display: status.Moment{State: status.Stalled, Reason: status.WaveStopped, Message: "wave a stopped"}.Display()}
	if _, err := n.rollouts.UpdateStatus(r); err != nil {
		t.Fatal(err)
	}
	n.run(t, nil, "status", "--name", "eu").expect(t, 0, "state Stalled · wave a wave a stopped", "a Stopped 3 0 0 1 2 0", "1 failed in wave a: a1 check AWSM-303 fails", "next awsmigrate rollout retry --name eu")
	n.show(t, status.Moment{State: status.Paused})
	n.run(t, nil, "pause", "--name", "eu").expect(t, 0)
	n.run(t, nil, "status", "--name", "eu").expect(t, 0, "next awsmigrate rollout resume --name eu")
	n.run(t, nil, "status", "--name", "eu", "--watch", "-o", "json").expect(t, 2, "wanted -o text")
}

// lines is an output whose lines a test waits for.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) has(word string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Contains(l.text.String(), word)
}

// A watch prints each change once, and ends with the success of the rollout.
func watch(t *testing.T, s *server) {
	n := s.space(t, waves("a"))
	out, ended := &lines{}, make(chan int, 1)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		ended <- cli.Main(ctx, []string{"rollout", "status", "--name", "eu", "--watch", "--kubeconfig", n.kubeconfig, "-n", n.name}, console.Streams{Out: out, Err: out})
	}()
	wait := func(word string) {
		t.Helper()
		apiserver.Eventually(t, func() bool { return out.has(word) })
	}
	wait("Pending: no controller has looked at it yet")
	n.show(t, status.Moment{State: status.Running, Message: "wave a: 1 of 3 clusters done"})
	wait("Running: wave a: 1 of 3 clusters done")
	n.show(t, status.Moment{State: status.Succeeded, Message: "3 of 3 clusters are at the goal"})
	if code := <-ended; code != 0 || !out.has("Succeeded: 3 of 3 clusters are at the goal") {
		t.Errorf("exit %d\n%s", code, out.text.String())
	}
	if got := strings.Count(out.text.String(), "\n"); got != 3 {
		t.Errorf("%d lines:\n%s", got, out.text.String())
	}
}
