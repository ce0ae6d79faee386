package apiserver

import (
	"crypto/rand"
	"fmt"
	"net"
	"os"
	"path/filepath"

	"k8s.io/client-go/util/cert"
	"k8s.io/client-go/util/keyutil"
)

// auditPolicy records user, verb and object once per request.
const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: Metadata
`

const (
	serviceRange = "10.43.0.0/16"
	// ServiceIP is the address of the Service kubernetes, for which the server has a certificate.
	ServiceIP = "10.43.0.1"
)

// files holds the paths of the files that kube-apiserver reads.
type files struct {
	cert, key, accountKey, tokens, policy string
	token                                 string // the admin's, in tokens
}

// writeFiles creates the certificate, the keys and the admin's token.
func writeFiles(dir, address string) (files, error) {
	in := func(name string) string { return filepath.Join(dir, name) }
	f := files{
		cert: in("tls.crt"), key: in("tls.key"), accountKey: in("sa.key"), tokens: in("tokens.csv"), policy: in("audit-policy.yaml"),
		token: rand.Text(),
	}
	// The certificate file contains the CA, too.
	certificate, key, err := cert.GenerateSelfSignedCertKey(address, []net.IP{net.ParseIP(ServiceIP)}, []string{"kubernetes.default.svc"})
	if err != nil {
		return f, err
	}
	account, err := keyutil.MakeEllipticPrivateKeyPEM()
	if err != nil {
		return f, err
	}
	for path, content := range map[string][]byte{
		f.cert: certificate, f.key: key, f.accountKey: account, f.policy: []byte(auditPolicy),
		f.tokens: []byte(f.token + ",admin,admin,system:masters\n"),
	} {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			return f, err
		}
	}
	return f, nil
}

// arguments returns kube-apiserver's arguments. The `kubernetes` Endpoints object refuses
// loopback addresses, so its reconciler is off (--endpoint-reconciler-type=none).
func (f files) arguments(address string, port int, etcd, auditLog string) []string {
	return []string{
		"--bind-address=" + address,
		"--advertise-address=" + address,
		fmt.Sprintf("--secure-port=%d", port),
		"--endpoint-reconciler-type=none",
		"--etcd-servers=" + etcd,
		"--tls-cert-file=" + f.cert,
		"--tls-private-key-file=" + f.key,
		"--client-ca-file=" + f.cert,
		"--token-auth-file=" + f.tokens,
		"--authorization-mode=Node,RBAC",
		"--disable-admission-plugins=ServiceAccount",
		"--allow-privileged=true",
		"--service-account-issuer=https://kubernetes.default.svc.cluster.local",
		"--service-account-signing-key-file=" + f.accountKey,
		"--service-account-key-file=" + f.accountKey,
		"--service-cluster-ip-range=" + serviceRange,
		"--audit-policy-file=" + f.policy,
		"--audit-log-path=" + auditLog,
		"--profiling=false",
	}
}

// etcdArguments returns the arguments of a single etcd member. It does not sync its temporary
// data, since a slow fsync on a shared disk makes leases expire.
func etcdArguments(dir, client, peer string) []string {
	return []string{
		"--name=test",
		"--data-dir=" + filepath.Join(dir, "etcd"),
		"--unsafe-no-fsync",
		"--listen-client-urls=" + client, "--advertise-client-urls=" + client,
		"--listen-peer-urls=" + peer, "--initial-advertise-peer-urls=" + peer,
		"--initial-cluster=test=" + peer,
		"--log-level=warn",
	}
}
