// Package component describes how the lab starts etcd and kube-apiserver: the program and its
// arguments. It starts nothing and writes no files.
package component

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"

	"github.com/awsmigrate/awsmigrate/test/lab/proc"
)

// DirVariable names the folder of the real Kubernetes binaries.
const DirVariable = "AWSMIGRATE_LAB_BIN"

// Dir returns the folder that `make lab-binaries` fills: DirVariable, or lab.d next to this
// program, or bin/lab.d in this repository.
func Dir() (string, error) {
	dir, err := find()
	if err != nil {
		return "", err
	}
	for _, name := range []string{"etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubectl", "helm-controller"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			return "", fmt.Errorf("the lab's binaries: %w; run `make lab-binaries` or set %s", err, DirVariable)
		}
	}
	return dir, nil
}

func find() (string, error) {
	if dir := os.Getenv(DirVariable); dir != "" {
		return dir, nil
	}
	if self, err := os.Executable(); err == nil {
		beside := filepath.Join(filepath.Dir(self), "lab.d")
		if _, err := os.Stat(beside); err == nil {
			return beside, nil
		}
	}
	_, file, _, ok := runtime.Caller(0)
	if !ok || !filepath.IsAbs(file) {
		return "", errors.New("the lab's binaries: set " + DirVariable + " (this program was built without source paths)")
	}
	return filepath.Join(filepath.Dir(file), "..", "..", "..", "bin", "lab.d"), nil
}

// Etcd is a single-member etcd.
type Etcd struct {
	Binaries   string // folder, see Dir
	Name       string // of the process
	DataDir    string
	Log        string
	Address    string // loopback address to bind
	ClientPort int
	PeerPort   int
}

// Spec returns the process. Data is not synced to disk: the lab's clusters are temporary, and
// fsync on a shared disk makes leases expire.
func (e Etcd) Spec() proc.Spec {
	client := fmt.Sprintf("http://%s:%d", e.Address, e.ClientPort)
	peer := fmt.Sprintf("http://%s:%d", e.Address, e.PeerPort)
	return proc.Spec{
		Name: e.Name, Kind: "etcd", Path: filepath.Join(e.Binaries, "etcd"), Log: e.Log,
		Args: []string{
			"--name=lab",
			"--data-dir=" + e.DataDir,
			"--unsafe-no-fsync",
			"--listen-client-urls=" + client, "--advertise-client-urls=" + client,
			"--listen-peer-urls=" + peer, "--initial-advertise-peer-urls=" + peer,
			"--initial-cluster=lab=" + peer,
			"--log-level=warn",
		},
	}
}

// APIServer is one kube-apiserver.
type APIServer struct {
	Binaries       string
	Name           string
	Hostname       string // own host name, whose hash is in its identity Lease
	Node           string
	Log            string
	Address        string // loopback address to bind
	Port           int
	EtcdURL        string
	EtcdPrefix     string // /registry if empty
	CertFile       string
	KeyFile        string
	ClientCAFile   string
	TokenFile      string
	AccountKey     string // private key of service-account tokens
	AccountPublic  string // its public half
	AuditPolicy    string // file, see AuditPolicy
	AuditLog       string
	ExtraArguments []string
}

// AuditPolicy is the content of the policy file: each request is recorded once, with its user,
// verb and object.
const AuditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: Metadata
`

// Spec returns the process. The `kubernetes` Endpoints object refuses loopback addresses, so no
// reconciler is set (--endpoint-reconciler-type=none).
func (a APIServer) Spec() proc.Spec {
	prefix := a.EtcdPrefix
	if prefix == "" {
		prefix = "/registry"
	}
	args := []string{
		"--bind-address=" + a.Address,
		"--advertise-address=" + a.Address,
		"--secure-port=" + strconv.Itoa(a.Port),
		"--endpoint-reconciler-type=none",
		"--etcd-servers=" + a.EtcdURL,
		"--etcd-prefix=" + prefix,
		"--tls-cert-file=" + a.CertFile,
		"--tls-private-key-file=" + a.KeyFile,
		"--client-ca-file=" + a.ClientCAFile,
		"--token-auth-file=" + a.TokenFile,
		"--authorization-mode=Node,RBAC",
		"--allow-privileged=true",
		"--service-account-issuer=https://kubernetes.default.svc.cluster.local",
		"--service-account-signing-key-file=" + a.AccountKey,
		"--service-account-key-file=" + a.AccountPublic,
		"--service-cluster-ip-range=10.43.0.0/16",
		"--audit-policy-file=" + a.AuditPolicy,
		"--audit-log-path=" + a.AuditLog,
		"--profiling=false",
	}
	return proc.Spec{
		Name: a.Name, Kind: "kube-apiserver", Node: a.Node, Hostname: a.Hostname, Log: a.Log,
		Path: filepath.Join(a.Binaries, "kube-apiserver"),
		Args: append(args, a.ExtraArguments...),
	}
}
