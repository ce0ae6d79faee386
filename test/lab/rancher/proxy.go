package rancher

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"time"

	"k8s.io/client-go/rest"
)

const proxyPrefix = "/k8s/clusters/"

// proxyHandler serves Rancher's address: /k8s/clusters/local is the management cluster,
// /k8s/clusters/<id> a downstream one through its agent. The caller's bearer token passes
// through, or is replaced by one that does (tokens). An unknown ID gets 404, a cluster without
// agent 503, and a far end that does not answer 502.
func (r *Rancher) proxyHandler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/ping", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("pong")) })
	local, localErr := farEnd(r.cfg.Mgmt, r.cfg.Log)
	down, downErr := farEnd(r.cfg.Downstream, r.cfg.Log)
	mux.HandleFunc(proxyPrefix, func(w http.ResponseWriter, req *http.Request) {
		if err := errors.Join(localErr, downErr); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		id, rest, _ := strings.Cut(strings.TrimPrefix(req.URL.Path, proxyPrefix), "/")
		r.mu.Lock()
		isLocal, known := r.clusters[id]
		r.mu.Unlock()
		req.URL.Path, req.URL.RawPath = "/"+rest, ""
		switch {
		case !known:
			http.Error(w, "No cluster available", http.StatusNotFound)
		case bool(isLocal):
			local.ServeHTTP(w, req)
		default:
			r.throughAgent(down, w, req)
		}
	})
	return r.tokens.guard(mux)
}

// throughAgent ends the request when the agent's tunnel ends.
func (r *Rancher) throughAgent(down http.Handler, w http.ResponseWriter, req *http.Request) {
	if !r.agent.waitForAnswer(req.Context()) {
		return
	}
	ctx, done, ok := r.agent.through(req.Context())
	if !ok {
		http.Error(w, "cluster agent disconnected", http.StatusServiceUnavailable)
		return
	}
	defer done()
	down.ServeHTTP(w, req.WithContext(ctx))
}

// farEnd proxies to an API server with its CA and without credentials. It uses HTTP/1.1, since
// upgrades do not work over HTTP/2.
func farEnd(config *rest.Config, log *slog.Logger) (http.Handler, error) {
	anonymous := rest.AnonymousClientConfig(config)
	anonymous.NextProtos = []string{"http/1.1"}
	anonymous.Timeout = 0
	tlsConfig, err := rest.TLSConfigFor(anonymous)
	if err != nil {
		return nil, fmt.Errorf("lab rancher: far end %s: %w", config.Host, err)
	}
	base, err := url.Parse(config.Host)
	if err != nil || base.Host == "" {
		return nil, fmt.Errorf("lab rancher: far end %q is no URL: %w", config.Host, err)
	}
	return &httputil.ReverseProxy{
		Rewrite: func(p *httputil.ProxyRequest) {
			p.Out.URL.Scheme, p.Out.URL.Host, p.Out.Host = base.Scheme, base.Host, base.Host
		},
		Transport: &http.Transport{
			TLSClientConfig: tlsConfig, MaxIdleConnsPerHost: 50, IdleConnTimeout: 10 * time.Second, TLSHandshakeTimeout: 5 * time.Second,
		},
		FlushInterval: -1,
		ErrorLog:      slog.NewLogLogger(log.Handler(), slog.LevelDebug),
		ErrorHandler: func(w http.ResponseWriter, req *http.Request, err error) {
			if errors.Is(err, context.Canceled) && req.Context().Err() != nil {
				http.Error(w, "cluster agent disconnected", http.StatusServiceUnavailable)
				return
			}
			http.Error(w, "error trying to reach service: "+err.Error(), http.StatusBadGateway)
		},
	}, nil
}
