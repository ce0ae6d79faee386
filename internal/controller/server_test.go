package controller

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"github.com/awsmigrate/awsmigrate/internal/session"
	"github.com/awsmigrate/awsmigrate/internal/testing/apiserver"
	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/fleet/status"
	awsmigrate "github.com/awsmigrate/awsmigrate/pkg/generated/controllers/awsmigrate.io"
	generated "github.com/awsmigrate/awsmigrate/pkg/generated/controllers/awsmigrate.io/v1alpha1"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// management is a real API server with the kinds that a controller reads. Each test has its own
// namespace.
type management struct {
	config  *rest.Config
	kube    kubernetes.Interface
	plain   dynamic.Interface
	objects generated.ClusterMigrationClient
}

const definitionFile = "../../charts/awsmigrate-crd/templates/awsmigrate.io_clustermigrations.yaml"

func serve(t testing.TB) *management {
	t.Helper()
	text, err := os.ReadFile(definitionFile)
	if err != nil {
		t.Fatal(err)
	}
	return serveDefinition(t, string(text))
}

// serveDefinition serves ClusterMigrations with the given CRD.
func serveDefinition(t testing.TB, text string) *management {
	t.Helper()
	config := apiserver.New(t, apiserver.Options{}).Config()
	factory, err := awsmigrate.NewFactoryFromConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	m := &management{config: config, kube: kubernetes.NewForConfigOrDie(config), plain: dynamic.NewForConfigOrDie(config), objects: factory.Awsmigrate().V1alpha1().ClusterMigration()}
	m.define(t, text)
	m.define(t, rancherClusters)
	apiserver.Eventually(t, func() bool {
		_, clusters := m.plain.Resource(provisioningClusters).List(t.Context(), metav1.ListOptions{})
		_, objects := m.objects.List("", metav1.ListOptions{})
		return clusters == nil && objects == nil
	})
	return m
}

// rancherClusters replaces Rancher's CRD, without its schema.
const rancherClusters = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: clusters.provisioning.cattle.io}
spec:
  group: provisioning.cattle.io
  scope: Namespaced
  names: {kind: Cluster, listKind: ClusterList, plural: clusters, singular: cluster}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`

func (m *management) define(t testing.TB, text string) {
	t.Helper()
	var crd map[string]any
	if err := yaml.Unmarshal([]byte(text), &crd); err != nil {
		t.Fatal(err)
	}
	if _, err := m.plain.Resource(definitions).Create(t.Context(), &unstructured.Unstructured{Object: crd}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// installation is a namespace with one Cluster, and the world behind it.
type installation struct {
	*management
	namespace string
	world     *world
}

func (m *management) install(t *testing.T) *installation {
	t.Helper()
	name := "test-" + strings.ToLower(t.Name()[strings.LastIndex(t.Name(), "/")+1:])
	if _, err := m.kube.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	i := &installation{management: m, namespace: name, world: newWorld()}
	i.cluster(t, "prod", "external")
	return i
}

func (i *installation) cluster(t testing.TB, name, provider string) {
	t.Helper()
	cluster := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "provisioning.cattle.io/v1", "kind": "Cluster",
		"metadata": map[string]any{"name": name}, "spec": map[string]any{"kubernetesVersion": "v1.26.13+rke2r1", "rkeConfig": map[string]any{
			"machinePools":        []any{map[string]any{"name": "cp", "controlPlaneRole": true, "etcdRole": true, "quantity": int64(1)}},
			"machineGlobalConfig": map[string]any{"cloud-provider-name": provider}}}}}
	if _, err := i.plain.Resource(provisioningClusters).Namespace(i.namespace).Create(t.Context(), cluster, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// start runs a controller until stop is called, or the test ends.
func (i *installation) start(t *testing.T, change func(*Options)) (c *Controller, stop func()) {
	t.Helper()
	o := Options{Config: i.config, Namespaces: []string{i.namespace}, Version: "v1", Engine: i.world.engine(), Actor: session.Actor{User: "controller", Host: "pod-0"}, Election: Election{Off: true}}
	if change != nil {
		change(&o)
	}
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	over := make(chan error, 1)
	go func() { over <- c.Run(ctx) }()
	stopped := false
	stop = func() {
		t.Helper()
		if stopped {
			return
		}
		stopped = true
		cancel()
		if err := <-over; err != nil {
			t.Errorf("the controller ended with %v", err)
		}
	}
	t.Cleanup(stop)
	return c, stop
}

func (i *installation) create(t *testing.T, spec v1alpha1.ClusterMigrationSpec) {
	t.Helper()
	i.createOf(t, "prod", spec)
}

func (i *installation) createOf(t testing.TB, name string, spec v1alpha1.ClusterMigrationSpec) *v1alpha1.ClusterMigration {
	t.Helper()
	m, err := i.objects.Create(&v1alpha1.ClusterMigration{ObjectMeta: metav1.ObjectMeta{Namespace: i.namespace, Name: name}, Spec: spec})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func (i *installation) patch(t *testing.T, patch string) {
	t.Helper()
	if _, err := i.objects.Patch(i.namespace, "prod", types.MergePatchType, []byte(patch)); err != nil {
		t.Fatal(err)
	}
}

// shows waits until the object shows a state, and a reason if one is given.
func (i *installation) shows(t *testing.T, state status.State, reason status.Reason) *v1alpha1.ClusterMigration {
	t.Helper()
	return i.showsOf(t, "prod", state, reason)
}

func (i *installation) showsOf(t testing.TB, name string, state status.State, reason status.Reason) *v1alpha1.ClusterMigration {
	t.Helper()
	var last *v1alpha1.ClusterMigration
	defer func() {
		if t.Failed() && last != nil {
			t.Logf("it shows %+v of %+v", last.Status.Display, last.Status)
		}
	}()
	want := status.Moment{State: state}.Display().State
	apiserver.Eventually(t, func() bool {
		m, err := i.objects.Get(i.namespace, name, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		last = m
		return m.Status.Display != nil && m.Status.Display.State == want && m.Status.ObservedGeneration == m.Generation &&
			(reason == "" || m.Status.Conditions[0].Reason == string(reason))
	})
	return last
}

func (i *installation) approve(t *testing.T) {
	t.Helper()
	i.patch(t, `{"spec":{"approvedPlan":"`+i.shows(t, status.AwaitingApproval, "").Status.Plan.Hash+`"}}`)
}

var migrates = v1alpha1.ClusterMigrationSpec{Goal: v1alpha1.GoalMigrate, Edits: v1alpha1.EditsApply}

// These tests run the controller on a real API server with a fake engine; see world for its
// limits.
func TestOnAnAPIServer(t *testing.T) {
	m := serve(t)
	for name, test := range map[string]func(*testing.T, *installation){
		"Audits": audits, "GoesThereAndBack": goesThereAndBack, "NeedsThePlanItself": needsThePlanItself, "HoldsBeforeAStep": holdsBeforeAStep,
		"WaitsAfterAFailure": waitsAfterAFailure, "SaysWhoHoldsIt": saysWhoHoldsIt, "OutlivesAPanic": outlivesAPanic, "StopsCleanly": stopsCleanly,
		"GuardsWithoutAnObject": guardsWithoutAnObject, "GuardsRKEWithoutAnObject": guardsRKEWithoutAnObject, "RefusesSecrets": refusesSecrets, "RefusesRoles": refusesRoles, "AwaitsACommit": awaitsACommit, "OneLeads": oneLeads, "Discovers": discovers, "StopsAtUntil": stopsAtUntil, "LeavesNothingThatRolls": leavesNothingThatRolls, "GoesOnBesideOthers": goesOnBesideOthers, "GoesOnNextToAudits": goesOnNextToAudits, "CancelsItsAudit": cancelsItsAudit, "SurvivesABrokenJournal": survivesABrokenJournal, "CountsWhatHappensAgain": countsWhatHappensAgain,
		"ApprovesAPlan": approvesAPlan,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, m.install(t))
		})
	}
	t.Run("GuardComesFirst", func(t *testing.T) {
		for name, bend := range map[string]func(*v1alpha1.ClusterMigrationSpec, *Options){
			"Paused":     func(s *v1alpha1.ClusterMigrationSpec, _ *Options) { s.Paused = true },
			"GoalAudit":  func(s *v1alpha1.ClusterMigrationSpec, _ *Options) { s.Goal = v1alpha1.GoalAudit },
			"GoalUndo":   func(s *v1alpha1.ClusterMigrationSpec, _ *Options) { s.Goal = v1alpha1.GoalUndo },
			"ModeAudit":  func(_ *v1alpha1.ClusterMigrationSpec, o *Options) { o.AuditsOnly = true },
			"Unapproved": func(*v1alpha1.ClusterMigrationSpec, *Options) {},
			"NoEdits":    func(s *v1alpha1.ClusterMigrationSpec, _ *Options) { s.Edits = "" },
			"WindowClosed": func(s *v1alpha1.ClusterMigrationSpec, _ *Options) {
				s.Windows = []v1alpha1.Window{{Schedule: "0 0 29 2 *", Duration: "30m"}}
			},
			"NoSuchSecret": func(s *v1alpha1.ClusterMigrationSpec, _ *Options) {
				s.Options.AWS.SecretRef = &v1alpha1.Secret{Name: "gone"}
			},
			"PlanOfAnother": func(s *v1alpha1.ClusterMigrationSpec, _ *Options) {
				s.ApprovedPlan = "sha256:" + strings.Repeat("a", 64)
			},
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				i := m.install(t)
				i.world.rolls = true
				spec := migrates
				i.create(t, func() v1alpha1.ClusterMigrationSpec { bend(&spec, &Options{}); return spec }())
				i.start(t, func(o *Options) { bend(&v1alpha1.ClusterMigrationSpec{}, o) })
				i.world.guarded(t)
				if runs := i.world.begunRuns(); len(runs) > 0 {
					t.Errorf("it ran %v", runs)
				}
			})
		}
	})
}

// Repeated events of one version of an object are one event with a count, which client-go
// patches.
func countsWhatHappensAgain(t *testing.T, i *installation) {
	m := i.createOf(t, "prod", v1alpha1.ClusterMigrationSpec{})
	events := newEvents(t.Context(), i.kube)
	defer events.stop()
	for range 2 {
		events.recorder.Eventf(m, nil, corev1.EventTypeNormal, "RunStarted", "run", "%s", "once more")
	}
	apiserver.Eventually(t, func() bool {
		list, err := i.kube.EventsV1().Events(i.namespace).List(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return len(list.Items) == 1 && list.Items[0].Series != nil && list.Items[0].Series.Count > 1
	})
}

func audits(t *testing.T, i *installation) {
	i.create(t, v1alpha1.ClusterMigrationSpec{})
	i.start(t, nil)
	m := i.shows(t, status.AuditPassed, "")
	if m.Status.Audit == nil || m.Status.Audit.OK != 3 || m.Status.Plan != nil || len(i.world.begunRuns()) > 0 {
		t.Errorf("%+v, and ran %v", m.Status, i.world.begunRuns())
	}
	list, err := i.kube.CoreV1().ConfigMaps(i.namespace).List(t.Context(), metav1.ListOptions{LabelSelector: wellknown.ManagedBy + "=" + wellknown.FieldManager})
	if err != nil || len(list.Items) > 0 {
		t.Errorf("an audit wrote %v (%v)", list.Items, err)
	}
}

// Each block is a separate run, and nothing begins without the hash of the plan.
func goesThereAndBack(t *testing.T, i *installation) {
	i.start(t, nil)
	i.create(t, migrates)
	i.approve(t)
	m := i.shows(t, status.Succeeded, "")
	if got := i.world.begunRuns(); !slices.Equal(got, []string{"enable-leader-migration", "verify", "disable-leader-migration"}) {
		t.Errorf("blocks: %v", got)
	}
	if len(m.Status.History) != 3 || m.Status.History[0].Result != "done" || m.Status.History[0].Plan != m.Spec.ApprovedPlan {
		t.Errorf("history %+v", m.Status.History)
	}
	i.patch(t, `{"spec":{"goal":"Undo"}}`)
	i.shows(t, status.AwaitingApproval, status.PlanMoved)
	i.approve(t)
	i.shows(t, status.Succeeded, "")
	took := with(i.world, func() []string { return slices.Clone(i.world.took) })
	if want := len(forward) + len(back); len(took) != want {
		t.Errorf("%d steps of %d: %v", len(took), want, took)
	}
	i.patch(t, `{"spec":{"goal":"Migrate"}}`) // the approval of the first time is none now
	i.shows(t, status.AwaitingApproval, status.PlanMoved)
}

// A changed character in the plan invalidates the approval, and so does a change of the planned
// writes.
func needsThePlanItself(t *testing.T, i *installation) {
	i.start(t, nil)
	i.create(t, migrates)
	plan := i.shows(t, status.AwaitingApproval, "").Status.Plan
	hash, key := plan.Hash, plan.Ref.Key
	cms := i.kube.CoreV1().ConfigMaps(i.namespace)
	cm, err := cms.Get(t.Context(), "awsmigrate.plans.prod", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	published := cm.Data[key]
	cm.Data[key] = strings.Replace(published, `"do cordon"`, `"do nothing"`, 1) // a summary: nothing that is written
	if _, err := cms.Update(t.Context(), cm, metav1.UpdateOptions{}); err != nil || cm.Data[key] == published {
		t.Fatal(err)
	}
	i.patch(t, `{"spec":{"approvedPlan":"`+hash+`"}}`)
	m := i.shows(t, status.AwaitingApproval, status.PlanAltered)
	if m.Status.Plan.Hash == hash || len(i.world.begunRuns()) > 0 {
		t.Errorf("plan %s, ran %v", m.Status.Plan.Hash, i.world.begunRuns())
	}
	cm, err = cms.Get(t.Context(), "awsmigrate.plans.prod", metav1.GetOptions{})
	if err != nil || strings.Contains(cm.Data[m.Status.Plan.Ref.Key], "do nothing") {
		t.Errorf("the changed text is published again: %v", err)
	}
	i.patch(t, `{"spec":{"approvedPlan":"`+m.Status.Plan.Hash+`","options":{"ccm":{"image":"another"}}}}`)
	i.shows(t, status.AwaitingApproval, status.PlanMoved)
	i.patch(t, `{"spec":{"options":{"ccm":{"image":""}}}}`) // and the plan is as it was approved
	i.shows(t, status.Succeeded, "")
}

// Pausing an object during a run ends the run at the next step.
func holdsBeforeAStep(t *testing.T, i *installation) {
	i.world.stands = make(chan struct{})
	i.start(t, nil)
	i.create(t, migrates)
	i.approve(t)
	i.shows(t, status.Running, "")
	i.patch(t, `{"spec":{"paused":true}}`)
	close(i.world.stands)
	i.shows(t, status.Paused, "")
	took := with(i.world, func() []string { return slices.Clone(i.world.took) })
	if len(took) > 1 {
		t.Errorf("took %v", took)
	}
	i.patch(t, `{"spec":{"paused":false}}`)
	i.shows(t, status.Succeeded, "")
}

// A failure is not retried, by this process or the next, until a retry is requested.
func waitsAfterAFailure(t *testing.T, i *installation) {
	i.world.fails = &fault.Error{Class: fault.Check, Reason: "Seeded", Object: "check AWSM-000", Seen: "fails", Fix: "mend it"}
	_, stop := i.start(t, func(o *Options) { o.ExitCode = func(error) int { return 3 } })
	i.create(t, migrates)
	i.approve(t)
	m := i.shows(t, status.Stalled, status.Failed)
	if f := m.Status.Failure; f == nil || f.Reason != "Seeded" || f.Fix != "mend it" || f.ExitCode != 3 {
		t.Errorf("%+v", f)
	}
	stop()
	i.start(t, nil)
	i.patch(t, `{"metadata":{"labels":{"touched":"yes"}}}`)
	i.shows(t, status.Stalled, status.Failed)
	if runs := i.world.begunRuns(); len(runs) != 1 {
		t.Errorf("ran %v", runs)
	}
	with(i.world, func() any { i.world.fails = nil; return nil })
	i.patch(t, `{"metadata":{"annotations":{"awsmigrate.io/retry":"1"}}}`)
	i.shows(t, status.Succeeded, "")
}

func saysWhoHoldsIt(t *testing.T, i *installation) {
	i.world.fails = &fault.Error{Class: fault.Locked, Reason: "LockHeld", Object: "Lease", Seen: "held by alice on laptop"}
	i.start(t, nil)
	i.create(t, migrates)
	i.approve(t)
	if m := i.shows(t, status.Pending, status.Locked); !strings.Contains(m.Status.Display.Message, "alice on laptop") {
		t.Errorf("%+v", m.Status.Display)
	}
}

// A panic ends only its own run.
func outlivesAPanic(t *testing.T, i *installation) {
	i.world.panics = true
	c, _ := i.start(t, nil)
	i.create(t, migrates)
	i.approve(t)
	m := i.shows(t, status.Stalled, status.Failed)
	if m.Status.Failure == nil || m.Status.Failure.Reason != "Panic" || !c.Ready() {
		t.Errorf("%+v", m.Status.Failure)
	}
}

// A process that ends asks its runs to stop, and the next process continues.
func stopsCleanly(t *testing.T, i *installation) {
	i.world.stands = make(chan struct{})
	_, stop := i.start(t, nil)
	i.create(t, migrates)
	i.approve(t)
	i.shows(t, status.Running, "")
	stop()
	close(i.world.stands)
	i.start(t, nil)
	i.shows(t, status.Succeeded, "")
}

// A rollout is watched after its object was deleted, because the journal shows it.
func guardsWithoutAnObject(t *testing.T, i *installation) {
	i.world.rolls = true
	i.journal(t, i.namespace, "prod")
	i.start(t, nil)
	i.world.guarded(t)
}

// The same holds for an RKE cluster, whose journal is in its own namespace.
func guardsRKEWithoutAnObject(t *testing.T, i *installation) {
	const id = "c-7kq2x"
	mirror := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "provisioning.cattle.io/v1", "kind": "Cluster", "metadata": map[string]any{"name": id}, "spec": map[string]any{}}}
	if _, err := i.plain.Resource(provisioningClusters).Namespace(i.namespace).Create(t.Context(), mirror, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := i.kube.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: id}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	i.world.rolls = true
	i.journal(t, id, id)
	i.start(t, nil)
	i.world.guarded(t)
}

// journal creates the journal of an unfinished run.
func (i *installation) journal(t *testing.T, namespace, cluster string) {
	t.Helper()
	kept := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: journal.Name(cluster), Labels: map[string]string{wellknown.ManagedBy: wellknown.FieldManager}}, Data: map[string]string{"sha256": "", "journal.json": "{}"}}
	if _, err := i.kube.CoreV1().ConfigMaps(namespace).Create(t.Context(), kept, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// A Secret that is not authorized for this cluster, or holds a kubeconfig, is not used.
func refusesSecrets(t *testing.T, i *installation) {
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "theirs", Annotations: map[string]string{"rke.cattle.io/object-authorized-for-clusters": "other,prod-2"}}, StringData: map[string]string{"value": "x"}}
	if _, err := i.kube.CoreV1().Secrets(i.namespace).Create(t.Context(), secret, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	spec := migrates
	spec.Options.CCM.CloudConfigSecretRef = &v1alpha1.SecretKey{Secret: v1alpha1.Secret{Name: "theirs"}, Key: "value"}
	i.start(t, nil)
	i.create(t, spec)
	if m := i.shows(t, status.Stalled, status.Failed); !strings.Contains(m.Status.Display.Message, "not authorized for cluster prod") {
		t.Errorf("%+v", m.Status.Display)
	}
}

// An object makes the controller's own identity assume a role only if the installation allows it,
// with any goal.
func refusesRoles(t *testing.T, i *installation) {
	const role = "arn:aws:iam::111122223333:role/audit"
	spec := v1alpha1.ClusterMigrationSpec{}
	spec.Options.AWS.AssumeRole = role
	i.create(t, spec)
	_, stop := i.start(t, nil)
	if m := i.shows(t, status.Stalled, status.Failed); !strings.Contains(m.Status.Display.Message, "aws.assumableRoles") || m.Status.Audit != nil {
		t.Errorf("%+v", m.Status)
	}
	stop()
	i.start(t, func(o *Options) { o.AssumableRoles = []string{role} })
	i.shows(t, status.AuditPassed, "")
}

// A run that hands off an edit has not failed. The object names the edit to commit, also in the
// next process, and the run continues after the commit.
func awaitsACommit(t *testing.T, i *installation) {
	i.world.fails = &fault.Error{Class: fault.Gate, Reason: migration.ReasonAwaitingOwner, Object: "Cluster prod", Seen: "is managed by another tool"}
	_, stop := i.start(t, nil)
	spec := migrates
	spec.Edits = v1alpha1.EditsHandoff
	i.create(t, spec)
	i.approve(t)
	if m := i.shows(t, status.AwaitingOwner, ""); !strings.Contains(m.Status.Display.Message, "plan --handoff") || m.Status.Failure != nil {
		t.Errorf("%+v, %+v", m.Status.Display, m.Status.Failure)
	}
	stop()
	i.start(t, nil)
	apiserver.Eventually(t, func() bool { return len(i.world.begunRuns()) == 2 })
	i.shows(t, status.AwaitingOwner, "")
	with(i.world, func() any { i.world.fails = nil; return nil })
	commit := []byte(`{"metadata":{"annotations":{"by":"terraform"}},"spec":{"rkeConfig":{"machineGlobalConfig":{"disable-cloud-controller":true}}}}`)
	if _, err := i.plain.Resource(provisioningClusters).Namespace(i.namespace).Patch(t.Context(), "prod", types.MergePatchType, commit, metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	i.shows(t, status.Succeeded, "")
}

// Of two processes one leads. After it ends, the other leads, and does not start a running run a
// second time.
func oneLeads(t *testing.T, i *installation) {
	quick := func(host string) func(*Options) {
		return func(o *Options) {
			o.Actor.Host, o.Election = host, Election{Lease: 4 * time.Second, Renew: 3 * time.Second, Retry: time.Second}
		}
	}
	first, stop := i.start(t, quick("pod-0"))
	apiserver.Eventually(t, first.Leads)
	second, _ := i.start(t, quick("pod-1"))
	i.create(t, migrates)
	i.approve(t)
	i.shows(t, status.Succeeded, "")
	if runs := i.world.begunRuns(); len(runs) != 3 || second.Leads() {
		t.Errorf("ran %v; both lead: %t", runs, second.Leads())
	}
	stop()
	apiserver.Eventually(t, second.Leads)
	i.patch(t, `{"spec":{"goal":"Undo"}}`)
	i.approve(t)
	i.shows(t, status.Succeeded, "")
}

func stopsAtUntil(t *testing.T, i *installation) {
	spec := migrates
	spec.Until = "install-ccm"
	i.start(t, nil)
	i.create(t, spec)
	i.approve(t)
	i.shows(t, status.Paused, "")
	if got := i.world.begunRuns(); !slices.Equal(got, []string{"enable-leader-migration", "install-ccm"}) {
		t.Errorf("ran until %v", got)
	}
	i.patch(t, `{"spec":{"until":""}}`)
	i.shows(t, status.Succeeded, "")
}

// Every in-tree cluster gets an object that audits, and no other cluster does. Deleted objects
// are not recreated, by the next process either.
func discovers(t *testing.T, i *installation) {
	i.cluster(t, "in-tree", "aws")
	quick := func(o *Options) { o.Election, o.settle = Election{}, 100*time.Millisecond }
	_, stop := i.start(t, quick)
	has := func(names ...string) func() bool {
		return func() bool {
			list, err := i.objects.List(i.namespace, metav1.ListOptions{})
			if err != nil {
				t.Fatal(err)
			}
			var found []string
			for _, m := range list.Items {
				if len(m.OwnerReferences) != 1 || m.Spec.Goal != v1alpha1.GoalAudit {
					t.Errorf("%s: %+v of %+v", m.Name, m.Spec, m.OwnerReferences)
				}
				found = append(found, m.Name)
			}
			return slices.Equal(found, names)
		}
	}
	apiserver.Eventually(t, has("in-tree"))
	apiserver.Eventually(t, func() bool {
		lease, err := i.kube.CoordinationV1().Leases(i.namespace).Get(t.Context(), electionName, metav1.GetOptions{})
		return err == nil && lease.Annotations[createdAnnotation] != ""
	})
	if err := i.objects.Delete(i.namespace, "in-tree", nil); err != nil {
		t.Fatal(err)
	}
	stop()
	i.start(t, quick)
	i.cluster(t, "later", "aws")
	apiserver.Eventually(t, has("later"))
}

// A process that has not reached a server yet ends without delay.
func TestRun_noServer_stops(t *testing.T) {
	c, err := New(Options{Config: &rest.Config{Host: "https://127.0.0.1:1"}, Namespaces: []string{"fleet-default"}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	over := make(chan error, 1)
	go func() { over <- c.Run(ctx) }()
	cancel()
	select {
	case err := <-over:
		if err != nil || c.Ready() {
			t.Errorf("%v; ready: %t", err, c.Ready())
		}
	case <-time.After(time.Minute):
		t.Fatal("it goes on waiting")
	}
}
