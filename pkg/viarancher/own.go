package viarancher

import (
	"net/url"
	"strings"

	"k8s.io/client-go/rest"
)

// clustersPath is the path of Rancher's proxy to its clusters
// (rancher/rancher:pkg/clusterrouter/router.go@v2.8.5).
const clustersPath = "/k8s/clusters/"

// LocalPath is the end of the address in a kubeconfig that was downloaded from Rancher for the
// management cluster.
const LocalPath = clustersPath + "local"

// Own derives a client configuration for the cluster with that ID from a management address of
// the form <rancher>/k8s/clusters/local, with the same credentials. ok is false if the address
// has another form.
func Own(management *rest.Config, id string) (*rest.Config, bool) {
	server, err := url.Parse(management.Host)
	if err != nil || id == "" || !strings.HasSuffix(strings.TrimSuffix(server.Path, "/"), LocalPath) {
		return nil, false
	}
	server.Path = strings.TrimSuffix(strings.TrimSuffix(server.Path, "/"), "local") + id
	config := rest.CopyConfig(management)
	config.Host = server.String()
	return config, true
}
