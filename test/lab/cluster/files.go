package cluster

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"

	"github.com/awsmigrate/awsmigrate/test/lab/component"
	"github.com/awsmigrate/awsmigrate/test/lab/pki"
	"github.com/awsmigrate/awsmigrate/test/lab/rancher"
)

// The users of both API servers. Operator and viewer have the rights of the lab's roles; the other
// two are system:masters.
const (
	UserAdmin    = "admin"
	UserOperator = "operator"
	UserViewer   = "viewer"
	UserRancher  = "rancher"
)

// Files returns the paths in a lab's folder.
type Files struct{ Dir string }

func (f Files) in(path ...string) string { return filepath.Join(append([]string{f.Dir}, path...)...) }

// Kubeconfig returns the path of one of the lab's kubeconfigs: management, downstream, rancher,
// rancher-viewer.
func (f Files) Kubeconfig(name string) string { return f.in("kubeconfig", name+".yaml") }

// Log returns the path of a process's log file.
func (f Files) Log(process string) string { return f.in("logs", process+".log") }

// AuditLog returns the path of an API server's audit log.
func (f Files) AuditLog(server string) string { return f.in("audit", server+".log") }

func (f Files) tokens() string      { return f.in("pki", "tokens.csv") }
func (f Files) auditPolicy() string { return f.in("pki", "audit-policy.yaml") }
func (f Files) accountKey() string  { return f.in("pki", "service-account.key") }
func (f Files) accountPub() string  { return f.in("pki", "service-account.pub") }
func (f Files) ca(name string) string {
	return f.in("pki", name+"-ca.crt")
}

// secrets holds the lab's authorities, keys and tokens.
type secrets struct {
	downstream, management *pki.CA
	rancher                *rancher.Authority
	accountKey, accountPub []byte
	tokens                 map[string]string // by user
	ssh                    string            // gives rke access to the machines
}

func newSecrets() (*secrets, error) {
	s := &secrets{tokens: map[string]string{}, ssh: newSSHToken()}
	for name, to := range map[string]**pki.CA{
		"lab-downstream": &s.downstream, "lab-management": &s.management,
	} {
		ca, err := pki.NewCA(name)
		if err != nil {
			return nil, err
		}
		*to = ca
	}
	for _, user := range []string{UserAdmin, UserOperator, UserViewer, UserRancher} {
		s.tokens[user] = pki.Token()
	}
	var err error
	if s.rancher, err = rancher.NewAuthority("lab-rancher", time.Now()); err != nil {
		return nil, err
	}
	s.accountKey, s.accountPub, err = pki.ServiceAccountKey()
	return s, err
}

// write creates the folders and the files that processes read.
func (s *secrets) write(f Files) error {
	for _, dir := range []string{"pki", "kubeconfig", "logs", "audit", "nodes"} {
		if err := os.MkdirAll(f.in(dir), 0o755); err != nil {
			return err
		}
	}
	var tokens strings.Builder
	for _, user := range []string{UserAdmin, UserOperator, UserViewer, UserRancher} {
		line := s.tokens[user] + "," + user + "," + user
		if user == UserAdmin || user == UserRancher {
			line += ",system:masters"
		}
		tokens.WriteString(line + "\n")
	}
	for path, content := range map[string][]byte{
		f.tokens():         []byte(tokens.String()),
		f.auditPolicy():    []byte(component.AuditPolicy),
		f.accountKey():     s.accountKey,
		f.accountPub():     s.accountPub,
		f.ca("downstream"): s.downstream.CertPEM,
		f.ca("management"): s.management.CertPEM,
		f.ca("rancher"):    s.rancher.CertificatePEM(),
	} {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// config returns a user's client configuration for an address under an authority.
func (s *secrets) config(ca []byte, url, user string) *rest.Config {
	return &rest.Config{
		Host: url, BearerToken: s.tokens[user],
		TLSClientConfig: rest.TLSClientConfig{CAData: ca},
		QPS:             -1, // no client-side limit slows the stand-ins
	}
}

func (s *secrets) writeKubeconfigs(f Files, a Addresses, d Distro) error {
	configs := map[string]*rest.Config{
		"management":     s.config(s.management.CertPEM, "https://"+a.Management(), UserAdmin),
		"downstream":     s.config(s.downstream.CertPEM, "https://"+a.Balanced(), UserAdmin),
		"rancher":        s.config(s.rancher.CertificatePEM(), "https://"+a.Proxy()+"/k8s/clusters/local", UserOperator),
		"rancher-viewer": s.config(s.rancher.CertificatePEM(), "https://"+a.Proxy()+"/k8s/clusters/local", UserViewer),
	}
	if d == RKE {
		configs = map[string]*rest.Config{
			"downstream":        configs["downstream"],
			"downstream-viewer": s.config(s.downstream.CertPEM, "https://"+a.Balanced(), UserViewer),
		}
	}
	for name, c := range configs {
		if err := writeKubeconfig(f.Kubeconfig(name), name, c); err != nil {
			return fmt.Errorf("writing kubeconfig %s: %w", name, err)
		}
	}
	return nil
}

func writeKubeconfig(path, name string, c *rest.Config) error {
	config := api.NewConfig()
	config.Clusters[name] = &api.Cluster{Server: c.Host, CertificateAuthorityData: c.CAData}
	config.AuthInfos[name] = &api.AuthInfo{Token: c.BearerToken}
	config.Contexts[name] = &api.Context{Cluster: name, AuthInfo: name}
	config.CurrentContext = name
	return clientcmd.WriteToFile(*config, path)
}
