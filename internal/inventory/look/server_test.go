package look

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/awsmigrate/awsmigrate/internal/inventory"
	"github.com/awsmigrate/awsmigrate/internal/testing/apiserver"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
)

// lines returns the rows in the short form that tests compare.
func lines(fleet inventory.Fleet) []string {
	var all []string
	for _, r := range fleet.Rows {
		line := fmt.Sprintf("%s/%s %s %s %s at %s: %s", r.Namespace, r.Name, r.Distribution, dash(r.Release()), dash(r.Provider), dash(r.Position), r.State)
		for _, owner := range r.Owners {
			line += " by " + owner.Name
		}
		for _, stop := range r.Stops {
			line += " ! " + stop.Reason
		}
		if r.Step != "" {
			line += " → " + string(r.Step)
		}
		if r.Migration != nil {
			line += " = " + r.Migration.Goal + " " + r.Migration.State
		}
		all = append(all, line)
	}
	return all
}

func dash(text string) string {
	if text == "" {
		return "–"
	}
	return text
}

func (w *world) list(t *testing.T, from Rancher) inventory.Fleet {
	t.Helper()
	fleet, err := from.Fleet(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return fleet
}

func (w *world) reached() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	ids := slices.Sorted(maps.Keys(w.asked))
	w.asked = map[string]int{}
	return slices.DeleteFunc(ids, func(id string) bool { return id == "local" })
}

func same(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n%s\nwanted\n%s", what, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

var wantedRows = []string{
	"fleet-default/away RKE2 v1.26.15 aws at unknown: unknown ! Unreachable",
	"fleet-default/bad RKE2 – – at –: stopped ! BadField",
	"fleet-default/braked RKE2 v1.26.15 aws at P2: stopped ! PausedByRun → cordon", // words:ok: the name of a cluster
	"fleet-default/c-7kq2x RKE v1.26.15 aws at P0: not-begun by RKE template → lease-access",
	"fleet-default/c-hoste EKS v1.27.9 – at –: none",
	"fleet-default/c-impor imported v1.27.9 – at –: none",
	"fleet-default/c-newly imported – – at –: none",
	"fleet-default/custom RKE2 v1.26.15 aws at P0: not-begun → etcd-snapshot",
	"fleet-default/finished RKE2 v1.26.15 external at P5: done",
	"fleet-default/foreign RKE2 v1.26.15 external at –: none",
	"fleet-default/half RKE2 v1.26.15 aws at P2: begun → cordon",
	"fleet-default/k3s K3s v1.28.4 – at –: none",
	"fleet-default/locked RKE2 v1.26.15 aws at P1: locked ! LockHeld → etcd-snapshot",
	"fleet-default/mistaken RKE2 v1.26.15 aws at unknown: unknown ! WrongTarget",
	"fleet-default/untouched RKE2 v1.26.15 aws at P0: not-begun by Fleet → etcd-snapshot",
	"fleet-default/vsphere RKE2 v1.26.15 rancher-vsphere at –: none",
	"fleet-local/local local – – at –: none",
	"team/open RKE2 v1.26.15 aws at P2: stopped ! LeftOpen → cordon",
}

func TestFleet_onAPIServer(t *testing.T) {
	w := newWorld(t)
	t.Run("NoRancher", func(t *testing.T) {
		if _, err := w.rancher("").Fleet(t.Context()); fault.ClassOf(err) != fault.Usage || !fault.HasReason(err, migration.ReasonNotRancher) {
			t.Errorf("%v", err)
		}
	})
	w.fill(t)
	t.Run("All", w.all)
	t.Run("BrokenJournal", w.brokenJournal)
	t.Run("NotReached", w.notReached)
	t.Run("Namespace", w.namespace)
	t.Run("Rights", w.rights)
	t.Run("AtOnce", w.atOnce)
	t.Run("Migrations", w.wanted)
}

// Every cluster has a row, only clusters that a migration may concern are asked, and nothing is
// written.
func (w *world) all(t *testing.T) {
	w.reached()
	fleet := w.list(t, w.rancher(""))
	same(t, "rows", lines(fleet), wantedRows)
	if fleet.Rancher != "v2.8.5" || len(fleet.Unread) != 0 || fleet.Unlooked() != 2 {
		t.Errorf("%s, %v, %d not looked at", fleet.Rancher, fleet.Unread, fleet.Unlooked())
	}
	same(t, "asked", w.reached(), []string{"c-7kq2x", "c-m-away", "c-m-braked", "c-m-custom", "c-m-finished", "c-m-half", "c-m-locked", "c-m-mistaken", "c-m-open", "c-m-untouched"})
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.writes) > 0 {
		t.Errorf("it wrote: %v", w.writes)
	}
	for _, row := range fleet.Rows {
		if row.Name == "c-7kq2x" && row.DisplayName != "old" || row.Name == "locked" && row.Stops[0].Seen != "lock held by alice@host, run run-2" ||
			row.Name == "untouched" && row.Labels["objectset.rio.cattle.io/hash"] != "x" {
			t.Errorf("%+v", row)
		}
	}
}

// With NoReach no cluster is asked, and everything from Rancher's server is the same.
func (w *world) notReached(t *testing.T) {
	from := w.rancher("")
	from.NoReach = true
	fleet := w.list(t, from)
	same(t, "asked", w.reached(), nil)
	states := map[inventory.State]int{}
	for _, row := range fleet.Rows {
		if states[row.State]++; row.Position != "" && row.State != inventory.Stopped {
			t.Errorf("a position of nowhere: %+v", row)
		}
	}
	want := map[inventory.State]int{inventory.None: 7, inventory.NotAsked: 7, inventory.Locked: 1, inventory.Stopped: 3}
	if !maps.Equal(states, want) {
		t.Errorf("%v, wanted %v", states, want)
	}
}

func (w *world) namespace(t *testing.T) {
	same(t, "rows", lines(w.list(t, w.rancher("team"))), wantedRows[len(wantedRows)-1:])
}

// The documented role suffices. A user who may not list management Clusters sees which clusters
// are unknown.
func (w *world) rights(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "clusterrole-readonly.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	rbac := map[string]schema.GroupVersionResource{}
	for _, kind := range []string{"ClusterRole", "ClusterRoleBinding"} {
		rbac[kind] = gvr("rbac.authorization.k8s.io", "v1", strings.ToLower(kind)+"s")
	}
	made := 0
	for _, document := range strings.Split(string(text), "\n---\n") {
		var o object
		if err := yaml.Unmarshal([]byte(document), &o); err != nil {
			t.Fatal(err)
		}
		if o["metadata"].(object)["name"] != "awsmigrate-audit-rancher" {
			continue // of the cluster that is audited
		}
		made++
		w.create(t, rbac[o["kind"].(string)], o)
		if o["kind"] == "ClusterRole" { // a copy for other users, without the older Clusters and our objects
			o["rules"] = slices.DeleteFunc(o["rules"].([]any), func(rule any) bool { return rule.(object)["apiGroups"].([]any)[0] == migrations.Group })
			for _, rule := range o["rules"].([]any) {
				if resources := rule.(object)["resources"].([]any); rule.(object)["apiGroups"].([]any)[0] == older.Group {
					rule.(object)["resources"] = slices.DeleteFunc(resources, func(r any) bool { return r == older.Resource })
				}
			}
		} else {
			o["roleRef"].(object)["name"] = "fewer"
			o["subjects"].([]any)[0].(object)["name"] = "fewer"
		}
		o["metadata"] = object{"name": "fewer"}
		w.create(t, rbac[o["kind"].(string)], o)
	}
	if made != 2 {
		t.Fatalf("%d objects for the cluster Rancher runs in", made)
	}
	apiserver.Eventually(t, func() bool { // a binding is in force a moment later
		fleet, err := w.rancher("team", "awsmigrate-audit").Fleet(t.Context())
		return err == nil && len(fleet.Unread) == 0
	})
	same(t, "rows", lines(w.list(t, w.rancher("", "awsmigrate-audit"))), wantedRows)
	fleet := w.list(t, w.rancher("", "fewer"))
	if len(fleet.Unread) != 1 || fleet.Unread[0].Reason != fault.ReasonForbidden {
		t.Errorf("not read: %+v", fleet.Unread)
	}
	unknown := 0
	for _, row := range fleet.Rows {
		if row.Distribution == inventory.NotKnown && row.State == inventory.Unknown {
			unknown++
		}
	}
	if unknown != 4 || len(fleet.Rows) != len(wantedRows)-1 { // c-newly has no other object
		t.Errorf("%d unknown of %d: %s", unknown, len(fleet.Rows), strings.Join(lines(fleet), "\n"))
	}
	if _, err := w.rancher("", "stranger").Fleet(t.Context()); fault.ClassOf(err) != fault.CouldNotLook {
		t.Errorf("without rights: %v", err)
	}
}

// waiting answers only when the maximum number of clusters is being asked, and records that
// number.
type waiting struct {
	inFlight, most atomic.Int32
	full           chan struct{}
	once           sync.Once
}

func (b *waiting) RoundTrip(r *http.Request) (*http.Response, error) {
	n := b.inFlight.Add(1)
	defer b.inFlight.Add(-1)
	for most := b.most.Load(); n > most && !b.most.CompareAndSwap(most, n); most = b.most.Load() {
	}
	if n == maxConcurrent {
		b.once.Do(func() { close(b.full) })
	}
	select {
	case <-b.full:
	case <-r.Context().Done():
	}
	return &http.Response{StatusCode: http.StatusServiceUnavailable, Body: http.NoBody, Request: r}, nil
}

// Clusters are asked concurrently, up to the limit.
func (w *world) atOnce(t *testing.T) {
	b := &waiting{full: make(chan struct{})}
	for i := range 3 * maxConcurrent {
		name := fmt.Sprintf("n%d", i)
		w.provisioned(t, "many", name, "aws", nil)
		w.machine(t, "many", name, "cp-0", "control-plane")
		w.mu.Lock()
		w.clusters["c-m-"+name] = b
		w.mu.Unlock()
	}
	fleet := w.list(t, w.rancher("many"))
	if got := b.most.Load(); got != maxConcurrent || fleet.Unlooked() != 3*maxConcurrent {
		t.Errorf("%d at once, wanted %d; %d could not be looked at", got, maxConcurrent, fleet.Unlooked())
	}
}

// Where ClusterMigrations are served, their goal and state are shown. A cluster with a
// ClusterMigration is asked even before a migration has begun.
func (w *world) wanted(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "charts", "awsmigrate-crd", "templates", "awsmigrate.io_clustermigrations.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var crd object
	if err := yaml.Unmarshal(text, &crd); err != nil {
		t.Fatal(err)
	}
	w.create(t, definitions, crd)
	w.served(t, migrations)
	made := w.create(t, migrations, object{"apiVersion": "awsmigrate.io/v1alpha1", "kind": "ClusterMigration", "metadata": object{"namespace": "team", "name": "open"},
		"spec": object{"goal": "Migrate", "edits": "Apply"}})
	made.Object["status"] = object{"display": object{"state": "Awaiting-Approval", "transitioning": false, "error": false, "message": "set it"}}
	if _, err := w.api.Resource(migrations).Namespace("team").UpdateStatus(t.Context(), made, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	from := w.rancher("team")
	same(t, "rows", lines(w.list(t, from)), []string{wantedRows[len(wantedRows)-1] + " = Migrate Awaiting-Approval"})
	fleet := w.list(t, w.rancher("team", "fewer"))
	if len(fleet.Unread) != 2 || fleet.Unread[1].Object != "ClusterMigrations" {
		t.Errorf("who may not read them: %+v", fleet.Unread)
	}
}
