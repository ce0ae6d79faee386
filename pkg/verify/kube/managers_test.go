package kube

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	"github.com/awsmigrate/awsmigrate/internal/testing/apiserver"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

// The subtests share one real API server.
func TestManagers(t *testing.T) {
	server := apiserver.New(t, apiserver.Options{})
	admin, err := kubernetes.NewForConfig(server.Config())
	if err != nil {
		t.Fatal(err)
	}
	fillManagers(t, admin)
	t.Run("of every kind", func(t *testing.T) { everyKind(t, server.Config()) })
	t.Run("with the documented role", func(t *testing.T) { withTheRole(t, server.As("auditor"), admin) })
	t.Run("endpoints", func(t *testing.T) { endpoints(t, server, admin) })
	t.Run("of many pods", func(t *testing.T) { ofManyPods(t, server.Config(), admin) })
}

var (
	strangeCCM = corev1.PodSpec{HostNetwork: true, Containers: []corev1.Container{{Name: "ccm", Image: "mirror/provider-aws/cloud-controller-manager:v1.26.14", Args: []string{"--cloud-provider=aws"}}}}
	strangeKCM = corev1.PodSpec{Containers: []corev1.Container{{Name: "m", Image: "busybox", Command: []string{"sh", "-c"}, Args: []string{"exec kube-controller-manager --cloud-provider=aws"}}}}
	plainSpec  = corev1.PodSpec{Containers: []corev1.Container{{Name: "x", Image: "nginx:1"}}}
)

// made returns an object with a controller of that kind.
func made(name, apiVersion, kind string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, Labels: map[string]string{"app": name}, OwnerReferences: []metav1.OwnerReference{
		{APIVersion: apiVersion, Kind: kind, Name: "maker", UID: "u", Controller: ptr.To(true)}}}
}

// fillManagers creates controller managers of every kind in namespace web, each next to a similar
// object that is not one.
func fillManagers(t *testing.T, c kubernetes.Interface) {
	t.Helper()
	ctx, o := t.Context(), metav1.CreateOptions{}
	keep := func(_ any, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, ns := range []string{"web", "tenant"} {
		keep(c.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: ns}}, o))
	}
	keep(c.CoreV1().Nodes().Create(ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n0", Labels: map[string]string{"node-role.kubernetes.io/control-plane": "true"}}}, o))
	selected := func(name string, spec corev1.PodSpec) (*metav1.LabelSelector, corev1.PodTemplateSpec) {
		l := map[string]string{"app": name}
		return &metav1.LabelSelector{MatchLabels: l}, template(l, spec)
	}
	again := func(spec corev1.PodSpec) corev1.PodSpec {
		spec.RestartPolicy = corev1.RestartPolicyNever
		return spec
	}
	apps, batch, core := c.AppsV1(), c.BatchV1(), c.CoreV1()
	for name, spec := range map[string]corev1.PodSpec{"ccm": strangeCCM, "kcm": strangeKCM, "web": plainSpec} {
		meta := metav1.ObjectMeta{Name: name}
		selector, tmpl := selected(name, spec)
		keep(apps.Deployments("web").Create(ctx, &appsv1.Deployment{ObjectMeta: meta, Spec: appsv1.DeploymentSpec{Replicas: ptr.To[int32](0), Selector: selector, Template: tmpl}}, o))
		keep(apps.StatefulSets("web").Create(ctx, &appsv1.StatefulSet{ObjectMeta: meta, Spec: appsv1.StatefulSetSpec{Selector: selector, Template: tmpl}}, o))
		keep(apps.DaemonSets("web").Create(ctx, &appsv1.DaemonSet{ObjectMeta: meta, Spec: appsv1.DaemonSetSpec{Selector: selector, Template: tmpl}}, o))
		keep(apps.ReplicaSets("web").Create(ctx, &appsv1.ReplicaSet{ObjectMeta: meta, Spec: appsv1.ReplicaSetSpec{Selector: selector, Template: tmpl}}, o))
		keep(apps.ReplicaSets("web").Create(ctx, &appsv1.ReplicaSet{ObjectMeta: made(name+"-old", "apps/v1", "Deployment"), Spec: appsv1.ReplicaSetSpec{Selector: selector, Template: tmpl}}, o))
		keep(apps.ReplicaSets("web").Create(ctx, &appsv1.ReplicaSet{ObjectMeta: made(name+"-rollout", "argoproj.io/v1alpha1", "Rollout"), Spec: appsv1.ReplicaSetSpec{Selector: selector, Template: tmpl}}, o))
		keep(core.ReplicationControllers("web").Create(ctx, &corev1.ReplicationController{ObjectMeta: meta, Spec: corev1.ReplicationControllerSpec{Template: &tmpl}}, o))
		j := batchv1.JobSpec{Template: corev1.PodTemplateSpec{Spec: again(spec)}}
		keep(batch.Jobs("web").Create(ctx, &batchv1.Job{ObjectMeta: meta, Spec: j}, o))
		ended, err := batch.Jobs("web").Create(ctx, &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: name + "-ended"}, Spec: j}, o)
		keep(ended, err)
		ended.Status.Conditions = []batchv1.JobCondition{{Type: batchv1.JobComplete, Status: corev1.ConditionTrue}}
		keep(batch.Jobs("web").UpdateStatus(ctx, ended, metav1.UpdateOptions{}))
		keep(batch.CronJobs("web").Create(ctx, &batchv1.CronJob{ObjectMeta: meta, Spec: batchv1.CronJobSpec{Schedule: "0 0 * * *", JobTemplate: batchv1.JobTemplateSpec{Spec: j}}}, o))
		for _, pod := range []metav1.ObjectMeta{{Name: name}, made(name+"-set", "apps/v1", "ReplicaSet"), made(name+"-clone", "apps.kruise.io/v1alpha1", "CloneSet"),
			made(name+"-kruise", "apps.kruise.io/v1alpha1", "DaemonSet"), made(name+"-static", "v1", "Node")} {
			keep(core.Pods("web").Create(ctx, &corev1.Pod{ObjectMeta: pod, Spec: spec}, o))
		}
	}
	hosted := corev1.PodSpec{Containers: []corev1.Container{
		{Name: "api", Image: "registry.k8s.io/kube-apiserver:v1.30.1"},
		{Name: "kcm", Image: "registry.k8s.io/kube-controller-manager:v1.30.1", Args: []string{"--kubeconfig=/k/controller.conf"}, VolumeMounts: []corev1.VolumeMount{{Name: "k", MountPath: "/k"}}},
	}, Volumes: []corev1.Volume{{Name: "k", VolumeSource: corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{Sources: []corev1.VolumeProjection{
		{Secret: &corev1.SecretProjection{LocalObjectReference: corev1.LocalObjectReference{Name: "controller-kubeconfig"}}}}}}}}}
	selector, tmpl := selected("plane", hosted)
	keep(apps.Deployments("tenant").Create(ctx, &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "plane"}, Spec: appsv1.DeploymentSpec{Selector: selector, Template: tmpl}}, o))
	early := plainSpec
	early.InitContainers = []corev1.Container{strangeCCM.Containers[0]}
	keep(core.Pods("web").Create(ctx, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "init"}, Spec: early}, o))
	added := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "debugged"}, Spec: plainSpec}
	added, err := core.Pods("web").Create(ctx, added, o)
	keep(added, err)
	added.Spec.EphemeralContainers = []corev1.EphemeralContainer{{EphemeralContainerCommon: corev1.EphemeralContainerCommon{
		Name: "e", Image: strangeCCM.Containers[0].Image, Args: strangeCCM.Containers[0].Args, TerminationMessagePolicy: corev1.TerminationMessageReadFile, ImagePullPolicy: corev1.PullIfNotPresent}}}
	keep(core.Pods("web").UpdateEphemeralContainers(ctx, "debugged", added, metav1.UpdateOptions{}))
}

func managers(t *testing.T, config *rest.Config, change ...func(*Reader)) downstream.Facts {
	t.Helper()
	r, err := New(config, clock.RealClock{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range change {
		c(&r)
	}
	return ReadManagers(t.Context(), r)
}

func describeManagers(f downstream.Facts) string {
	strays, gaps := f.Strays()
	var all []string
	for _, s := range strays {
		word := s.String()
		if s.CCM {
			word += " CCM"
		}
		if s.Idle {
			word += " idle"
		}
		if s.Other != "" {
			word += " of another"
		}
		all = append(all, word)
	}
	slices.Sort(all)
	return strings.Join(append(all, gaps...), "\n")
}

const strange = `DaemonSet web/ccm CCM
DaemonSet web/kcm
Deployment tenant/plane of another
Deployment web/ccm CCM idle
Deployment web/kcm idle
Job web/ccm CCM
Job web/kcm
Pod web/ccm CCM
Pod web/ccm-clone CCM
Pod web/ccm-kruise CCM
Pod web/ccm-static CCM
Pod web/debugged CCM
Pod web/init CCM
Pod web/kcm
Pod web/kcm-clone
Pod web/kcm-kruise
Pod web/kcm-static
ReplicaSet web/ccm CCM
ReplicaSet web/ccm-rollout CCM
ReplicaSet web/kcm
ReplicaSet web/kcm-rollout
ReplicationController web/ccm CCM
ReplicationController web/kcm
StatefulSet web/ccm CCM
StatefulSet web/kcm
CronJob web/ccm CCM
CronJob web/kcm`

// wanted returns the expected managers, sorted, without the DaemonSet that is the cluster's CCM.
func wanted() string {
	lines := strings.Split(strange, "\n")[1:]
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// everyKind reads with full pages and with pages of three, because the first of several pages has
// no special meaning.
func everyKind(t *testing.T, config *rest.Config) {
	for _, page := range []int64{0, 3} {
		if got := describeManagers(managers(t, config, func(r *Reader) { r.PageSize = page })); got != wanted() {
			t.Errorf("pages of %d:\n%s\nwant\n%s", page, got, wanted())
		}
	}
}

// withTheRole reads with the documented role, then without one of its rights: a part that cannot
// be read must not count as absent.
func withTheRole(t *testing.T, config *rest.Config, admin kubernetes.Interface) {
	ctx := t.Context()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "clusterrole-readonly.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var role rbacv1.ClusterRole
	if err := yaml.Unmarshal([]byte(strings.Split(string(text), "\n---\n")[0]), &role); err != nil {
		t.Fatal(err)
	}
	binding := &rbacv1.ClusterRoleBinding{ObjectMeta: metav1.ObjectMeta{Name: "auditor"}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role.Name},
		Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "User", Name: "auditor"}}}
	if _, err := admin.RbacV1().ClusterRoles().Create(ctx, &role, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := admin.RbacV1().ClusterRoleBindings().Create(ctx, binding, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	until(t, "the role to be enough", func() string { return describeManagers(managers(t, config)) }, func(got string) bool { return got == wanted() })
	for _, lost := range []struct{ resource, verb, gap string }{
		{"pods", "get", "pods that no workload made"}, {"replicasets", "list", "workloads"}, {"replicasets", "get", "workloads"}, {"replicationcontrollers", "list", "workloads"},
		{"jobs", "list", "workloads"}, {"cronjobs", "list", "workloads"}, {"statefulsets", "list", "workloads"}, {"daemonsets", "list", "DaemonSets"},
	} {
		less := role.DeepCopy()
		for i, rule := range less.Rules {
			if slices.Contains(rule.Resources, lost.resource) {
				less.Rules[i].Resources = slices.DeleteFunc(slices.Clone(rule.Resources), func(r string) bool { return r == lost.resource })
				kept := slices.DeleteFunc(slices.Clone(rule.Verbs), func(v string) bool { return v == lost.verb })
				if len(kept) > 0 {
					less.Rules = append(less.Rules, rbacv1.PolicyRule{APIGroups: rule.APIGroups, Resources: []string{lost.resource}, Verbs: kept})
				}
			}
		}
		less.ResourceVersion = ""
		if _, err := admin.RbacV1().ClusterRoles().Update(ctx, less, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		until(t, lost.verb+" "+lost.resource+" to be missed", func() string { return describeManagers(managers(t, config)) }, func(got string) bool { return strings.Contains(got, lost.gap) })
	}
}

// until repeats look until good accepts it, because the authorizer caches.
func until(t *testing.T, what string, look func() string, good func(string) bool) {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	got := look()
	for ; !good(got) && time.Now().Before(deadline); got = look() {
	}
	if !good(got) {
		t.Errorf("waited for %s, and got\n%s", what, got)
	}
}

// ofManyPods counts the requests in a cluster with many pods. ReplicaSets own nearly all of them,
// every node has static pods, and one namespace is full of pods of another controller. Only the pages of metadata
// may grow with the number of pods.
func ofManyPods(t *testing.T, config *rest.Config, admin kubernetes.Interface) {
	const owned, static, foreign = 700, 60, 90
	create := func(namespace string, m metav1.ObjectMeta, spec corev1.PodSpec) error {
		_, err := admin.CoreV1().Pods(namespace).Create(t.Context(), &corev1.Pod{ObjectMeta: m, Spec: spec}, metav1.CreateOptions{})
		return err
	}
	var all sync.WaitGroup
	errs := make(chan error, owned+static+foreign)
	slots := make(chan struct{}, 16)
	start := func(namespace string, m metav1.ObjectMeta) {
		slots <- struct{}{}
		all.Go(func() { errs <- create(namespace, m, plainSpec); <-slots })
	}
	for i := range owned {
		start("default", made(fmt.Sprintf("owned-%d", i), "apps/v1", "ReplicaSet"))
	}
	for i := range static {
		m := made(fmt.Sprintf("kube-proxy-n%d", i), "v1", "Node")
		m.Labels = map[string]string{"component": "kube-proxy"}
		start("kube-system", m)
	}
	for i := range foreign {
		start("tenant", made(fmt.Sprintf("build-%d", i), "tekton.dev/v1", "TaskRun"))
	}
	all.Wait()
	close(errs)
	for err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
	counted := &counter{asked: map[string]int{}, bytes: map[string]int64{}}
	config = rest.CopyConfig(config)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { counted.next = next; return counted })
	if got := describeManagers(managers(t, config)); got != wanted() {
		t.Errorf("got\n%s", got)
	}
	total := owned + static + foreign + 17
	for what, most := range map[string]int{
		"metadata of pods": total/DefaultPageSize + 1, // pages
		"pods":             4,                         // by the label of kube-proxy, by namespace tenant, by the two labels of controller managers together
		"one of pods":      14,                        // the loose ones of namespace web
		"metadata of rs":   1, "rs": 0, "one of rs": 6,
	} {
		if counted.asked[what] > most {
			t.Errorf("%s: asked %d times, want %d at most", what, counted.asked[what], most)
		}
	}
	t.Logf("asked %v, bytes %v", counted.asked, counted.bytes)
	if each := counted.bytes["metadata of pods"] / int64(total); each > 1200 {
		t.Errorf("the metadata of a pod takes %d bytes", each)
	}
}

// counter counts requests and bytes by resource.
type counter struct {
	next  http.RoundTripper
	mu    sync.Mutex
	asked map[string]int
	bytes map[string]int64
}

var asksFor = regexp.MustCompile(`/(pods|replicasets)(/[^/]+)?$`)

func (c *counter) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := c.next.RoundTrip(req)
	m := asksFor.FindStringSubmatch(req.URL.Path)
	if err != nil || m == nil {
		return resp, err
	}
	what := strings.Replace(m[1], "replicasets", "rs", 1)
	switch {
	case strings.Contains(req.Header.Get("Accept"), "as=PartialObjectMetadata"):
		what = "metadata of " + what
	case m[2] != "":
		what = "one of " + what
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked[what]++
	resp.Body = counted{resp.Body, func(n int) { c.mu.Lock(); defer c.mu.Unlock(); c.bytes[what] += int64(n) }}
	return resp, nil
}

type counted struct {
	body interface {
		Read([]byte) (int, error)
		Close() error
	}
	add func(int)
}

func (b counted) Read(p []byte) (int, error) {
	n, err := b.body.Read(p)
	b.add(n)
	return n, err
}

func (b counted) Close() error { return b.body.Close() }

func TestPlanRequests(t *testing.T) {
	many := func(n int, namespace, selector string) []candidate {
		var cs []candidate
		for i := range n {
			cs = append(cs, candidate{namespace, fmt.Sprintf("p%d", i), strings.ReplaceAll(selector, "#", fmt.Sprint(i))})
		}
		return cs
	}
	for _, tc := range []struct {
		name  string
		open  []candidate
		all   map[string]int
		gets  int
		lists []request
	}{
		{"none", nil, nil, 0, nil},
		{"a few", many(5, "a", "app=#"), map[string]int{"a": 9}, 5, nil},
		{"a few alike", many(19, "a", "app=x"), map[string]int{"a": 19}, 19, nil},
		{"many alike", many(5000, "a", "app=x"), map[string]int{"a": 9000}, 0, []request{{namespace: "a", selector: "app=x"}}},
		{"many of their own", many(500, "a", "app=#"), map[string]int{"a": 500}, 0, []request{{namespace: "a"}}},
		{"many of their own among more", many(500, "a", "app=#"), map[string]int{"a": 100000}, 500, nil},
		{"many without labels", many(500, "a", ""), map[string]int{"a": 500}, 0, []request{{namespace: "a"}}},
		{"both in one namespace", slices.Concat(many(100, "a", "app=x"), many(500, "a", "job=#")), map[string]int{"a": 600}, 0, []request{{namespace: "a"}}},
		{"namespaces apart", slices.Concat(many(30, "a", "app=x"), many(3, "b", "app=x")), map[string]int{"a": 30, "b": 3}, 3, []request{{namespace: "a", selector: "app=x"}}},
	} {
		var lists []request
		gets := 0
		for _, q := range planRequests(tc.open, tc.all) {
			if q.name != "" {
				gets++
				continue
			}
			lists = append(lists, q)
		}
		if gets != tc.gets || !slices.Equal(lists, tc.lists) {
			t.Errorf("%s: %d GETs and %v, want %d and %v", tc.name, gets, lists, tc.gets, tc.lists)
		}
	}
}
