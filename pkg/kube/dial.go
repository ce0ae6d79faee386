package kube

import (
	"context"
	"crypto/tls"
	"net"
	"net/url"
	"slices"
	"time"

	"k8s.io/client-go/rest"
)

// dialTimeout limits one attempt to connect, so that the next address is tried within the timeout
// of a request.
const dialTimeout = 5 * time.Second

// DialOthers makes clients of config connect to another of hosts while its own server accepts no
// connection. All hosts serve one API on one port. Another one is used only if its certificate
// is also valid for config's own server, as rke's certificate is, which names all control planes
// (rancher/rke:pki/services.go@v1.5.9, GenerateKubeAPICertificate). Otherwise the error stays that of
// the own server, which is transient.
//
// It changes nothing if the server is none of hosts: it is then a load balancer or a proxy, which
// knows better.
func DialOthers(config *rest.Config, hosts []string) {
	server, err := url.Parse(config.Host)
	if err != nil || server.Scheme != "https" || config.Dial != nil || !slices.Contains(hosts, server.Hostname()) {
		return
	}
	verify, err := verification(config, server.Hostname())
	if err != nil {
		return // every client of config fails with that error
	}
	port := portOf(server)
	own := net.JoinHostPort(server.Hostname(), port)
	others := slices.DeleteFunc(slices.Clone(hosts), func(host string) bool { return host == server.Hostname() })
	dialer := &net.Dialer{Timeout: dialTimeout, KeepAlive: 30 * time.Second}
	config.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		connection, err := dialer.DialContext(ctx, network, address)
		if err == nil || address != own {
			return connection, err
		}
		for _, host := range others {
			other := net.JoinHostPort(host, port)
			if !serves(ctx, dialer, other, verify) {
				continue
			}
			if connection, failed := dialer.DialContext(ctx, network, other); failed == nil {
				return connection, nil
			}
		}
		return nil, err
	}
}

// verification returns the TLS settings of config for a server of that name.
func verification(config *rest.Config, name string) (*tls.Config, error) {
	settings, err := rest.TLSConfigFor(config)
	if err != nil {
		return nil, err
	}
	if settings == nil {
		settings = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	if settings.ServerName == "" {
		settings.ServerName = name
	}
	return settings, nil
}

// serves reports whether a server accepts a connection and proves its name.
func serves(ctx context.Context, dialer *net.Dialer, address string, verify *tls.Config) bool {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	connection, err := (&tls.Dialer{NetDialer: dialer, Config: verify}).DialContext(ctx, "tcp", address)
	return err == nil && connection.Close() == nil
}

func portOf(server *url.URL) string {
	if port := server.Port(); port != "" {
		return port
	}
	return "443"
}
