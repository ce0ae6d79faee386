package node

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"path"

	"github.com/awsmigrate/awsmigrate/test/lab/pki"
)

// writeServerFiles writes the files that rke2-server has under /var/lib/rancher/rke2 before its
// components start. Existing certificates are kept, because a new one would change the
// manifests.
func (a *Agent) writeServerFiles() error {
	for _, step := range []func() error{a.writeAuthorities, a.writeCertificates, a.writeEtcdFiles, a.writeKubeconfigs, a.writeSettings} {
		if err := step(); err != nil {
			return fmt.Errorf("machine %s: laying down RKE2's files: %w", a.c.Name, err)
		}
	}
	return nil
}

func (a *Agent) writeAuthorities() error {
	for _, name := range []string{"server-ca", "client-ca", "request-header-ca"} {
		for file, content := range map[string][]byte{
			name + ".crt": a.c.CA.CertPEM, name + ".nochain.crt": a.c.CA.CertPEM, name + ".key": a.c.CA.KeyPEM,
		} {
			if err := a.fs.write(tlsFile(file), content); err != nil {
				return err
			}
		}
	}
	for _, file := range []string{"service.key", "service.current.key"} {
		if err := a.fs.write(tlsFile(file), a.c.ServiceAccountKey); err != nil {
			return err
		}
	}
	return nil
}

func (a *Agent) writeCertificates() error {
	hosts := []string{a.c.IP, a.c.PrivateIP, "127.0.0.1", "localhost", "10.43.0.1", "kubernetes", "kubernetes.default", "kubernetes.default.svc"}
	if host := hostOf(a.c.BalancedAddress); host != "" {
		hosts = append(hosts, host)
	}
	for _, pair := range []struct {
		file, name string
		groups     []string
		server     bool
	}{
		{"serving-kube-apiserver", "kube-apiserver", nil, true},
		{"client-kube-apiserver", "kube-apiserver", []string{"system:masters"}, false},
		{"client-auth-proxy", "system:auth-proxy", nil, false},
	} {
		sign := func() (pki.Pair, error) { return a.c.CA.Client(pair.name, pair.groups...) }
		if pair.server {
			sign = func() (pki.Pair, error) { return a.c.CA.Server(pair.name, hosts...) }
		}
		if err := a.writePair(tlsFile(pair.file), sign); err != nil {
			return err
		}
	}
	return nil
}

// writeKubeconfigs points components to this machine's API server. The users are RKE2's: an
// admin would hide the missing right to the migration lease.
func (a *Agent) writeKubeconfigs() error {
	for file, user := range map[string]string{
		"controller.kubeconfig":       "system:kube-controller-manager",
		"scheduler.kubeconfig":        "system:kube-scheduler",
		"cloud-controller.kubeconfig": "rke2-cloud-controller-manager",
	} {
		name := path.Join(serverCred, file)
		if a.fs.exists(name) {
			continue
		}
		pair, err := a.c.CA.Client(user)
		if err != nil {
			return err
		}
		content := certKubeconfig("https://"+a.apiServer(), a.c.CA.CertPEM, pair.Cert, pair.Key)
		if err := a.fs.write(name, content); err != nil {
			return err
		}
	}
	return nil
}

// apiServer returns the address of this machine's API server, or of its way to the others'.
func (a *Agent) apiServer() string {
	if a.c.Real != nil {
		return "127.0.0.1:6443"
	}
	return a.c.IP + ":6443"
}

func (a *Agent) writeSettings() error {
	secret := sha256.Sum256(a.c.CA.KeyPEM) // the same on every server of the cluster
	for file, content := range map[string]string{
		psaConfig:        defaultPodSecurity,
		egressConfigFile: egressConfig,
		serverCred + "/encryption-config.json": fmt.Sprintf(encryptionConfig,
			base64.StdEncoding.EncodeToString(secret[:])),
	} {
		if err := a.fs.write(file, []byte(content)); err != nil {
			return err
		}
	}
	return nil
}

const encryptionConfig = `{"kind":"EncryptionConfiguration","apiVersion":"apiserver.config.k8s.io/v1","resources":[{"resources":["secrets"],"providers":[{"aescbc":{"keys":[{"name":"aescbckey","secret":%q}]}},{"identity":{}}]}]}`

// defaultPodSecurity is the file that RKE2 writes without a CIS profile: privileged.
const defaultPodSecurity = `apiVersion: apiserver.config.k8s.io/v1
kind: AdmissionConfiguration
plugins:
- name: PodSecurity
  configuration:
    apiVersion: pod-security.admission.config.k8s.io/v1beta1
    kind: PodSecurityConfiguration
    defaults:
      enforce: "privileged"
      enforce-version: "latest"
    exemptions:
      usernames: []
      runtimeClasses: []
      namespaces: []
`

const egressConfigFile = dataDir + "/server/etc/egress-selector-config.yaml"

// egressConfig is RKE2's with egress-selector-mode disabled: the lab has no tunnel to agents.
const egressConfig = `{"kind":"EgressSelectorConfiguration","apiVersion":"apiserver.k8s.io/v1beta1","egressSelections":[{"name":"cluster","connection":{"proxyProtocol":"Direct"}}]}`
