package managed

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/rest"
	clienttesting "k8s.io/client-go/testing"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/awsmigrate/awsmigrate/internal/testing/clustertest"
	"github.com/awsmigrate/awsmigrate/internal/testing/rkefixture"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/migration/procedure"
	"github.com/awsmigrate/awsmigrate/pkg/rke"
	"github.com/awsmigrate/awsmigrate/pkg/rke/naming"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// managing is Rancher with the Cluster c-1, called demo, of that cluster. What it leaves
// out: rights, versions of objects, and Rancher itself.
func managing(t *testing.T, change func(cluster map[string]any)) *dynamicfake.FakeDynamicClient {
	t.Helper()
	client := dynamicfake.NewSimpleDynamicClientWithCustomListKinds(apiruntime.NewScheme(),
		map[schema.GroupVersionResource]string{clusters: "ClusterList", nodes: "NodeList", secrets: "SecretList"})
	config := uiConfig()
	config["cloudProvider"].(map[string]any)["awsCloudProvider"] = map[string]any{"global": map[string]any{"vpc": "vpc-1"}}
	yes := func(kind string) any { return map[string]any{"type": kind, "status": "True"} }
	cluster := map[string]any{"apiVersion": "management.cattle.io/v3", "kind": "Cluster", "metadata": map[string]any{"name": "c-1", "resourceVersion": "7"},
		"spec": map[string]any{"displayName": "demo", rkeConfigKey: config},
		"status": map[string]any{"driver": driverRKE, "appliedSpec": map[string]any{rkeConfigKey: apiruntime.DeepCopyJSON(config)},
			"conditions": []any{yes("Updated"), yes("Provisioned"), yes("Ready")}}}
	if change != nil {
		change(cluster)
	}
	node := func(name, address string, roles ...any) map[string]any {
		return map[string]any{"apiVersion": "management.cattle.io/v3", "kind": "Node", "metadata": map[string]any{"namespace": "c-1", "name": name},
			"status": map[string]any{"rkeNode": map[string]any{"address": address, "role": roles}, "appliedNodeVersion": int64(2),
				"nodePlan": map[string]any{"version": int64(2), "plan": map[string]any{"processes": map[string]any{"kubelet": map[string]any{"command": []any{"entrypoint"}, "args": []any{"--v=2"}}}}}}}
	}
	for resource, all := range map[schema.GroupVersionResource][]map[string]any{clusters: {cluster}, nodes: {node("m-0", "10.0.0.10", "controlplane"), node("m-3", "10.0.0.13", "worker")}} {
		for _, o := range all {
			u := &unstructured.Unstructured{Object: o}
			if err := client.Tracker().Create(resource, u, u.GetNamespace()); err != nil {
				t.Fatal(err)
			}
		}
	}
	return client
}

// ofDemo is a migration of that cluster.
func ofDemo(t *testing.T, options rke.Options, change func(cluster map[string]any)) (opened, *dynamicfake.FakeDynamicClient) {
	t.Helper()
	client := managing(t, change)
	options.Cluster, options.InstallMethod = "demo", migration.InstallHelm
	m, err := New(t.Context(), Edges{Management: client, Kube: rkefixture.API(t), Clock: clocktesting.NewFakeClock(time.Unix(0, 0))}, "c-1", options)
	if err != nil {
		t.Fatal(err)
	}
	p := opened{m.Backend.(*Backend), m}
	p.Names = &naming.Rule{UseMetadata: true}
	return p, client
}

// opened is a migration, and its backend.
type opened struct {
	*Backend
	migration *procedure.Migration
}

func (p opened) observe(t *testing.T, record journal.Record) migration.Snapshot {
	t.Helper()
	seen, err := p.migration.Observe(t.Context(), record)
	if err != nil {
		t.Fatal(err)
	}
	return seen
}

func configIn(t *testing.T, client *dynamicfake.FakeDynamicClient) map[string]any {
	t.Helper()
	cluster, err := client.Resource(clusters).Get(t.Context(), "c-1", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	config, _, _ := unstructured.NestedMap(cluster.Object, "spec", rkeConfigKey)
	return config
}

// A migration begins only of the cluster that Rancher's object describes, and of one that
// could be read.
func TestNewProvesItsCluster(t *testing.T) {
	refused := func(resource string) func(*fake.Clientset) {
		return func(c *fake.Clientset) {
			c.PrependReactor("*", resource, func(clienttesting.Action) (bool, apiruntime.Object, error) {
				return true, nil, apierrors.NewForbidden(schema.GroupResource{Resource: resource}, "", nil)
			})
		}
	}
	for name, tt := range map[string]struct {
		objects func(*dynamicfake.FakeDynamicClient)
		cluster func(*fake.Clientset)
		reason  string
	}{
		"it is": {nil, nil, ""},
		"none of its hosts": {func(c *dynamicfake.FakeDynamicClient) {
			deny(c, "list", nodes, &unstructured.UnstructuredList{}, nil)
		}, nil, "WrongTarget"},
		"no such Cluster": {func(c *dynamicfake.FakeDynamicClient) {
			deny(c, "get", clusters, nil, apierrors.NewNotFound(schema.GroupResource{}, "c-1"))
		}, nil, "NotFound"},
		"no Nodes": {func(c *dynamicfake.FakeDynamicClient) {
			deny(c, "list", nodes, nil, apierrors.NewForbidden(schema.GroupResource{}, "", nil))
		}, nil, fault.ReasonForbidden},
		"no state":       {nil, refused("secrets"), fault.ReasonForbidden},
		"no identity":    {nil, refused("namespaces"), fault.ReasonForbidden},
		"no Nodes of it": {nil, refused("nodes"), fault.ReasonForbidden},
	} {
		client, cluster := managing(t, nil), rkefixture.API(t)
		if tt.objects != nil {
			tt.objects(client)
		}
		if tt.cluster != nil {
			tt.cluster(cluster)
		}
		m, err := New(t.Context(), Edges{Management: client, Kube: cluster, Clock: clocktesting.NewFakeClock(time.Unix(0, 0))}, "c-1", rke.Options{Cluster: "demo", Options: migration.Options{InstallMethod: migration.InstallHelm}})
		if got := clustertest.ReasonOf(err); got != tt.reason {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		if err == nil && (m.Target() != journal.Target{Kind: "rke", Name: "c-1", Namespace: "c-1", UID: "the-cluster"} || len(m.Steps()) != 10 || len(m.Undo().Steps()) != 8) {
			t.Errorf("%s: %+v, %d steps", name, m.Target(), len(m.Steps()))
		}
	}
}

func deny(client *dynamicfake.FakeDynamicClient, verb string, resource schema.GroupVersionResource, answer apiruntime.Object, err error) {
	client.PrependReactor(verb, resource.Resource, func(clienttesting.Action) (bool, apiruntime.Object, error) { return true, answer, err })
}

// What is observed of Rancher's side and of rke's state together.
func TestObserve(t *testing.T) {
	m, _ := ofDemo(t, rke.Options{}, func(cluster map[string]any) {
		cluster["spec"].(map[string]any)["clusterTemplateRevisionName"] = "ctr-1"
		cluster["metadata"].(map[string]any)["annotations"] = map[string]any{"other": "x"}
	})
	seen := m.observe(t, journal.Record{})
	c, r := clusterOf(seen), seen.Reading
	if c.ID != "c-1" || c.DisplayName != "demo" || c.ResourceVersion != "7" || c.Driver != driverRKE || c.Provisioned || c.Deleting || c.Failed != nil || len(c.Applied) == 0 || c.Conditions["Ready"].Status != "True" {
		t.Errorf("%+v", c)
	}
	want := []Node{{Name: "m-0", Address: "10.0.0.10", Role: []string{"controlplane"}, PlanVersion: 2, AppliedVersion: 2, Kubelet: []string{"entrypoint", "--v=2"}},
		{Name: "m-3", Address: "10.0.0.13", Role: []string{"worker"}, PlanVersion: 2, AppliedVersion: 2, Kubelet: []string{"entrypoint", "--v=2"}}}
	if d := cmp.Diff(want, c.Nodes); d != "" {
		t.Error(d)
	}
	if r.Object != "Cluster c-1 (demo)" || len(r.Owners) != 1 || r.Owners[0].Mark != "revision ctr-1" || r.Planes() != 3 || len(r.Members) != 5 || len(r.KCMs) != 3 || len(r.Unrest) != 0 || seen.Result.Position != position.P0 {
		t.Errorf("%+v, at %s", r, seen.Result.Position)
	}
	if header := strings.Join(m.Header(seen), "\n"); !strings.Contains(header, "demo   c-1 · RKE v1.26.9-rancher1-1 managed by Rancher · 3 control planes, 2 workers") || !strings.Contains(header, "names  useInstanceMetadataHostname: true") {
		t.Error(header)
	}
	if said, err := m.Brake(t.Context(), nil, seen, nil); err != nil || !strings.Contains(said, "no brake") || m.Tell([]migration.Unrest{{Object: "a", Seen: "b"}}) != "a: b" {
		t.Errorf("%q, %v", said, err)
	}
	m.Names = nil
	if len(m.Header(seen)) != 2 {
		t.Errorf("%q", m.Header(seen))
	}
	if err := (observed{cluster: Cluster{Internal: true}}).Supported(); err == nil {
		t.Error("Rancher's own cluster is supported")
	}
	if _, err := m.read(clustertest.Canceled(t)); err == nil {
		t.Error("a look that was ended has no error")
	}
}

// Each edit is announced with its inverse; what it takes out is kept beside the journal
// and comes back, so that the configuration is as it was, to the letter.
func TestEditsGoInAndOut(t *testing.T) {
	m, client := ofDemo(t, rke.Options{}, nil)
	before := configIn(t, client)
	var intents []journal.Intent
	do := func(step journal.StepID) {
		t.Helper()
		tx := clustertest.TxFor(t, step, intents...)
		edit, err := m.Edit(t.Context(), m.observe(t, tx.Record()), step)
		if err != nil || edit.Empty() || edit.Refused != nil || edit.Object != "Cluster c-1 (demo)" {
			t.Fatal(step, err, edit)
		}
		if err := edit.Write(t.Context(), tx); err != nil {
			t.Fatal(step, err)
		}
		if again, err := m.Edit(t.Context(), m.observe(t, tx.Record()), step); err != nil || !again.Empty() {
			t.Errorf("%s, a second time: %v %+v", step, err, again.Changes)
		}
		intents = tx.Record().Intents
	}
	do(migration.StepEnable)
	flagged := configIn(t, client)
	do(migration.StepSwitch)
	provider, _, _ := unstructured.NestedMap(configIn(t, client), "cloudProvider")
	if d := cmp.Diff(map[string]any{"name": "external-aws", "useInstanceMetadataHostname": true}, provider); d != "" {
		t.Error(d)
	}
	// The block went into a Secret, which the fake server leaves as it came.
	kept := intents[1]
	secret, err := client.Resource(secrets).Namespace("c-1").Get(t.Context(), m.keptName(kept.Token), metav1.GetOptions{})
	if err != nil || kept.Object != "Secret c-1/"+m.keptName(kept.Token) || len(intents) != 3 {
		t.Fatal(err, intents)
	}
	stored(t, client, secret)
	do(migration.StepUndoSwitch)
	if d := cmp.Diff(flagged, configIn(t, client)); d != "" {
		t.Error(d)
	}
	do(migration.StepUndoEnable)
	if d := cmp.Diff(before, configIn(t, client)); d != "" {
		t.Error(d)
	}
	if _, err := m.Edit(t.Context(), m.observe(t, journal.Record{}), migration.StepInstall); err == nil {
		t.Error("a step that edits nothing has an edit")
	}
	broken := journal.Record{Intents: []journal.Intent{{Step: migration.StepEnable, Object: "Cluster c-1 (demo)", Inverse: []byte("{")}}}
	if _, err := m.Edit(t.Context(), m.observe(t, broken), migration.StepUndoEnable); err == nil {
		t.Error("an inverse that nobody can read was taken back")
	}
}

// stored does what an API server does with stringData.
func stored(t *testing.T, client *dynamicfake.FakeDynamicClient, secret *unstructured.Unstructured) {
	t.Helper()
	given, _, _ := unstructured.NestedString(secret.Object, "stringData", keptKey)
	raw, err := json.Marshal([]byte(given))
	if err == nil {
		err = unstructured.SetNestedField(secret.Object, strings.Trim(string(raw), `"`), "data", keptKey)
	}
	if err == nil {
		err = client.Tracker().Update(secrets, secret, "c-1")
	}
	if err != nil {
		t.Fatal(err)
	}
}

// What was kept is trusted by its digest alone.
func TestKeptValue(t *testing.T) {
	sum, raw, err := digestOf(map[string]any{"global": map[string]any{"vpc": "vpc-1"}})
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		text   string // "": there is no Secret
		reason string
	}{
		"as it was": {string(raw), ""}, "changed": {`{"global":{"vpc":"vpc-2"}}`, "KeptValueChanged"}, "no JSON": {"{", "KeptValueChanged"}, "gone": {"", "NotFound"},
	} {
		m, client := ofDemo(t, rke.Options{}, nil)
		if tt.text != "" {
			secret := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"namespace": "c-1", "name": m.keptName(sum)}, "stringData": map[string]any{keptKey: tt.text}}}
			if err := client.Tracker().Create(secrets, secret, "c-1"); err != nil {
				t.Fatal(err)
			}
			stored(t, client, secret)
		}
		got, err := m.kept(t.Context(), sum)
		if clustertest.ReasonOf(err) != tt.reason || tt.reason == "" && cmp.Diff(map[string]any{"global": map[string]any{"vpc": "vpc-1"}}, got) != "" {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

// A value is put away before the edit that takes it out, once; where it cannot be, nothing
// is written.
func TestKeepingComesFirst(t *testing.T) {
	for name, tt := range map[string]struct {
		answer error
		writes bool
	}{
		"kept": {nil, true}, "it is there": {apierrors.NewAlreadyExists(schema.GroupResource{}, "x"), true}, "refused": {apierrors.NewForbidden(schema.GroupResource{}, "x", nil), false},
	} {
		m, client := ofDemo(t, rke.Options{}, nil)
		if tt.answer != nil {
			deny(client, "create", secrets, nil, tt.answer)
		}
		tx := clustertest.TxFor(t, migration.StepSwitch)
		edit, err := m.Edit(t.Context(), m.observe(t, tx.Record()), migration.StepSwitch)
		if err != nil {
			t.Fatal(err)
		}
		if err := edit.Write(t.Context(), tx); (err == nil) != tt.writes {
			t.Errorf("%s: %v", name, err)
		}
		wrote := slices.ContainsFunc(client.Actions(), func(a clienttesting.Action) bool { return a.GetVerb() == "patch" })
		if wrote != tt.writes {
			t.Errorf("%s: patched %t", name, wrote)
		}
	}
}

// A patch whose answer was lost is looked for before it is said to have failed; one that
// was refused was not made.
func TestLostAnswers(t *testing.T) {
	group := clusters.GroupResource()
	for name, tt := range map[string]struct {
		answer error
		lands  bool
		unread bool
		reason string // "": it is made; "?": nobody knows
	}{
		"it is made":                    {nil, true, false, ""},
		"lost, and it is there":         {apierrors.NewTimeoutError("lost", 1), true, false, ""},
		"lost, and it is not":           {apierrors.NewTimeoutError("lost", 1), false, false, "?"},
		"lost, and nobody can look":     {apierrors.NewTimeoutError("lost", 1), true, true, "?"},
		"forbidden":                     {apierrors.NewForbidden(group, "c-1", nil), false, false, fault.ReasonForbidden},
		"not who one was":               {apierrors.NewUnauthorized("who"), false, false, fault.ReasonUnauthorized},
		"it moved":                      {apierrors.NewConflict(group, "c-1", nil), false, false, "ChangedMeanwhile"},
		"its values moved":              {apierrors.NewInvalid(schema.GroupKind{}, "c-1", nil), false, false, "ChangedMeanwhile"},
		"it is gone":                    {apierrors.NewNotFound(group, "c-1"), false, false, "ChangedMeanwhile"},
		"it is no patch for the server": {apierrors.NewBadRequest("no"), false, false, "ChangedMeanwhile"},
	} {
		m, client := ofDemo(t, rke.Options{}, nil)
		tx := clustertest.TxFor(t, migration.StepEnable)
		edit, err := m.Edit(t.Context(), m.observe(t, tx.Record()), migration.StepEnable)
		if err != nil {
			t.Fatal(err)
		}
		client.PrependReactor("patch", "clusters", func(action clienttesting.Action) (bool, apiruntime.Object, error) {
			if tt.lands {
				if _, _, err := clienttesting.ObjectReaction(client.Tracker())(action); err != nil {
					return true, nil, err
				}
			}
			if tt.unread {
				deny(client, "get", clusters, nil, errors.New("away"))
			}
			return tt.answer != nil, nil, tt.answer
		})
		err = edit.Write(t.Context(), tx)
		f, ok := fault.As(err)
		if (err == nil) != (tt.reason == "") || ok != (tt.reason != "" && tt.reason != "?") || ok && (f.Reason != tt.reason || f.Object != "Cluster c-1 (demo)") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The plan of a step is made on top of the edits of those before it, forwards and back.
func TestPlansInRancher(t *testing.T) {
	switchedBy := func(t *testing.T) (opened, journal.Record) {
		m, client := ofDemo(t, rke.Options{Options: migration.Options{KubernetesVersion: "v1.27.16-rancher1-1"}}, nil)
		var intents []journal.Intent
		for _, step := range []journal.StepID{migration.StepEnable, migration.StepSwitch} {
			tx := clustertest.TxFor(t, step, intents...)
			edit, err := m.Edit(t.Context(), m.observe(t, tx.Record()), step)
			if err == nil {
				err = edit.Write(t.Context(), tx)
			}
			if err != nil {
				t.Fatal(err)
			}
			intents = tx.Record().Intents
		}
		secret, err := client.Resource(secrets).Namespace("c-1").Get(t.Context(), m.keptName(intents[1].Token), metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		stored(t, client, secret)
		return m, journal.Record{Intents: intents}
	}
	const flag = "spec." + rkeConfigKey + ".services.kubeController.extraArgs"
	for name, tt := range map[string]struct {
		step     journal.StepID
		at       position.Position
		switched bool
		keys     int
		rolls    int
		last     string // location
		estimate string
	}{
		"enable":                        {migration.StepEnable, position.P1, false, 1, 3, flag + "." + keyFlag, "~4m"},
		"switch, before the flag":       {migration.StepSwitch, position.P1, false, 5, 5, flag, "~6m"},
		"switch, after it":              {migration.StepSwitch, position.P3, false, 3, 5, "awsCloudProvider", "~6m"},
		"switch, it is there":           {migration.StepSwitch, position.P4, true, 0, 5, "", "~6m"},
		"upgrade":                       {migration.StepUpgrade, position.P5, true, 1, 5, "kubernetesVersion", "~6m"},
		"switch back":                   {migration.StepUndoSwitch, position.P4, true, 4, 5, keyFlag, "~6m"},
		"flag back, after the switch":   {migration.StepUndoEnable, position.P4, true, 2, 5, flag, "~6m"},
		"flag back, it was never there": {migration.StepUndoEnable, position.P1, false, 0, 5, "", "~6m"},
	} {
		m, _ := ofDemo(t, rke.Options{}, nil)
		record := journal.Record{}
		if tt.switched {
			m, record = switchedBy(t)
		}
		seen := m.observe(t, record)
		seen.Result = position.Result{Position: tt.at, Between: [2]position.Position{tt.at, tt.at}}
		plan, err := m.PlanEdit(t.Context(), seen, tt.step)
		last := ""
		if n := len(plan.Changes); n > 0 {
			last = plan.Changes[n-1].Location
		}
		if err != nil || len(plan.Changes) != tt.keys || plan.Rolls != tt.rolls || !strings.HasSuffix(last, tt.last) || plan.Estimate != tt.estimate || len(plan.Notes) != 1 || (len(plan.Summary) == 1) != (tt.keys > 0) {
			t.Errorf("%s: %v, %d keys, last %s, %+v", name, err, len(plan.Changes), last, plan)
		}
	}
	m, record := switchedBy(t)
	m.Options.KubernetesVersion = "v1.29.1-rancher1-1"
	if _, err := m.PlanEdit(t.Context(), m.observe(t, record), migration.StepUpgrade); fault.ClassOf(err) != fault.Usage {
		t.Errorf("it skips minor versions: %v", err)
	}
	if _, err := m.PlanEdit(t.Context(), m.observe(t, record), migration.StepInstall); err == nil {
		t.Error("a step that edits nothing has a plan")
	}
}

// A rollout in Rancher is stopped by Rancher's own word that it cannot, and by an edit
// that somebody took back; else it says what Rancher has still to do.
func TestRolloutInRancher(t *testing.T) {
	failed := func(cluster map[string]any) {
		status := cluster["status"].(map[string]any)
		status["failedSpec"] = map[string]any{rkeConfigKey: apiruntime.DeepCopyJSON(cluster["spec"].(map[string]any)[rkeConfigKey].(map[string]any))}
		status["conditions"] = []any{map[string]any{"type": "Updated", "status": "False", "message": "no host"}}
	}
	flagged := func(cluster map[string]any) {
		cluster["spec"].(map[string]any)[rkeConfigKey].(map[string]any)["services"].(map[string]any)["kubeController"] = map[string]any{"extraArgs": map[string]any{keyFlag: "true"}}
	}
	for name, tt := range map[string]struct {
		change   func(map[string]any)
		reason   string
		applying int
	}{
		"Rancher could not":         {failed, "RancherCouldNotApply", 0},
		"the flag was taken back":   {nil, "EditTakenBack", 0},
		"Rancher is still at it":    {flagged, "", 2},
		"Rancher says it twice now": {func(c map[string]any) { flagged(c); c["status"].(map[string]any)["conditions"] = []any{} }, "", 5},
	} {
		m, _ := ofDemo(t, rke.Options{}, tt.change)
		seen := m.observe(t, journal.Record{})
		got, err := m.Rollout(t.Context(), nil, seen, migration.StepEnable)
		reason := ""
		if got.Verdict != nil {
			reason = clustertest.ReasonOf(got.Verdict.Err)
		}
		if err != nil || reason != tt.reason || reason == "" && len(got.Applying) != tt.applying || got.By != migration.ByRancher() || got.Progress == "" {
			t.Errorf("%s: %v, %q, %+v", name, err, reason, got)
		}
		if busy, err := m.WhileRolling(t.Context(), nil, seen, migration.StepEnable); err != nil || busy != (len(seen.Reading.Unrest) > 0) {
			t.Errorf("%s: busy %t, %v", name, busy, err)
		}
	}
}

// Each sign that Rancher or a host moved makes another mark.
func TestMarksOfProgress(t *testing.T) {
	m, _ := ofDemo(t, rke.Options{}, nil)
	was := m.observe(t, journal.Record{})
	for name, change := range map[string]func(*migration.Snapshot){
		"a condition": func(s *migration.Snapshot) {
			c := clusterOf(*s)
			c.Conditions = map[string]condition{"Updated": {Status: "Unknown"}}
			s.Config = observed{Facts: s.Config.(observed).Facts, cluster: c}
		},
		"a plan": func(s *migration.Snapshot) {
			c := clusterOf(*s)
			c.Nodes = []Node{{Name: "m-0", PlanVersion: 3}}
			s.Config = observed{Facts: s.Config.(observed).Facts, cluster: c}
		},
		"a cordon": func(s *migration.Snapshot) {
			s.Reading.Down.Nodes = slices.Clone(s.Reading.Down.Nodes)
			s.Reading.Down.Nodes[0].Unschedulable = true
		},
		"rke's state": func(s *migration.Snapshot) {
			o := s.Config.(observed)
			o.State.Current.Config.CloudProvider.Name = "external-aws"
			s.Config = o
		},
	} {
		now := was
		change(&now)
		if slices.Equal(marks(was), marks(now)) {
			t.Errorf("%s moved, and no mark did: %q", name, marks(now))
		}
	}
}

// A cluster is found by its id or its name, if it is one, and one that rke made.
func TestFind(t *testing.T) {
	add := func(client *dynamicfake.FakeDynamicClient, id, name string) {
		u := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "management.cattle.io/v3", "kind": "Cluster", "metadata": map[string]any{"name": id}, "spec": map[string]any{"displayName": name}}}
		if err := client.Tracker().Create(clusters, u, ""); err != nil {
			t.Fatal(err)
		}
	}
	for name, tt := range map[string]struct {
		asked  string
		err    error
		id     string
		reason string
		seen   string
	}{
		"by its id":           {"c-1", nil, "c-1", "", ""},
		"by its name":         {"demo", nil, "c-1", "", ""},
		"two of a name":       {"twice", nil, "", "AmbiguousCluster", "2 clusters are called so: c-2 (twice), c-3 (twice)"},
		"none":                {"other", nil, "", migration.ReasonClusterNotFound, ""},
		"one not made by rke": {"c-2", nil, "c-2", ReasonNotRKE, ""},
		"no Rancher":          {"demo", apierrors.NewNotFound(schema.GroupResource{}, ""), "", migration.ReasonNotRancher, ""},
		"it may not be read":  {"demo", apierrors.NewForbidden(schema.GroupResource{}, "", nil), "", fault.ReasonForbidden, ""},
	} {
		client := managing(t, nil)
		add(client, "c-3", "twice")
		add(client, "c-2", "twice")
		if tt.err != nil {
			deny(client, "list", clusters, nil, tt.err)
		}
		got, err := Find(t.Context(), client, tt.asked)
		if f, ok := fault.As(err); got.ID != tt.id || clustertest.ReasonOf(err) != tt.reason || ok && !strings.Contains(f.Seen, tt.seen) {
			t.Errorf("%s: %q, %v", name, got.ID, err)
		}
	}
}

// The way to the cluster is through Rancher, where the way to Rancher is.
func TestDownstream(t *testing.T) {
	for host, want := range map[string]string{
		"https://rancher/k8s/clusters/local":      "https://rancher/k8s/clusters/c-1",
		"https://rancher/k8s/clusters/local/":     "https://rancher/k8s/clusters/c-1",
		"https://rancher:8443/k8s/clusters/c-99":  "",
		"https://10.0.0.1:6443":                   "",
		"https://x/%zz/k8s/clusters/local":        "",
		"https://x/sub/path/k8s/clusters/local//": "",
	} {
		got, err := Downstream(&rest.Config{Host: host, BearerToken: "t"}, Cluster{ID: "c-1", DisplayName: "demo"})
		if want == "" && clustertest.ReasonOf(err) != "NoDownstreamKubeconfig" || want != "" && (err != nil || got.Host != want || got.BearerToken != "t") {
			t.Errorf("%s: %+v, %v", host, got, err)
		}
	}
}
