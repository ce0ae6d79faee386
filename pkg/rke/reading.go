package rke

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkestate"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// ReadingOf combines file, state and cluster. unfinishedReason is the reason why `rke up` must run
// again, or empty.
func ReadingOf(f rkestate.Facts, down downstream.Cluster, unfinishedReason string) migration.Reading {
	current := f.State.Current.Config
	r := migration.Reading{Object: "cluster of " + f.Path, Version: f.KubernetesVersion(), ControlPlaneLabel: wellknown.RKE.ControlPlaneLabel(), ProviderSource: "rke's state says provider",
		Unsupported: requireApplied(f), InstalledAs: migration.InstallHelm}
	if unfinishedReason != "" {
		r.Pending = append(r.Pending, migration.PendingCondition{Object: "rke", Seen: unfinishedReason, Wanted: "a finished `rke up`"})
		r.Recorded = true
	}
	if f.Config.UpgradeStrategy.Drains() {
		r.CordonSkip = "rke drains nodes while it rolls (upgrade_strategy.drain), and uncordons what it visits"
	}
	args := kcmArgs(current)
	for _, host := range current.Nodes {
		m := migration.Member{Name: host.Address, Kind: "host", ControlPlane: slices.Contains(host.Role, "controlplane"),
			Worker: slices.Contains(host.Role, "worker")}
		if node := NodeOf(host, down.Nodes); node != nil {
			m.Nodes, m.Name = []string{node.Name}, node.Name
		}
		m.Kubelet, m.Why = kubeletOf(current, unfinishedReason, m)
		r.Members = append(r.Members, m)
		if !m.ControlPlane {
			continue
		}
		k := migration.KCM{Member: m.Name, Kind: "host", ID: host.Address, Known: f.State.Current.Known, Args: args, Surroundings: surroundingsOf(current.Services.KubeController), Ready: len(m.Nodes) > 0}
		if len(m.Nodes) > 0 {
			k.Node, k.Ready = m.Nodes[0], down.Node(m.Nodes[0]).IsReady()
		}
		if !k.Known {
			k.Why = f.State.Source + " has no currentState"
		}
		r.KCMs = append(r.KCMs, k)
	}
	return r
}

// kubeletOf returns the provider mode of a host's kubelet from rke's state; why explains any
// mode but external.
func kubeletOf(current rkestate.Config, unfinishedReason string, m migration.Member) (kubelet migration.Kubelet, why string) {
	switch {
	case len(m.Nodes) == 0:
		return migration.KubeletUnknown, "has no Node"
	case current.Provider() != component.ProviderExternal:
		return migration.KubeletInTree, fmt.Sprintf("rke's state says provider %q", current.CloudProvider.Name)
	case unfinishedReason != "":
		return migration.KubeletUnknown, unfinishedReason
	}
	return migration.KubeletExternal, ""
}

// kcmArgs returns the arguments of every kube-controller-manager that a migration depends on.
// rke derives them from its state: its own, the metadata's service options, then extra_args by
// key (rancher/rke:cluster/plan.go@v1.5.9, BuildKubeControllerProcess).
func kcmArgs(c rkestate.Config) component.Args {
	service := c.Services.KubeController
	args := map[string]string{"leader-elect": "true", "allocate-node-cidrs": "true", "configure-cloud-routes": "false", "allow-untagged-cloud": "true"}
	if service.ClusterCIDR != "" {
		args["cluster-cidr"] = service.ClusterCIDR
	}
	if provider := c.Provider(); provider != "" {
		args["cloud-provider"] = provider
	}
	for key, value := range service.ExtraArgs {
		args[key] = value
	}
	var words []string
	for key, value := range args {
		words = append(words, "--"+key+"="+value)
	}
	for key, values := range service.ExtraArgsArray {
		for _, value := range values {
			words = append(words, "--"+key+"="+value)
		}
	}
	sort.Strings(words)
	return component.Parse(words)
}

// NodeOf returns a host's Node, or nil. It compares the hostname label, the internal address,
// and the addresses that rke writes on Nodes (rancher/rke:k8s/node.go@v1.5.9).
func NodeOf(host rkestate.Node, nodes []downstream.Node) *downstream.Node {
	internal := migration.OrElse(host.InternalAddress, host.Address)
	for _, matches := range []func(*downstream.Node) bool{
		func(n *downstream.Node) bool {
			return host.HostnameOverride != "" && strings.EqualFold(n.Labels[corev1.LabelHostname], host.HostnameOverride)
		},
		func(n *downstream.Node) bool { return hasInternalIP(n, internal) },
		func(n *downstream.Node) bool {
			return n.Annotations[downstream.AnnotationRKEInternal] == internal || n.Annotations[downstream.AnnotationRKEExternal] == host.Address
		},
	} {
		for i := range nodes {
			if matches(&nodes[i]) {
				return &nodes[i]
			}
		}
	}
	return nil
}

func hasInternalIP(node *downstream.Node, address string) bool {
	for _, a := range node.Addresses {
		if a.Type == "InternalIP" && a.Address == address {
			return true
		}
	}
	return false
}
