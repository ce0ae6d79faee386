package awsccm

import (
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// restGetter is Helm's view of a cluster, made of a configuration in memory.
// Discovery is read once: what is asked for exists in every cluster.
type restGetter struct {
	config *rest.Config
	cached discovery.CachedDiscoveryInterface
	mapper meta.RESTMapper
}

func newRESTGetter(config *rest.Config) (*restGetter, error) {
	client, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, err
	}
	cached := memory.NewMemCacheClient(client)
	return &restGetter{config: config, cached: cached, mapper: restmapper.NewDeferredDiscoveryRESTMapper(cached)}, nil
}

// ToRESTConfig implements genericclioptions.RESTClientGetter.
func (g *restGetter) ToRESTConfig() (*rest.Config, error) { return rest.CopyConfig(g.config), nil }

// ToDiscoveryClient implements genericclioptions.RESTClientGetter.
func (g *restGetter) ToDiscoveryClient() (discovery.CachedDiscoveryInterface, error) {
	return g.cached, nil
}

// ToRESTMapper implements genericclioptions.RESTClientGetter.
func (g *restGetter) ToRESTMapper() (meta.RESTMapper, error) { return g.mapper, nil }

// ToRawKubeConfigLoader implements genericclioptions.RESTClientGetter. Helm asks
// it for the namespace only.
func (g *restGetter) ToRawKubeConfigLoader() clientcmd.ClientConfig {
	return clientcmd.NewDefaultClientConfig(*clientcmdapi.NewConfig(),
		&clientcmd.ConfigOverrides{Context: clientcmdapi.Context{Namespace: Namespace}})
}
