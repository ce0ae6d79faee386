// Package apiserver starts a kube-apiserver for a test: Kubernetes 1.26 with RBAC and the real
// bootstrap roles, without controllers and nodes.
//
// It is for tests only. It uses the lab's binaries but shares no code with the lab, which is a
// separate module. The ServiceAccount admission plugin is off, because without a controller
// manager no namespace has a default service account.
package apiserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// readyTimeout limits the start of a server. A start takes four to five seconds on an idle
// machine, and several times that while the tests of all packages run.
const readyTimeout = 2 * time.Minute

// stopTimeout limits the time between SIGTERM and SIGKILL for a component.
const stopTimeout = 5 * time.Second

// Newest names the kube-apiserver of test/lab/apiserver137 for the slow suite; `make
// newest-apiserver` builds it.
const Newest = "kube-apiserver-v1.37.2"

// Options configures New. The zero value suits most tests.
type Options struct {
	Args    []string // added to kube-apiserver's arguments, e.g. --feature-gates=…
	Program string   // name of another kube-apiserver among the lab's binaries, e.g. Newest
}

// Server is a running kube-apiserver with its own etcd.
type Server struct {
	dir   string
	admin *rest.Config
	path  string
	args  []string
	proc  *process
}

// New starts a server and waits until it is ready. The server stops when the test ends.
func New(tb testing.TB, opts Options) *Server {
	tb.Helper()
	s, err := start(tb, opts)
	if err != nil {
		tb.Fatalf("starting an API server: %v", err)
	}
	if err := s.waitReady(tb.Context()); err != nil {
		tb.Fatalf("%v\n%s", err, s.logTail())
	}
	return s
}

// Config returns a copy of the admin's configuration.
func (s *Server) Config() *rest.Config { return rest.CopyConfig(s.admin) }

// As returns the configuration of another user, to whom RBAC applies.
func (s *Server) As(user string, groups ...string) *rest.Config {
	config := s.Config()
	config.Impersonate = rest.ImpersonationConfig{UserName: user, Groups: groups}
	return config
}

// AuditLog returns the path of the audit log, which has JSON lines at level Metadata.
func (s *Server) AuditLog() string { return filepath.Join(s.dir, "audit.log") }

// Kubeconfig writes the admin's kubeconfig and returns its path.
func (s *Server) Kubeconfig(tb testing.TB) string {
	tb.Helper()
	path := filepath.Join(s.dir, "admin.kubeconfig")
	content := fmt.Sprintf(`apiVersion: v1
kind: Config
clusters: [{name: test, cluster: {server: %q, certificate-authority: %q}}]
users: [{name: admin, user: {token: %q}}]
contexts: [{name: test, context: {cluster: test, user: admin}}]
current-context: test
`, s.admin.Host, s.admin.CAFile, s.admin.BearerToken)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		tb.Fatal(err)
	}
	return path
}

// Stop stops kube-apiserver only and keeps its data. Restart starts it again on the same
// address.
func (s *Server) Stop() { s.proc.stop(stopTimeout) }

// Restart starts a stopped server again and waits until it is ready.
func (s *Server) Restart(tb testing.TB) {
	tb.Helper()
	s.Stop()
	if err := s.run(); err != nil {
		tb.Fatal(err)
	}
	if err := s.waitReady(tb.Context()); err != nil {
		tb.Fatalf("%v\n%s", err, s.logTail())
	}
}

func start(tb testing.TB, opts Options) (*Server, error) {
	binaries, err := Binaries()
	if err != nil {
		return nil, err
	}
	s := &Server{dir: tb.TempDir()}
	address := fmt.Sprintf("127.251.%d.%d", os.Getpid()%250+2, os.Getpid()/250%250+2)
	ports, err := freePorts(address, 3)
	if err != nil {
		return nil, err
	}
	client, peer := fmt.Sprintf("http://%s:%d", address, ports[0]), fmt.Sprintf("http://%s:%d", address, ports[1])
	etcd, err := startProcess(filepath.Join(s.dir, "etcd.log"), filepath.Join(binaries, "etcd"), etcdArguments(s.dir, client, peer)...)
	if err != nil {
		return nil, err
	}
	tb.Cleanup(func() { etcd.stop(stopTimeout) })
	files, err := writeFiles(s.dir, address)
	if err != nil {
		return nil, err
	}
	s.path = filepath.Join(binaries, cmp.Or(opts.Program, "kube-apiserver"))
	s.args = append(files.arguments(address, ports[2], client, s.AuditLog()), opts.Args...)
	s.admin = &rest.Config{
		Host:            fmt.Sprintf("https://%s:%d", address, ports[2]),
		BearerToken:     files.token,
		TLSClientConfig: rest.TLSClientConfig{CAFile: files.cert},
		QPS:             -1, // tests wait for the server, not for a client-side limit
	}
	if err := s.run(); err != nil {
		return nil, err
	}
	tb.Cleanup(func() { s.proc.stop(stopTimeout) })
	return s, nil
}

func (s *Server) run() (err error) {
	s.proc, err = startProcess(s.log(), s.path, s.args...)
	return err
}

func (s *Server) log() string { return filepath.Join(s.dir, "kube-apiserver.log") }

// freePorts returns n free ports. It keeps all listeners open meanwhile, so that the ports
// differ.
func freePorts(address string, n int) ([]int, error) {
	var ports []int
	for range n {
		l, err := net.Listen("tcp", address+":0")
		if err != nil {
			return nil, err
		}
		defer l.Close()
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}

func (s *Server) waitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	client, err := kubernetes.NewForConfig(s.Config())
	if err != nil {
		return err
	}
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		err := usable(ctx, client)
		if err == nil {
			return nil
		}
		select {
		case <-s.proc.done:
			return fmt.Errorf("kube-apiserver exited before it was ready: %s", s.proc.cmd.ProcessState)
		case <-ctx.Done():
			return fmt.Errorf("kube-apiserver is not ready after %s: %w", readyTimeout, errors.Join(err, ctx.Err()))
		case <-tick.C:
		}
	}
}

// usable returns an error until the system namespaces exist. kube-apiserver answers /readyz
// before its own controllers have created them.
func usable(ctx context.Context, client kubernetes.Interface) error {
	if _, err := client.Discovery().RESTClient().Get().AbsPath("/readyz").DoRaw(ctx); err != nil {
		return err
	}
	for _, name := range []string{metav1.NamespaceDefault, metav1.NamespaceSystem, corev1.NamespaceNodeLease} {
		if _, err := client.CoreV1().Namespaces().Get(ctx, name, metav1.GetOptions{}); err != nil {
			return err
		}
	}
	return nil
}

func (s *Server) logTail() string {
	raw, err := os.ReadFile(s.log())
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(string(raw), "\n")
	return strings.Join(lines[max(0, len(lines)-20):], "\n")
}
