package viarancher

import (
	"net/url"
	"strings"

	"k8s.io/client-go/rest"
)

// clustersPath is where Rancher's proxy has its clusters
// (rancher/rancher:pkg/clusterrouter/router.go@v2.8.5).
const clustersPath = "/k8s/clusters/"

// LocalPath is what a kubeconfig downloaded from Rancher for the management cluster
// ends with.
const LocalPath = clustersPath + "local"

// Own derives the way to the cluster of that id from a management address of the form
// <rancher>/k8s/clusters/local, with the same credentials; false where the address has
// another form.
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
