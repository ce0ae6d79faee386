package release

import (
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// restGetter is Helm's view of a cluster, based on a configuration in memory. The mapper reads
// discovery once: every cluster has the requested kinds.
type restGetter struct {
	config    *rest.Config
	discovery uncached
	mapper    meta.RESTMapper
}

// uncached provides discovery for callers that require a cache. client-go's cache holds a lock
// while it retries the groups that an API server refused, one after the other, so that an
// unreachable server costs a timeout for each
// (kubernetes/client-go:discovery/cached/memory/memcache.go@v0.37.2,
// ServerResourcesForGroupVersionWithContext).
type uncached struct{ *discovery.DiscoveryClient }

// Fresh implements discovery.CachedDiscoveryInterface: an immediate second request is useless.
func (uncached) Fresh() bool { return true }

// Invalidate implements discovery.CachedDiscoveryInterface.
func (uncached) Invalidate() {}

func newRESTGetter(config *rest.Config) (*restGetter, error) {
	client, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, err
	}
	all := uncached{client}
	return &restGetter{config: config, discovery: all, mapper: restmapper.NewDeferredDiscoveryRESTMapper(all)}, nil
}

// ToRESTConfig implements genericclioptions.RESTClientGetter.
func (g *restGetter) ToRESTConfig() (*rest.Config, error) { return rest.CopyConfig(g.config), nil }

// ToDiscoveryClient implements genericclioptions.RESTClientGetter.
func (g *restGetter) ToDiscoveryClient() (discovery.CachedDiscoveryInterface, error) {
	return g.discovery, nil
}

// ToRESTMapper implements genericclioptions.RESTClientGetter.
func (g *restGetter) ToRESTMapper() (meta.RESTMapper, error) { return g.mapper, nil }

// ToRawKubeConfigLoader implements genericclioptions.RESTClientGetter. Helm reads only the
// namespace from it.
func (g *restGetter) ToRawKubeConfigLoader() clientcmd.ClientConfig {
	return clientcmd.NewDefaultClientConfig(*clientcmdapi.NewConfig(),
		&clientcmd.ConfigOverrides{Context: clientcmdapi.Context{Namespace: wellknown.System}})
}
