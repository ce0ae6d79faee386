package scenario

import (
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// Relay forwards awsmigrate's requests to the API servers of a lab with Rancher, so that a test
// sees each of them.
type Relay struct {
	// Flags hold the kubeconfigs that lead to the relay.
	Flags   []string
	servers []*http.Server
}

// NewRelay starts a relay on loopback addresses and writes its kubeconfigs into the folder dir. wrap
// is called once for each API server, with a handler that forwards a request.
func (l *Lab) NewRelay(dir string, wrap func(http.Handler) http.Handler) (*Relay, error) {
	r := &Relay{}
	for _, one := range []struct{ flag, name string }{{"--kubeconfig", "rancher"}, {"--downstream-kubeconfig", "downstream"}} {
		file := filepath.Join(dir, one.name+"-relayed.yaml")
		if err := r.serve(l.Kubeconfig(one.name), file, wrap); err != nil {
			r.Close()
			return nil, fmt.Errorf("relay requests by %s: %w", one.name, err)
		}
		r.Flags = append(r.Flags, one.flag, file)
	}
	return r, nil
}

// serve forwards to the API server of a kubeconfig, with its credentials.
func (r *Relay) serve(kubeconfig, file string, wrap func(http.Handler) http.Handler) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	transport, err := rest.TransportFor(config)
	if err != nil {
		return err
	}
	base, err := url.Parse(config.Host)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	quiet := log.New(io.Discard, "", 0)
	forward := &httputil.ReverseProxy{
		Transport:     transport,
		FlushInterval: -1,
		ErrorLog:      quiet,
		Rewrite: func(p *httputil.ProxyRequest) {
			p.Out.URL.Scheme, p.Out.URL.Host, p.Out.Host = base.Scheme, base.Host, base.Host
		},
	}
	server := &http.Server{Handler: wrap(forward), ErrorLog: quiet, ReadHeaderTimeout: time.Minute}
	r.servers = append(r.servers, server)
	go func() { _ = server.Serve(listener) }()
	to := clientcmdapi.NewConfig()
	to.Clusters["relay"] = &clientcmdapi.Cluster{Server: "http://" + listener.Addr().String() + base.Path}
	to.Contexts["relay"] = &clientcmdapi.Context{Cluster: "relay"}
	to.CurrentContext = "relay"
	return clientcmd.WriteToFile(*to, file)
}

// Close ends all connections.
func (r *Relay) Close() {
	for _, server := range r.servers {
		_ = server.Close()
	}
}
