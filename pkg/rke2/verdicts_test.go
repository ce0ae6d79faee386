package rke2

import (
	"slices"
	"strings"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/rest"
	clienttesting "k8s.io/client-go/testing"
	clientcmdv1 "k8s.io/client-go/tools/clientcmd/api/v1"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/runner/journal"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// A cluster that is switched keeps the end state that it has, whatever is asked for now.
func TestEndStateOfASwitchedCluster(t *testing.T) {
	for name, tt := range map[string]struct {
		provider string
		switched bool
		want     EndState
	}{
		"external":            {"external", true, EndExternal},
		"overrides":           {"aws", true, EndOverrides},
		"not switched at all": {"external", false, EndOverrides},
	} {
		f := posted()
		f.Cluster.Spec.Global, f.Cluster.Spec.Pools = map[string]any{config.KeyProvider: tt.provider}, nil
		got, err := endStateOf(f, tt.switched, EndOverrides, []downstream.Node{node("cp", `["server","--node-name","cp"]`)})
		if err != nil || got.State != tt.want || (got.Why == "the cluster runs it") != tt.switched {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// Which Nodes decide is named, up to a few of them.
func TestNodesThatDecideTheEndState(t *testing.T) {
	named := func(name string) downstream.Node { return node(name, `["server","--node-name","`+name+`"]`) }
	plain := func(name string) downstream.Node { return node(name, `["server"]`) }
	for want, nodes := range map[string][]downstream.Node{
		"no node has an explicit node-name":                          {plain("a"), plain("b")},
		"Node b is without an explicit node-name":                    {named("a"), plain("b")},
		"Nodes b, c are without an explicit node-name":               {named("a"), plain("c"), plain("b")},
		"Nodes b, c, d are without an explicit node-name":            {named("a"), plain("c"), plain("b"), plain("d")},
		"Nodes b, c, d and 1 more are without an explicit node-name": {named("a"), plain("c"), plain("b"), plain("d"), plain("e")},
	} {
		if got, err := ChooseEndState(EndAuto, nodes); err != nil || got.Why != want {
			t.Errorf("%q, %v, want %q", got.Why, err, want)
		}
	}
}

// An edit is rolled out once Rancher's copy has it and nothing waits any more.
func TestRolledOut(t *testing.T) {
	open := []Unrest{{Object: "Machine m"}}
	has := func(config.Spec) (bool, []string) { return true, nil }
	lacks := func(config.Spec) (bool, []string) { return false, []string{"a", "b"} }
	f := posted()
	seen := migration.Snapshot{Config: observed{Facts: f}, Reading: migration.Reading{Unrest: open}}
	if got := rolledOut(seen, has); len(got) != 1 || got[0].Object != "Machine m" {
		t.Errorf("%+v", got)
	}
	if got := rolledOut(seen, lacks); len(got) != 1 || got[0].Kind != editNotCopied || !strings.Contains(got[0].Seen, "a, b") {
		t.Errorf("%+v", got)
	}
	f.ControlPlane.Spec = map[string]any{"machineSelectorConfig": "text"}
	seen.Config = observed{Facts: f}
	if got := rolledOut(seen, has); len(got) != 1 || got[0].Kind != planeUnreadable {
		t.Errorf("%+v", got)
	}
}

// A rollout stops at a component that crashes, after this run saw it end again and again.
func TestRolloutStopsAtACrash(t *testing.T) {
	p := ofDemo(nil)
	p.exits = map[string]exits{}
	facts := posted()
	facts.Cluster.Spec.Global, facts.Cluster.Spec.Pools = map[string]any{config.KeyProvider: "aws", "kube-controller-manager-arg": []any{"enable-leader-migration"}}, nil
	for restarts := range int32(6) {
		seen := migration.Snapshot{Config: observed{Facts: facts}, Reading: migration.Reading{KCMs: []migration.KCM{kcmFor("a", restarts == 0, restarts, "boom", "--bogus=1")}}}
		got, err := p.Rollout(t.Context(), journaled(t, StepEnable), seen, StepEnable)
		if err != nil || (got.Verdict != nil) != (restarts >= crashLimit) {
			t.Errorf("after %d restarts: %v, %+v", restarts, err, got.Verdict)
		}
		if got.Verdict != nil && got.Verdict.Progress != got.Progress {
			t.Errorf("%+v", got.Verdict)
		}
	}
}

// A manifest is another one where its hash and its start are, and where nobody knows which
// it was.
func TestRestarted(t *testing.T) {
	before := manifests{"a": {Step: StepEnable, Hash: "h", Started: "2026-11-22T10:00:00Z"}}
	for name, tt := range map[string]struct {
		id, hash, started string
		step              journal.StepID
		want              bool
	}{
		"the same":                       {"a", "h", "2026-11-22T10:00:00Z", StepEnable, false},
		"another, in the same second":    {"a", "i", "2026-11-22T10:00:00Z", StepEnable, true},
		"another, later":                 {"a", "i", "2026-11-22T10:00:01Z", StepEnable, true},
		"another, from before":           {"a", "i", "2026-11-22T09:59:59Z", StepEnable, false},
		"another, whose start is not so": {"a", "i", "", StepEnable, false},
		"the same, started again":        {"a", "h", "2026-11-22T10:00:09Z", StepEnable, false},
		"before another step":            {"a", "h", "2026-11-22T10:00:00Z", StepSwitch, true},
		"one that was not there":         {"b", "h", "2026-11-22T10:00:00Z", StepEnable, true},
	} {
		if got := before.restarted(tt.step, migration.KCM{ID: tt.id, Hash: tt.hash, Started: tt.started}); got != tt.want {
			t.Errorf("%s: %t", name, got)
		}
	}
	if got := startedAt(nil) + startedAt(&downstream.Pod{}); got != "" {
		t.Errorf("a start of nothing: %q", got)
	}
	if got := startedAt(&downstream.Pod{Started: time.Date(2026, 11, 22, 11, 0, 0, 0, time.FixedZone("", 3600))}); got != "2026-11-22T10:00:00Z" {
		t.Error(got)
	}
}

// When a Node's lease was renewed; what is not there says nothing, and what cannot be read
// is an error.
func TestNodeRenewal(t *testing.T) {
	when := metav1.NewMicroTime(time.Unix(100, 0))
	lease := func(name string, renew *metav1.MicroTime) *coordinationv1.Lease {
		return &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: nodeLeases, Name: name}, Spec: coordinationv1.LeaseSpec{RenewTime: renew}}
	}
	client := fake.NewSimpleClientset(lease("a", &when), lease("never", nil))
	p := &Backend{clients: Clients{Downstream: client}}
	for name, want := range map[string]time.Time{"a": when.Time, "never": {}, "gone": {}} {
		if got, err := p.nodeRenewal(t.Context(), name); err != nil || !got.Equal(want) {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
	client.PrependReactor("get", "leases", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewForbidden(clustersGVR.GroupResource(), "", nil)
	})
	if _, err := p.nodeRenewal(t.Context(), "a"); err == nil {
		t.Error("a lease that may not be read")
	}
}

// How long Rancher waits before it replaces a machine counts on servers, and where more
// than one control plane restarts at a time.
func TestPoolsAndConcurrency(t *testing.T) {
	pool := func(timeout string, plane, etcd bool) config.Pool {
		return config.Pool{Name: "p", UnhealthyNodeTimeout: timeout, ControlPlane: plane, Etcd: etcd}
	}
	for name, tt := range map[string]struct {
		pool config.Pool
		want verify.Status
	}{
		"none":                    {pool("", true, true), ""},
		"none, as a number":       {pool("0s", true, true), ""},
		"a moment":                {pool("1ns", true, true), verify.Fail},
		"short, on servers":       {pool("9m59s", true, true), verify.Fail},
		"short, on etcd":          {pool("5m", false, true), verify.Fail},
		"short, on control plane": {pool("5m", true, false), verify.Fail},
		"short, on workers":       {pool("5m", false, false), verify.Warn},
		"long enough":             {pool("10m", true, true), verify.Warn},
		"no duration":             {pool("soon", true, true), verify.Fail},
	} {
		p := sound()
		p.Cluster.Spec.Pools = []config.Pool{tt.pool}
		if got := statusOf(judgeHealthChecks(*p)); got != tt.want {
			t.Errorf("%s: %q", name, got)
		}
	}
	for name, tt := range map[string]struct {
		concurrency string
		planes      int
		want        verify.Status
	}{
		"the default":         {"", 3, ""},
		"one":                 {"1", 3, ""},
		"all":                 {"0", 3, verify.Fail},
		"two":                 {"2", 3, verify.Warn},
		"all of two":          {"0", 2, verify.Fail},
		"all of a single one": {"0", 1, ""},
	} {
		p := sound()
		p.Machines = p.Machines[:tt.planes]
		p.Cluster.Spec.Upgrade.ControlPlaneConcurrency = tt.concurrency
		if got := statusOf(judgeConcurrency(*p)); got != tt.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func statusOf(found []verify.Finding) verify.Status {
	if len(found) == 0 {
		return ""
	}
	return found[0].Status
}

// Who wrote the Cluster, but not who wrote its status.
func TestManagersOfTheCluster(t *testing.T) {
	object := &unstructured.Unstructured{Object: map[string]any{}}
	object.SetManagedFields([]metav1.ManagedFieldsEntry{{Manager: "terraform"}, {Manager: "rancher", Subresource: "status"}, {Manager: ""}, {Manager: "kubectl"}})
	if got := specManagers(object); !slices.Equal(got, []string{"terraform", "kubectl"}) {
		t.Error(got)
	}
}

// A pause is tried again while the object moves, and not for ever.
func TestPauseIsTriedAgain(t *testing.T) {
	for name, tt := range map[string]struct {
		conflicts int
		err       error
		tries     int
		paused    bool
	}{
		"at once":           {0, nil, 1, true},
		"it moved twice":    {2, nil, 3, true},
		"it moves for ever": {100, nil, pauseTries, false},
		"refused":           {0, apierrors.NewForbidden(controlPlanesGVR.GroupResource(), "", nil), 1, false},
		"it cannot be read": {0, nil, 0, false},
	} {
		client := aRancher(false, nil)
		tries := 0
		client.PrependReactor("patch", controlPlanesGVR.Resource, func(clienttesting.Action) (bool, runtime.Object, error) {
			if tries++; tries <= tt.conflicts {
				return true, nil, apierrors.NewConflict(controlPlanesGVR.GroupResource(), "demo", nil)
			}
			return tt.err != nil, nil, tt.err
		})
		object := "demo"
		if name == "it cannot be read" {
			object = "gone"
		}
		paused, err := pause(t.Context(), client.Resource(controlPlanesGVR).Namespace("fleet-default"), object, "run")
		if paused != tt.paused || (err == nil) != tt.paused || tries != tt.tries {
			t.Errorf("%s: paused %t after %d tries, %v", name, paused, tries, err)
		}
	}
}

// An inverse that nobody can read is not taken for posted, and of several edits the last
// one is taken back.
func TestInverseThatIsPosted(t *testing.T) {
	edit, facts := flagging(t, StepEnable)
	broken := edit
	broken.Inverse = []byte(`"text"`)
	empty := edit
	empty.Inverse = nil
	for name, tt := range map[string]struct {
		journal []journal.Intent
		posted  bool
		fails   bool
	}{
		"it":                   {[]journal.Intent{edit}, true, false},
		"it, and one without":  {[]journal.Intent{edit, empty}, true, false},
		"it cannot be read":    {[]journal.Intent{broken}, false, true},
		"the last of two":      {[]journal.Intent{broken, edit}, true, false},
		"the last is not read": {[]journal.Intent{edit, broken}, false, true},
		"none":                 {nil, false, true},
	} {
		client := aRancher(false, nil)
		posted, err := ofDemo(client).postInverse(t.Context(), journaled(t, StepEnable, tt.journal...), facts)
		if (err != nil) != tt.fails || err == nil && posted != tt.posted || (len(patched(client)) == 1) != tt.posted {
			t.Errorf("%s: posted %t, %v, %v", name, posted, err, patched(client))
		}
	}
}

// A gate that ends a component of the next version fails where that version is asked for.
func TestGateOfTheNextVersion(t *testing.T) {
	for target, want := range map[string]verify.Status{"": verify.Warn, "v1.27.16+rke2r1": verify.Fail} {
		p := sound()
		p.Options.KubernetesVersion = target
		p.Cluster.Spec.Global["kube-controller-manager-arg"] = []any{"feature-gates=CSIMigrationAWS=true", "concurrent-service-syncs=2"}
		if got := judgeArguments(*p); len(got) != 1 || got[0].Status != want {
			t.Errorf("%q: %+v", target, got)
		}
	}
}

// A kubeconfig is used where its current context leads to one cluster and one user, and
// where no name stands for two.
func TestContextInUse(t *testing.T) {
	file := func(change func(*clientcmdv1.Config)) clientcmdv1.Config {
		f := clientcmdv1.Config{Kind: "Config", CurrentContext: "a", Contexts: []clientcmdv1.NamedContext{{Name: "a", Context: clientcmdv1.Context{Cluster: "c", AuthInfo: "u"}}},
			Clusters: []clientcmdv1.NamedCluster{{Name: "c", Cluster: clientcmdv1.Cluster{Server: "https://c"}}}, AuthInfos: []clientcmdv1.NamedAuthInfo{{Name: "u", AuthInfo: clientcmdv1.AuthInfo{Token: "t"}}}}
		change(&f)
		return f
	}
	for name, tt := range map[string]struct {
		change func(*clientcmdv1.Config)
		ok     bool
	}{
		"it is":           {func(*clientcmdv1.Config) {}, true},
		"no kind":         {func(f *clientcmdv1.Config) { f.Kind = "" }, true},
		"another kind":    {func(f *clientcmdv1.Config) { f.Kind = "Secret" }, false},
		"two contexts":    {func(f *clientcmdv1.Config) { f.Contexts = append(f.Contexts, f.Contexts[0]) }, false},
		"two clusters":    {func(f *clientcmdv1.Config) { f.Clusters = append(f.Clusters, f.Clusters[0]) }, false},
		"two users":       {func(f *clientcmdv1.Config) { f.AuthInfos = append(f.AuthInfos, f.AuthInfos[0]) }, false},
		"another context": {func(f *clientcmdv1.Config) { f.CurrentContext = "b" }, false},
		"another cluster": {func(f *clientcmdv1.Config) { f.Contexts[0].Context.Cluster = "d" }, false},
		"another user":    {func(f *clientcmdv1.Config) { f.Contexts[0].Context.AuthInfo = "v" }, false},
	} {
		cluster, user, err := inUse(file(tt.change), "Secret a/b")
		if (err == nil) != tt.ok || tt.ok && (cluster.Server != "https://c" || user.Token != "t") {
			t.Errorf("%s: %+v, %+v, %v", name, cluster, user, err)
		}
	}
}

// Helm is named by its release, other owners by the mark that tells of them.
func TestMarksOfOwners(t *testing.T) {
	c := Cluster{Annotations: map[string]string{"meta.helm.sh/release-name": "shop"}, Managers: []string{"Terraform-Provider"}}
	var got []string
	for _, o := range owners(c) {
		got = append(got, o.String())
	}
	if !slices.Equal(got, []string{"Helm (release shop)", "Terraform (field manager Terraform-Provider)"}) {
		t.Error(got)
	}
}

// What a Machine lacks of the switch is told by its Node's own record of its arguments.
func TestLacksSwitch(t *testing.T) {
	for args, want := range map[string]string{
		`["server","--cloud-provider-name","external"]`: "",
		`["server","--cloud-provider-name","aws"]`:      `its kubelet runs with provider "aws"`,
		`["server"]`: `its kubelet runs with provider ""`,
		`["server","--cloud-provider-name","aws","--kubelet-arg","cloud-provider=external"]`:              "",
		`["server","--cloud-provider-name","external","--kubelet-arg","cloud-provider=aws"]`:              `its kubelet runs with provider "aws"`,
		`["agent","--kubelet-arg","cloud-provider=aws","--kubelet-arg","cloud-provider=external"]`:        "",
		`["agent","--cloud-provider-name","external","--kubelet-arg","max-pods=1","--node-name","other"]`: "",
		`{`: "its arguments cannot be read",
	} {
		n := node("a", args)
		if got := lacksSwitch([]*downstream.Node{&n}); (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %q", args, got)
		}
	}
	if got := lacksSwitch(nil); got != "has no Node" {
		t.Error(got)
	}
}

// The way to the cluster goes through Rancher where the way to Rancher does.
func TestThroughRancher(t *testing.T) {
	for _, tt := range []struct{ host, id, want string }{
		{"https://rancher/k8s/clusters/local", "c-m-1", "https://rancher/k8s/clusters/c-m-1"}, {"https://rancher/k8s/clusters/local/", "c-m-1", "https://rancher/k8s/clusters/c-m-1"},
		{"https://rancher/k8s/clusters/local", "", ""}, {"https://rancher/k8s/clusters/c-m-2", "c-m-1", ""}, {"https://10.0.0.1:6443", "c-m-1", ""}, {"https://x/%zz/k8s/clusters/local", "c-m-1", ""},
	} {
		got, ok := throughRancher(&rest.Config{Host: tt.host, BearerToken: "t"}, tt.id)
		if ok != (tt.want != "") || ok && (got.Host != tt.want || got.BearerToken != "t") {
			t.Errorf("%s, %q: %+v", tt.host, tt.id, got)
		}
	}
}

// Both edits have to have a place before a run begins, unless the cluster is switched, or
// nobody knows how it shall end.
func TestEditsArePrepared(t *testing.T) {
	for name, tt := range map[string]struct {
		odd, undecided, switched bool
		fails                    bool
	}{
		"they have": {}, "one has not": {odd: true, fails: true}, "switched": {odd: true, switched: true}, "not decided": {odd: true, undecided: true},
	} {
		p := sound()
		if tt.odd {
			p.Cluster.Spec.Global["kube-controller-manager-arg"] = map[string]any{"a": "b"}
		}
		wanted := EndOverrides
		if tt.undecided {
			p.Down.Nodes[0].Labels["kubernetes.io/hostname"] = "other"
		}
		got := prepare(p.Facts, p.Reading, migration.Prepared{}, Options{EndState: wanted}, tt.switched)
		if (got.EditErr != nil) != tt.fails || (got.ChoiceErr != nil) != tt.undecided {
			t.Errorf("%s: %v, %v", name, got.EditErr, got.ChoiceErr)
		}
	}
}
