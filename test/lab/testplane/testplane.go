// Package testplane starts a real etcd and real kube-apiservers of Kubernetes 1.26 for a test
// and stops them when it ends. It runs no controller manager, no scheduler and no nodes.
package testplane

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/awsmigrate/awsmigrate/test/lab/component"
)

// Token is the bearer token of a user in system:masters, and ViewerToken that of the user viewer,
// who has the rights of RBAC.
const (
	Token       = "admin-token"
	ViewerToken = "viewer-token"
)

// Start returns a configuration per name, each for a separate API server under an etcd prefix
// of that name. The binaries are those of component.Dir.
func Start(t testing.TB, names ...string) []*rest.Config {
	t.Helper()
	bin, err := component.Dir()
	must(t, err)
	dir := t.TempDir()
	// Every process has its own address: on 127.0.0.1, an outgoing connection can take a free port
	// before the server does.
	address := fmt.Sprintf("127.252.%d.%d", os.Getpid()%250+2, os.Getpid()/250%250+2)
	ports := freePorts(t, address, 2+len(names))
	client, peer := "http://"+address+":"+ports[0], "http://"+address+":"+ports[1]
	start(t, dir, "etcd", filepath.Join(bin, "etcd"),
		"--data-dir", filepath.Join(dir, "etcd"), "--unsafe-no-fsync", "--logger=zap", "--log-level=error",
		"--listen-client-urls", client, "--advertise-client-urls", client,
		"--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", "default="+peer)
	key := signingKey(t, dir)
	tokens := filepath.Join(dir, "tokens.csv")
	must(t, os.WriteFile(tokens, []byte(Token+",admin,1,system:masters\n"+ViewerToken+",viewer,2\n"), 0o600))
	var out []*rest.Config
	for i, name := range names {
		port := ports[2+i]
		start(t, dir, name, filepath.Join(bin, "kube-apiserver"),
			"--etcd-servers", client, "--etcd-prefix", "/"+name, "--secure-port", port, "--bind-address", address,
			"--cert-dir", filepath.Join(dir, name+"-certs"), "--token-auth-file", tokens, "--authorization-mode", "Node,RBAC",
			"--service-account-issuer", "https://lab.test", "--service-account-key-file", key, "--service-account-signing-key-file", key,
			"--service-cluster-ip-range", "10.43.0.0/16", "--endpoint-reconciler-type", "none", "--allow-privileged")
		c := &rest.Config{Host: "https://" + address + ":" + port, BearerToken: Token,
			TLSClientConfig: rest.TLSClientConfig{Insecure: true}, QPS: 200, Burst: 400}
		out = append(out, c)
	}
	for i, c := range out {
		awaitReady(t, names[i], c, dir)
	}
	return out
}

// Kubeconfig writes a kubeconfig for c's server and user, and returns its path.
func Kubeconfig(t testing.TB, c *rest.Config) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "kubeconfig")
	must(t, clientcmd.WriteToFile(clientcmdapi.Config{
		Clusters:  map[string]*clientcmdapi.Cluster{"c": {Server: c.Host, InsecureSkipTLSVerify: true}},
		AuthInfos: map[string]*clientcmdapi.AuthInfo{"u": {Token: c.BearerToken}},
		Contexts:  map[string]*clientcmdapi.Context{"x": {Cluster: "c", AuthInfo: "u"}}, CurrentContext: "x",
	}, path))
	return path
}

// usable requires more than /readyz: kube-apiserver's own controllers create the system's
// namespaces a moment later.
func usable(ctx context.Context, k kubernetes.Interface) error {
	if err := k.Discovery().RESTClient().Get().AbsPath("/readyz").Do(ctx).Error(); err != nil {
		return err
	}
	for _, name := range []string{metav1.NamespaceDefault, metav1.NamespaceSystem} {
		if _, err := k.CoreV1().Namespaces().Get(ctx, name, metav1.GetOptions{}); err != nil {
			return err
		}
	}
	return nil
}

func awaitReady(t testing.TB, name string, c *rest.Config, dir string) {
	t.Helper()
	k, err := kubernetes.NewForConfig(c)
	must(t, err)
	err = wait.PollUntilContextTimeout(t.Context(), 200*time.Millisecond, 90*time.Second, true, func(ctx context.Context) (bool, error) {
		return usable(ctx, k) == nil, nil
	})
	if err != nil {
		log, _ := os.ReadFile(filepath.Join(dir, name+".log"))
		t.Fatalf("kube-apiserver %s is not ready: %v\n%s", name, err, log[max(0, len(log)-4000):])
	}
}

// start runs a component. It ends with the test process, and its log is kept until the test
// ends.
func start(t testing.TB, dir, name, path string, args ...string) {
	t.Helper()
	log, err := os.Create(filepath.Join(dir, name+".log"))
	must(t, err)
	cmd := exec.Command(path, args...)
	cmd.Stdout, cmd.Stderr = log, log
	started := make(chan error, 1)
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		// The parent-death signal is sent when the starting thread ends, so that
		// thread is kept.
		runtime.LockOSThread()
		defer close(stopped)
		cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
		err := cmd.Start()
		started <- err
		if err != nil {
			return
		}
		<-stop
		_ = cmd.Process.Kill() // it may be gone already
		_ = cmd.Wait()
		_ = log.Close()
	}()
	must(t, <-started)
	t.Cleanup(func() { close(stop); <-stopped })
}

func signingKey(t testing.TB, dir string) string {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	must(t, err)
	path := filepath.Join(dir, "sa.key")
	must(t, os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}), 0o600))
	return path
}

// freePorts returns n unused ports of an address. It keeps all listeners open meanwhile, so that
// the ports differ.
func freePorts(t testing.TB, address string, n int) []string {
	t.Helper()
	var ports []string
	for range n {
		l, err := net.Listen("tcp", address+":0")
		must(t, err)
		defer func() { _ = l.Close() }()
		_, port, err := net.SplitHostPort(l.Addr().String())
		must(t, err)
		ports = append(ports, port)
	}
	return ports
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
