package kube

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/awsmigrate/awsmigrate/internal/testing/apiserver"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/lease"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// The subtests share one real API server, and each has objects of its own.
func TestReader(t *testing.T) {
	server := apiserver.New(t, apiserver.Options{})
	admin, err := kubernetes.NewForConfig(server.Config())
	if err != nil {
		t.Fatal(err)
	}
	fill(t, admin)
	t.Run("everything", func(t *testing.T) { everything(t, server.As("auditor", "system:masters")) })
	t.Run("paging", func(t *testing.T) { paging(t, server.Config()) })
	t.Run("renewal", func(t *testing.T) { renewal(t, server, admin) })
	t.Run("grant", func(t *testing.T) { grantSeen(t, server.Config(), admin) })
	t.Run("rights of the CCM", func(t *testing.T) { ccmRightsSeen(t, server.Config(), admin) })
	t.Run("forbidden", func(t *testing.T) { forbiddenParts(t, server.As("stranger"), admin) })
	t.Run("writes nothing", func(t *testing.T) { wroteNothing(t, server.AuditLog(), "auditor", "stranger") })
	t.Run("unreachable", func(t *testing.T) { server.Stop(); unreachable(t, server.Config()) })
}

func look(t *testing.T, config *rest.Config, change ...func(*Reader)) downstream.Facts {
	t.Helper()
	r, err := New(config, clock.RealClock{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range change {
		c(&r)
	}
	return Read(t.Context(), r)
}

func everything(t *testing.T, config *rest.Config) {
	f := look(t, config)
	for what, err := range errs(f) {
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	if !strings.HasPrefix(f.Version.Value, "v") || f.UID.Value == "" {
		t.Errorf("version %q, UID %q", f.Version.Value, f.UID.Value)
	}
	if len(f.Nodes.Value) != nodeCount {
		t.Fatalf("%d nodes", len(f.Nodes.Value))
	}
	kcms, ok := f.KCMs()
	if !ok || len(kcms) != 1 || kcms[0].Mode != component.ExternalMigrating || kcms[0].Provider != "external" {
		t.Errorf("KCMs %+v", kcms)
	}
	strays, gaps := f.Strays()
	if len(gaps) > 0 || len(strays) != 1 || strays[0].String() != "Deployment kube-system/extra" {
		t.Errorf("strays %+v", strays)
	}
	ccm := f.CCM()
	if ccm.PodsWith != 1 || !ccm.Migration || !ccm.ConfigFile || !ccm.DefaultUnsafe {
		t.Errorf("CCM %+v", ccm)
	}
	if len(f.DaemonSets.Value) != 1 || f.DaemonSets.Value[0].Owner != "helm kube-system/aws-cloud-controller-manager" {
		t.Errorf("DaemonSets %+v", f.DaemonSets.Value)
	}
	if m := f.Migration.Value["/etc/m/f.yaml"]; m.Text != "leaderName: x" || m.ConfigMap != "kube-system/migration" {
		t.Errorf("migration file %+v", f.Migration.Value)
	}
	if len(f.Releases.Value) != 1 || f.Releases.Value[0].Status != "deployed" {
		t.Errorf("releases %+v", f.Releases.Value)
	}
	if len(f.Services.Value) != 1 {
		t.Errorf("services %+v", f.Services.Value)
	}
	if len(f.Volumes.Value) != 1 || !f.Volumes.Value[0].InTree || len(f.Classes.Value) != 1 || len(f.CSINodes.Value) != 1 || !f.CSINodes.Value[0].EBS {
		t.Errorf("storage %+v %+v %+v", f.Volumes.Value, f.Classes.Value, f.CSINodes.Value)
	}
	if len(f.CCMObjects.Value) != 1 || f.CCMObjects.Value[0].Owner != "" {
		t.Errorf("objects %+v", f.CCMObjects.Value)
	}
	if len(f.Events.Value) != 1 || f.Events.Value[0].Object != "Service web/front" {
		t.Errorf("events %+v", f.Events.Value)
	}
	if len(f.APIServers.Value) != 1 {
		t.Errorf("API servers %+v", f.APIServers.Value)
	}
	if e := f.Etcds.Value; len(e) != 1 || e[0].Node != "n0" || !e[0].Mirror || e[0].Containers != nil {
		t.Errorf("etcds %+v", e)
	}
}

// paging reads in pages of two and must see the same cluster.
func paging(t *testing.T, config *rest.Config) {
	f := look(t, config, func(r *Reader) { r.PageSize = 2 })
	if len(f.Nodes.Value) != nodeCount {
		t.Errorf("%d nodes, want %d: %v", len(f.Nodes.Value), nodeCount, f.Nodes.Err)
	}
	names := map[string]bool{}
	for _, n := range f.Nodes.Value {
		names[n.Name] = true
	}
	if len(names) != nodeCount {
		t.Errorf("%d different names", len(names))
	}
}

// renewal reads a living holder and a silent one, and their field managers.
func renewal(t *testing.T, server *apiserver.Server, admin kubernetes.Interface) {
	config := server.Config()
	config.UserAgent = "kube-controller-manager/v1.26 (linux/amd64)"
	kcm, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{wellknown.MigrationLease, wellknown.KCMLease} {
		makeLease(t, kcm, name, "cp-0_1", time.Now())
	}
	makeLease(t, admin, wellknown.CCMLease, "cp-0_2", time.Now().Add(-time.Hour)) // long dead: the reading does not wait for a candidate
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ticker := time.NewTicker(300 * time.Millisecond); ; {
			select {
			case <-ctx.Done():
				ticker.Stop()
				return
			case <-ticker.C:
				for _, name := range []string{wellknown.MigrationLease, wellknown.KCMLease} {
					renew(ctx, kcm, name)
				}
			}
		}
	}()
	f := look(t, server.Config())
	stop()
	<-done
	for _, name := range leaseNames() { // other parts would wait for their renewal
		if err := admin.CoordinationV1().Leases(wellknown.System).Delete(t.Context(), name, metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
	}
	if !f.Leases.OK() {
		t.Fatal(f.Leases.Err)
	}
	v := lease.JudgeMigration(f.Leases.Value, 2*time.Second)
	if v.Owner != lease.KCM || v.Life != lease.Alive {
		t.Errorf("migration lease %+v", v)
	}
	if v := lease.JudgeMain(f.Leases.Value.CCM, 2*time.Second); v.Life != lease.Dead || v.Owner != lease.Foreign {
		t.Errorf("CCM lease %+v", v)
	}
	if f.ServerClock.IsZero() {
		t.Error("no cluster time")
	}
}

func makeLease(t *testing.T, client kubernetes.Interface, name, holder string, renewed time.Time) {
	t.Helper()
	now, seconds := metav1.NewMicroTime(renewed), int32(15)
	_, err := client.CoordinationV1().Leases("kube-system").Create(t.Context(), &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       coordinationv1.LeaseSpec{HolderIdentity: &holder, RenewTime: &now, AcquireTime: &now, LeaseDurationSeconds: &seconds},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
}

func renew(ctx context.Context, client kubernetes.Interface, name string) {
	l, err := client.CoordinationV1().Leases("kube-system").Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return
	}
	now := metav1.NowMicro()
	l.Spec.RenewTime = &now
	_, _ = client.CoordinationV1().Leases("kube-system").Update(ctx, l, metav1.UpdateOptions{})
}

// grantSeen checks that the KCM's user may only create the lease without the grant, and get and
// update it with the grant.
func grantSeen(t *testing.T, config *rest.Config, admin kubernetes.Interface) {
	f := look(t, config)
	if r := f.Rights.Value; !f.Rights.OK() || r.Get || r.Update || !r.Create {
		t.Errorf("rights before %+v, %v", r, f.Rights.Err)
	}
	if g := f.Grant.Value; g.Role || g.Binding {
		t.Errorf("grant before %+v", g)
	}
	role := &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Name: wellknown.Grant}, Rules: []rbacv1.PolicyRule{{
		APIGroups: []string{"coordination.k8s.io"}, Resources: []string{"leases"}, ResourceNames: []string{wellknown.MigrationLease}, Verbs: []string{"get", "update"},
	}}}
	binding := &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: wellknown.Grant},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: wellknown.Grant},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "User", Name: wellknown.KCMUser}},
	}
	if _, err := admin.RbacV1().Roles("kube-system").Create(t.Context(), role, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := admin.RbacV1().RoleBindings("kube-system").Create(t.Context(), binding, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(10 * time.Second) // the authorizer's cache follows within moments
	for f = look(t, config); !f.Rights.Value.Update && time.Now().Before(deadline); f = look(t, config) {
	}
	if r := f.Rights.Value; !r.Get || !r.Update || !f.Grant.Value.Role || !f.Grant.Value.Binding {
		t.Errorf("after: %+v %+v", r, f.Grant.Value)
	}
}

// forbiddenParts checks that a user who may only list nodes gets the nodes, and an unknown for every
// other part.
func forbiddenParts(t *testing.T, config *rest.Config, admin kubernetes.Interface) {
	role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "nodes-only"}, Rules: []rbacv1.PolicyRule{
		{APIGroups: []string{""}, Resources: []string{"nodes"}, Verbs: []string{"list"}},
		{NonResourceURLs: []string{"/version"}, Verbs: []string{"get"}},
	}}
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "nodes-only"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "nodes-only"},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "User", Name: "stranger"}},
	}
	if _, err := admin.RbacV1().ClusterRoles().Create(t.Context(), role, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := admin.RbacV1().ClusterRoleBindings().Create(t.Context(), binding, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(10 * time.Second)
	f := look(t, config)
	for ; !f.Nodes.OK() && time.Now().Before(deadline); f = look(t, config) {
	}
	for what, err := range errs(f) {
		switch what {
		case "nodes", "version":
			if err != nil {
				t.Errorf("%s: %v", what, err)
			}
		default:
			if err == nil || !strings.Contains(err.Error(), "forbidden") {
				t.Errorf("%s: %v, want forbidden", what, err)
			}
		}
	}
	if e := f.Evidence(nil); position.Compute(e).Known() {
		t.Errorf("position known from %+v", e)
	}
}

func unreachable(t *testing.T, config *rest.Config) {
	f := look(t, config, func(r *Reader) { r.Timeout = 2 * time.Second })
	for what, err := range errs(f) {
		if err == nil {
			t.Errorf("%s was read from a server that is down", what)
		}
	}
}

// errs returns the errors of all parts, also for parts that were not read.
func errs(f downstream.Facts) map[string]error {
	return map[string]error{
		"version": of(f.Version), "uid": of(f.UID), "nodes": of(f.Nodes), "static pods": of(f.StaticPods), "loose pods": of(f.LoosePods), "CCM pods": of(f.CCMPods),
		"workloads": of(f.Workloads), "daemonsets": of(f.DaemonSets), "leases": of(f.Leases), "API servers": of(f.APIServers),
		"rights": of(f.Rights), "grant": of(f.Grant), "charts": of(f.Charts), "releases": of(f.Releases), "CCM objects": of(f.CCMObjects),
		"services": of(f.Services), "volumes": of(f.Volumes), "classes": of(f.Classes), "CSI nodes": of(f.CSINodes), "events": of(f.Events),
		"migration files": of(f.Migration), "etcds": of(f.Etcds), "rights of the CCM": of(f.CCMRights),
	}
}

func of[T any](r verify.Read[T]) error {
	if !r.Looked {
		return fmt.Errorf("not read")
	}
	return r.Err
}

// wroteNothing checks in the server's audit log that the users only read, or reviewed access.
func wroteNothing(t *testing.T, path string, users ...string) {
	log, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for _, line := range strings.Split(strings.TrimSpace(string(log)), "\n") {
		var e struct {
			Verb             string
			RequestURI       string
			ImpersonatedUser struct{ Username string }
			ObjectRef        struct{ Resource string }
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("audit log: %v", err)
		}
		for _, u := range users {
			if e.ImpersonatedUser.Username != u {
				continue
			}
			seen[u]++
			read := e.Verb == "get" || e.Verb == "list" || e.Verb == "watch"
			if !read && (e.Verb != "create" || e.ObjectRef.Resource != "subjectaccessreviews") {
				t.Errorf("%s: %s %s", u, e.Verb, e.RequestURI)
			}
			if e.ObjectRef.Resource == "secrets" && e.Verb == "get" {
				t.Errorf("%s read a Secret: %s", u, e.RequestURI)
			}
		}
	}
	for _, u := range users {
		if seen[u] == 0 {
			t.Errorf("the audit log has no request of %s", u)
		}
	}
}
