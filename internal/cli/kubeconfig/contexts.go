package kubeconfig

import (
	"maps"
	"net/url"
	"slices"

	"k8s.io/client-go/tools/clientcmd"
)

// Context is a context of a kubeconfig, with its host.
type Context struct{ Name, Host string }

// Contexts returns the contexts of a file, or of the default ones if path is empty. An unreadable
// file has no contexts.
func Contexts(path string) []Context {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.MigrationRules = nil // they would write
	rules.ExplicitPath = path
	file, err := rules.Load()
	if err != nil {
		return nil
	}
	var found []Context
	for _, name := range slices.Sorted(maps.Keys(file.Contexts)) {
		one := Context{Name: name}
		if cluster := file.Clusters[file.Contexts[name].Cluster]; cluster != nil {
			one.Host = host(cluster.Server)
		}
		found = append(found, one)
	}
	return found
}

// host returns the host of an address, without any password.
func host(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}
