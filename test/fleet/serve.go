package fleet

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"strings"
	"time"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

const clustersPath = "/k8s/clusters/"

// serve serves the API servers of all members until ctx ends.
func (f *Fleet) serve(ctx context.Context) error {
	certificate, err := f.authority.Server("127.0.0.1")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: http.HandlerFunc(f.through), TLSConfig: &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12},
		ReadHeaderTimeout: 10 * time.Second, BaseContext: func(net.Listener) context.Context { return ctx }, ErrorLog: log.New(nothing{}, "", 0)}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stop()
	if err := server.ServeTLS(f.listener, "", ""); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("fleet: %w", err)
	}
	return nil
}

// nothing receives the complaints of a server about clients that were killed.
type nothing struct{}

func (nothing) Write(text []byte) (int, error) { return len(text), nil }

// through answers at Rancher's path of a cluster. Without an agent, Rancher answers 503.
func (f *Fleet) through(res http.ResponseWriter, req *http.Request) {
	id, rest, _ := strings.Cut(strings.TrimPrefix(req.URL.Path, clustersPath), "/")
	m := f.byID[id]
	f.served.Add(1)
	switch {
	case m == nil:
		http.Error(res, "No cluster available", http.StatusNotFound)
	case m.away.Load():
		http.Error(res, "cluster agent disconnected", http.StatusServiceUnavailable)
	default:
		req.URL.Path, req.URL.RawPath = "/"+rest, ""
		m.ServeHTTP(res, req)
	}
}

// kubeconfig returns the kubeconfig that Rancher stores for a cluster.
func (f *Fleet) kubeconfig(m *Member) ([]byte, error) {
	return clientcmd.Write(clientcmdapi.Config{
		Clusters:       map[string]*clientcmdapi.Cluster{"cluster": {Server: "https://" + f.listener.Addr().String() + clustersPath + m.id, CertificateAuthorityData: f.authority.CertificatePEM()}},
		AuthInfos:      map[string]*clientcmdapi.AuthInfo{"user": {Token: "kubeconfig-u-simulated"}},
		Contexts:       map[string]*clientcmdapi.Context{"default": {Cluster: "cluster", AuthInfo: "user"}},
		CurrentContext: "default",
	})
}
