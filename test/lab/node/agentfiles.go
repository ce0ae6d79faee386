package node

import (
	"crypto/tls"
	"path"

	"github.com/awsmigrate/awsmigrate/test/lab/pki"
)

const etcdDir = dataDir + "/server/db/etcd"

// writePair writes a certificate and its key, unless they exist.
func (a *Agent) writePair(file string, sign func() (pki.Pair, error)) error {
	if a.fs.exists(file + ".crt") {
		return nil
	}
	made, err := sign()
	if err != nil {
		return err
	}
	if err := a.fs.write(file+".crt", made.Cert); err != nil {
		return err
	}
	return a.fs.write(file+".key", made.Key)
}

func (a *Agent) writeEtcdFiles() error {
	if !a.c.Roles.Etcd {
		return a.writePair(tlsFile("etcd/client"), a.etcdClient)
	}
	if err := a.fs.write(etcdNameFile, []byte(a.etcdName())); err != nil {
		return err
	}
	for _, name := range []string{"server-ca", "peer-ca"} {
		if err := a.fs.write(tlsFile("etcd/"+name+".crt"), a.c.CA.CertPEM); err != nil {
			return err
		}
	}
	peer := func() (pki.Pair, error) { return a.c.CA.Peer("etcd", a.c.PrivateIP, "127.0.0.1", "localhost") }
	for _, name := range []string{"server-client", "peer-server-client"} {
		if err := a.writePair(tlsFile("etcd/"+name), peer); err != nil {
			return err
		}
	}
	return a.writePair(tlsFile("etcd/client"), a.etcdClient)
}

func (a *Agent) etcdClient() (pki.Pair, error) { return a.c.CA.Client("etcd-client") }

// etcdName is the member's name: k3s' is the host name and random letters.
func (a *Agent) etcdName() string { return a.c.OSHostname + "-" + planChecksum([]byte(a.c.Name))[:8] }

// writeAgentFiles writes the files below RKE2's agent folder. The kubelet's certificates have the
// node's name, so they are new at every start, as k3s requests them.
func (a *Agent) writeAgentFiles(nodeName string) error {
	for _, name := range []string{"server-ca.crt", "client-ca.crt"} {
		if err := a.fs.write(path.Join(agentDir, name), a.c.CA.CertPEM); err != nil {
			return err
		}
	}
	serving, err := a.c.CA.Server(nodeName, nodeName, a.c.PrivateIP, "127.0.0.1", "localhost")
	if err != nil {
		return err
	}
	if err := a.fs.write(path.Join(agentDir, "serving-kubelet.crt"), serving.Cert); err != nil {
		return err
	}
	if err := a.fs.write(path.Join(agentDir, "serving-kubelet.key"), serving.Key); err != nil {
		return err
	}
	if err := a.writeAgentKubeconfig("kubelet.kubeconfig", "system:node:"+nodeName, "system:nodes"); err != nil {
		return err
	}
	if a.fs.exists(path.Join(agentDir, "kubeproxy.kubeconfig")) {
		return nil // a new one would change the static pod
	}
	return a.writeAgentKubeconfig("kubeproxy.kubeconfig", "system:kube-proxy")
}

func (a *Agent) writeAgentKubeconfig(name, user string, groups ...string) error {
	pair, err := a.c.CA.Client(user, groups...)
	if err != nil {
		return err
	}
	return a.fs.write(path.Join(agentDir, name), certKubeconfig("https://"+a.apiServer(), a.c.CA.CertPEM, pair.Cert, pair.Key))
}

// adminCertificate is RKE2's own for its API server.
func (a *Agent) adminCertificate() (*tls.Certificate, error) {
	pair, err := a.c.CA.Client("system:rke2", "system:masters")
	if err != nil {
		return nil, err
	}
	cert, err := tls.X509KeyPair(pair.Cert, pair.Key)
	return &cert, err
}
