package rke

import (
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/awsmigrate/awsmigrate/test/lab/pki"
)

// Names of certificates that rke itself uses.
const (
	certCA    = "kube-ca"
	certAdmin = "kube-admin"
)

// NewBundle makes the certificates of a new cluster under an authority. Only kube-ca and
// kube-admin are used: the machines have their own.
func NewBundle(ca *pki.CA, accountKey []byte) (map[string]Certificate, error) {
	out := map[string]Certificate{
		certCA:                       certificate(certCA, "kube-ca", "", pki.Pair{Cert: ca.CertPEM, Key: ca.KeyPEM}),
		"kube-service-account-token": certificate("kube-service-account-token", "kube-service-account-token", "", pki.Pair{Key: accountKey}),
	}
	for _, one := range []struct{ name, common, organization string }{
		{"kube-apiserver-requestheader-ca", "system:kube-apiserver-requestheader-ca", ""}, {"kube-apiserver", "system:kube-apiserver", ""},
		{"kube-controller-manager", "system:kube-controller-manager", ""}, {"kube-scheduler", "system:kube-scheduler", ""},
		{"kube-proxy", "system:kube-proxy", ""}, {"kube-node", "system:node", "system:nodes"},
		{"kube-apiserver-proxy-client", "system:kube-apiserver-proxy-client", ""}, {certAdmin, "kube-admin", "system:masters"},
	} {
		var groups []string
		if one.organization != "" {
			groups = []string{one.organization}
		}
		pair, err := ca.Client(one.common, groups...)
		if err != nil {
			return nil, fmt.Errorf("certificate %s: %w", one.name, err)
		}
		out[one.name] = certificate(one.name, one.common, one.organization, pair)
	}
	return out, nil
}

func certificate(name, common, organization string, pair pki.Pair) Certificate {
	env := strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
	return Certificate{
		CertificatePEM: string(pair.Cert), KeyPEM: string(pair.Key), Name: name, CommonName: common, OUName: organization,
		EnvName: env, KeyEnvName: env + "_KEY", Path: ssl + name + ".pem", KeyPath: ssl + name + "-key.pem",
	}
}

// adminKubeconfig returns kube_config_cluster.yml (rancher/rke:pki/kubeconfig.go@v1.5.10).
func adminKubeconfig(server, cluster string, bundle map[string]Certificate) string {
	b64 := func(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }
	ca, admin := bundle[certCA], bundle[certAdmin]
	return fmt.Sprintf(`apiVersion: v1
kind: Config
clusters:
- cluster:
    api-version: v1
    certificate-authority-data: %s
    server: "%s"
  name: "%[3]s"
contexts:
- context:
    cluster: "%[3]s"
    user: "kube-admin-%[3]s"
  name: "%[3]s"
current-context: "%[3]s"
users:
- name: "kube-admin-%[3]s"
  user:
    client-certificate-data: %[4]s
    client-key-data: %[5]s`, b64(ca.CertificatePEM), server, cluster, b64(admin.CertificatePEM), b64(admin.KeyPEM))
}
