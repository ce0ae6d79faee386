package rke

import (
	"encoding/json"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/rke/clusterfile"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkestate"
	"github.com/awsmigrate/awsmigrate/pkg/verify/bundle"
)

// redactFacts returns a copy with only the values that checks judge. Arguments that no check
// reads keep their name, and their value becomes a mark. Equal values have equal marks.
func redactFacts(r *bundle.Redactor, f rkestate.Facts) rkestate.Facts {
	out := rkestate.Facts{Path: f.Path, Binary: bundle.Unread(f.Binary), PinnedVolumes: bundle.Unread(f.PinnedVolumes), Config: redactConfig(r, f.Config)}
	out.State.Source, out.State.Current.Known = f.State.Source, f.State.Current.Known
	out.State.Current.Config = redactState(r, f.State.Current.Config)
	return out
}

func redactConfig(r *bundle.Redactor, c clusterfile.Config) clusterfile.Config {
	s := c.Services
	out := clusterfile.Config{
		ClusterName: c.ClusterName, KubernetesVersion: c.KubernetesVersion, UpgradeStrategy: c.UpgradeStrategy,
		SystemImages: scrubImages(c.SystemImages), SystemImagesKubernetes: bundle.Scrub(c.SystemImagesKubernetes),
		Services: clusterfile.Services{
			Etcd: redactService(r, s.Etcd), KubeAPI: redactService(r, s.KubeAPI), KubeController: redactService(r, s.KubeController),
			Scheduler: redactService(r, s.Scheduler), Kubelet: redactService(r, s.Kubelet), Kubeproxy: redactService(r, s.Kubeproxy),
		},
		CloudProvider: clusterfile.CloudProvider{Name: c.CloudProvider.Name,
			UseInstanceMetadataHostname: c.CloudProvider.UseInstanceMetadataHostname, Custom: r.Mark(c.CloudProvider.Custom), Blocks: c.CloudProvider.Blocks},
	}
	if aws := c.CloudProvider.AWS; aws != nil { // checks only use its presence and the number of overrides
		out.CloudProvider.AWS = &clusterfile.AWSCloudProvider{}
		for name := range aws.ServiceOverride {
			if out.CloudProvider.AWS.ServiceOverride == nil {
				out.CloudProvider.AWS.ServiceOverride = map[string]clusterfile.AWSServiceOverride{}
			}
			out.CloudProvider.AWS.ServiceOverride[r.Mark(name)] = clusterfile.AWSServiceOverride{}
		}
	}
	for _, n := range c.Nodes {
		out.Nodes = append(out.Nodes, clusterfile.Node{NodeName: n.NodeName, Address: n.Address, InternalAddress: n.InternalAddress,
			Role: n.Role, HostnameOverride: n.HostnameOverride})
	}
	return out
}

func redactService(r *bundle.Redactor, s clusterfile.Service) clusterfile.Service {
	return clusterfile.Service{ExtraArgs: redactArgs(r, s.ExtraArgs), ExtraArgsArray: redactArrays(r, s.ExtraArgsArray)}
}

func redactState(r *bundle.Redactor, c rkestate.Config) rkestate.Config {
	service := func(s rkestate.Service) rkestate.Service {
		return rkestate.Service{ExtraArgs: redactArgs(r, s.ExtraArgs), ExtraArgsArray: redactArrays(r, s.ExtraArgsArray),
			ClusterCIDR: s.ClusterCIDR, ServiceClusterIPRange: s.ServiceClusterIPRange}
	}
	out := rkestate.Config{ClusterName: c.ClusterName, KubernetesVersion: c.KubernetesVersion, Nodes: c.Nodes, SystemImages: scrubImages(c.SystemImages),
		CloudProvider: rkestate.Provider{Name: c.CloudProvider.Name, UseInstanceMetadataHostname: c.CloudProvider.UseInstanceMetadataHostname,
			Custom: r.Mark(c.CloudProvider.Custom)},
		Services: rkestate.Services{KubeController: service(c.Services.KubeController), KubeAPI: service(c.Services.KubeAPI),
			Kubelet: service(c.Services.Kubelet), Kubeproxy: service(c.Services.Kubeproxy)}}
	if text := string(c.CloudProvider.AWS); text != "" && text != "null" {
		out.CloudProvider.AWS = json.RawMessage("{}")
	}
	return out
}

func redactArgs(r *bundle.Redactor, args map[string]string) map[string]string {
	if args == nil {
		return nil
	}
	out := map[string]string{}
	for key, value := range args {
		out[key] = redactValue(r, key, value)
	}
	return out
}

func redactArrays(r *bundle.Redactor, args map[string][]string) map[string][]string {
	if args == nil {
		return nil
	}
	out := map[string][]string{}
	for key, values := range args {
		out[key] = make([]string, len(values))
		for i, value := range values {
			out[key][i] = redactValue(r, key, value)
		}
	}
	return out
}

// redactValue returns the value redacted for the flag that the key denotes in any notation.
func redactValue(r *bundle.Redactor, key, value string) string {
	name := clusterfile.FlagName(key)
	return strings.TrimPrefix(r.Argument(name+"="+value), name+"=")
}

// scrubImages returns system images without credentials in their names.
func scrubImages(all map[string]string) map[string]string {
	out := map[string]string{}
	for key, image := range all {
		out[key] = bundle.Scrub(image)
	}
	return out
}
