package node

import (
	"fmt"
	"path"

	"github.com/awsmigrate/awsmigrate/test/lab/component"
	"github.com/awsmigrate/awsmigrate/test/lab/pki"
)

// rkeTLS is the folder for the keys and kubeconfigs of rke's certificate deployer.
const rkeTLS = "/etc/kubernetes/ssl"

// writeRKEFiles writes the files that rke deploys to a host before its containers start.
// Existing files are kept. The real rke writes them in each run, from its state; here they
// exist from the beginning.
func (a *Agent) writeRKEFiles() error {
	files := map[string][]byte{
		"/etc/kubernetes/admission.yaml":                []byte(defaultPodSecurity),
		"/etc/kubernetes/audit-policy.yaml":             []byte(component.AuditPolicy),
		rkeTLS + "/kube-ca.pem":                         a.c.CA.CertPEM,
		rkeTLS + "/kube-apiserver-requestheader-ca.pem": a.c.CA.CertPEM,
		rkeTLS + "/kube-service-account-token-key.pem":  a.c.ServiceAccountKey,
	}
	hosts := []string{a.c.IP, a.c.PrivateIP, "127.0.0.1", "localhost", "10.43.0.1", "kubernetes", "kubernetes.default", "kubernetes.default.svc"}
	if host := hostOf(a.c.BalancedAddress); host != "" {
		hosts = append(hosts, host)
	}
	for _, one := range []struct {
		name, user string
		groups     []string
		server     bool
		kubeconfig bool
	}{
		{name: "kube-apiserver", user: "system:kube-apiserver", groups: []string{"system:masters"}, server: true},
		{name: "kube-apiserver-client", user: "system:kube-apiserver", groups: []string{"system:masters"}},
		{name: "kube-apiserver-proxy-client", user: "system:kube-apiserver-proxy-client"},
		{name: "kube-node", user: "system:node", groups: []string{"system:nodes"}},
		{name: "kube-controller-manager", user: "system:kube-controller-manager", kubeconfig: true},
		{name: "kube-scheduler", user: "system:kube-scheduler", kubeconfig: true},
	} {
		if a.fs.exists(rkeTLS + "/" + one.name + ".pem") {
			continue
		}
		var pair pki.Pair
		var err error
		if one.server {
			pair, err = a.c.CA.Server(one.user, hosts...)
		} else {
			pair, err = a.c.CA.Client(one.user, one.groups...)
		}
		if err != nil {
			return fmt.Errorf("machine %s: certificate of %s: %w", a.c.Name, one.name, err)
		}
		files[rkeTLS+"/"+one.name+".pem"], files[rkeTLS+"/"+one.name+"-key.pem"] = pair.Cert, pair.Key
		if one.kubeconfig {
			files[rkeTLS+"/kubecfg-"+one.name+".yaml"] = certKubeconfig("https://"+a.c.IP+":6443", a.c.CA.CertPEM, pair.Cert, pair.Key)
		}
	}
	for name, content := range files {
		if err := a.fs.write(path.Clean(name), content); err != nil {
			return err
		}
	}
	return nil
}
