package node

import (
	"context"
	"errors"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/clock"
	"sigs.k8s.io/yaml"

	"github.com/awsmigrate/awsmigrate/test/lab/pki"
)

// fakeReal is a machine on which components only answer, or do not.
type fakeReal struct {
	mu      sync.Mutex
	servers map[string]string // by the address that they have on the machine
	removed map[string]string // the UID that stays, by component
}

func (f *fakeReal) Kubelet(ctx context.Context, _ []string) error { <-ctx.Done(); return ctx.Err() }

func (f *fakeReal) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	f.mu.Lock()
	to := f.servers[address]
	f.mu.Unlock()
	if to == "" {
		return nil, errors.New("connection refused")
	}
	var dialer net.Dialer
	return dialer.DialContext(ctx, network, to)
}

func (f *fakeReal) answer(address, server string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.servers[address] = strings.TrimPrefix(strings.TrimPrefix(server, "https://"), "http://")
}

func (f *fakeReal) RemoveSandboxes(_ context.Context, component, uid string) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.removed[component] = uid
	return 0, nil
}

func realKubelet(t *testing.T, config string) (*kubelet, *fakeReal) {
	t.Helper()
	ca, err := pki.NewCA("lab")
	if err != nil {
		t.Fatal(err)
	}
	machine := &fakeReal{servers: map[string]string{}, removed: map[string]string{}}
	facts := Facts{Name: "demo-cp-0", IP: "10.0.0.4", PrivateIP: "10.0.0.4", OSHostname: "host", Roles: Roles{ControlPlane: true, Etcd: true}}
	a := &Agent{c: Config{Facts: facts, CA: ca, ServiceAccountKey: ca.KeyPEM, Real: machine, Clock: clock.RealClock{}, Log: t.Output()}, fs: machineFS(t.TempDir())}
	c, err := ParseRKE2Config(File{Path: "config.yaml", Content: []byte(config)})
	if err != nil {
		t.Fatal(err)
	}
	rendering, err := Render(c, facts, "node", rke2Version)
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{a.writeServerFiles(), a.writeAgentFiles("node"), a.writeEtcdConfig(t.Context(), c)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return &kubelet{a: a, config: c, rendering: rendering}, machine
}

func (k *kubelet) manifestNames(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir(k.a.fs.path(ManifestDir))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	var out []string
	for _, entry := range entries {
		out = append(out, strings.TrimSuffix(entry.Name(), ".yaml"))
	}
	return out
}

// Manifests are written in RKE2's order: each stage waits for the components of the previous one. The
// API server's old manifest goes at once, those of components that are no longer configured too.
func TestWriteManifests_order(t *testing.T) {
	k, machine := realKubelet(t, "cloud-provider-name: aws")
	for _, old := range []string{KubeAPIServer, CloudControllerManager} {
		if err := k.a.fs.write(manifestFile(old), []byte("old")); err != nil {
			t.Fatal(err)
		}
	}
	if err := k.layManifests(t.Context()); err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() { done <- k.writeManifests(t.Context()) }()
	healthy := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	etcd, api := httptest.NewServer(healthy), httptest.NewTLSServer(healthy)
	defer etcd.Close()
	defer api.Close()
	for _, stage := range []struct {
		address, server string
		want            []string
	}{
		{"", "", []string{Etcd}},
		{"127.0.0.1:2381", etcd.URL, []string{Etcd, KubeAPIServer}},
		{"127.0.0.1:6443", api.URL, []string{Etcd, KubeAPIServer, KubeControllerManager, kubeProxy, KubeScheduler}},
	} {
		machine.answer(stage.address, stage.server)
		deadline := time.Now().Add(20 * time.Second)
		for !slices.Equal(k.manifestNames(t), stage.want) {
			if time.Now().After(deadline) {
				t.Fatalf("manifests %q, wanted %q", k.manifestNames(t), stage.want)
			}
			<-time.After(20 * time.Millisecond)
		}
	}
	if err := <-done; err != nil || !k.written.Load() {
		t.Errorf("written %v, %v", k.written.Load(), err)
	}
}

// After a restart of the service etcd answers at once: when the kubelet starts, the API server's
// manifest is there.
func TestLayManifests_etcdAnswers_noGap(t *testing.T) {
	k, machine := realKubelet(t, "cloud-provider-name: aws")
	etcd := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer etcd.Close()
	machine.answer("127.0.0.1:2381", etcd.URL)
	if err := k.layManifests(t.Context()); err != nil {
		t.Fatal(err)
	}
	if want := []string{Etcd, KubeAPIServer}; !slices.Equal(k.manifestNames(t), want) {
		t.Errorf("manifests %q, wanted %q", k.manifestNames(t), want)
	}
}

// A manifest names every file of its arguments, and its UID depends on their content.
func TestManifest_mounts(t *testing.T) {
	k, _ := realKubelet(t, "cloud-provider-name: aws")
	pods := map[string]*corev1.Pod{}
	for _, s := range k.rendering.Static {
		pods[s.Component] = manifest(s, rke2Version, k.a.fs)
	}
	mounted := func(component string) []string {
		paths := map[string]bool{}
		for _, m := range pods[component].Spec.Containers[0].VolumeMounts {
			paths[m.MountPath] = m.ReadOnly
		}
		return slices.Sorted(maps.Keys(paths))
	}
	if got := mounted(kubeProxy); !slices.Equal(got, []string{agentDir + "/kubeproxy.kubeconfig"}) {
		t.Errorf("kube-proxy mounts %q", got)
	}
	for component, files := range map[string][]string{
		KubeAPIServer:         {psaConfig, tlsFile("etcd/client.key"), etcdNameFile, "/etc/ssl/certs", dataDir + "/server/etc/egress-selector-config.yaml"},
		KubeControllerManager: {serverCred + "/controller.kubeconfig", etcdNameFile, "/etc/ssl/certs"},
		Etcd:                  {etcdDir, tlsFile("etcd/peer-server-client.key")},
	} {
		for _, file := range files {
			if !slices.Contains(mounted(component), file) {
				t.Errorf("%s does not mount %s but %q", component, file, mounted(component))
			}
		}
	}
	if !*pods[kubeProxy].Spec.Containers[0].SecurityContext.Privileged || *pods[Etcd].Spec.Containers[0].SecurityContext.Privileged {
		t.Error("kube-proxy alone is privileged")
	}
	if err := k.a.fs.write(serverCred+"/controller.kubeconfig", []byte("other")); err != nil {
		t.Fatal(err)
	}
	for _, s := range k.rendering.Static {
		changed := manifest(s, rke2Version, k.a.fs).UID != pods[s.Component].UID
		if changed != (s.Component == KubeControllerManager) {
			t.Errorf("another file of kube-controller-manager: %s changed: %t", s.Component, changed)
		}
	}
}

// Only sandboxes of pods other than the written ones go.
func TestReconcileSandboxes(t *testing.T) {
	k, machine := realKubelet(t, "cloud-provider-name: aws")
	k.written.Store(true)
	for _, s := range k.rendering.Static {
		if err := k.writeManifest(s); err != nil {
			t.Fatal(err)
		}
	}
	if err := k.reconcileSandboxes(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, component := range []string{Etcd, KubeAPIServer} {
		raw, err := k.a.fs.read(manifestFile(component))
		if err != nil {
			t.Fatal(err)
		}
		var pod corev1.Pod
		if err := yaml.Unmarshal(raw, &pod); err != nil || machine.removed[component] != string(pod.UID) || pod.UID == "" {
			t.Errorf("%s: %q stays, %v; wanted %q", component, machine.removed[component], err, pod.UID)
		}
	}
	if len(machine.removed) != 2 {
		t.Errorf("sandboxes of %v", machine.removed)
	}
}

// A member that joins names itself, and waits while another joins.
func TestWriteEtcdConfig_joins(t *testing.T) {
	const own, other = "https://10.0.0.4:2380", "https://10.0.16.4:2380"
	for _, test := range []struct {
		name, list, add string
		want            string // of initial-cluster; empty: refused
	}{
		{"first", `{"members":[{"name":"a","peerURLs":["` + other + `"]}]}`, `{"members":[{"peerURLs":["` + own + `"]},{"name":"a","peerURLs":["` + other + `"]}]}`, "OWN=" + own + ",a=" + other},
		{"again", `{"members":[{"name":"a","peerURLs":["` + other + `"]},{"peerURLs":["` + own + `"]}]}`, "", "a=" + other + ",OWN=" + own},
		{"behind another", `{"members":[{"peerURLs":["` + other + `"]}]}`, "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body := test.list
				if strings.HasSuffix(r.URL.Path, "/add") {
					body = test.add
				}
				_, _ = w.Write([]byte(body)) // an unwritable answer fails the call
			}))
			defer server.Close()
			k, machine := realKubelet(t, "cloud-provider-name: aws")
			machine.answer("10.0.16.4:2379", server.URL)
			if err := k.a.fs.remove(etcdConfigFile); err != nil {
				t.Fatal(err)
			}
			c, err := ParseRKE2Config(File{Path: "config.yaml", Content: []byte("server: https://10.0.16.4:9345")})
			if err != nil {
				t.Fatal(err)
			}
			if err := k.a.writeEtcdConfig(t.Context(), c); (err == nil) != (test.want != "") {
				t.Fatal(err)
			}
			var got struct {
				Name    string `json:"name"`
				Cluster string `json:"initial-cluster"`
				State   string `json:"initial-cluster-state"`
			}
			raw, err := k.a.fs.read(etcdConfigFile)
			if err != nil || yaml.Unmarshal(raw, &got) != nil {
				t.Fatal(err)
			}
			if want := strings.ReplaceAll(test.want, "OWN", got.Name); got.Cluster != want || (want != "" && got.State != "existing") {
				t.Errorf("initial-cluster %q, %s; wanted %q", got.Cluster, got.State, want)
			}
		})
	}
}
