package rkechecks

import (
	"cmp"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/awsmigrate/awsmigrate/pkg/rke/naming"
	"github.com/awsmigrate/awsmigrate/pkg/rke/rkestate"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
)

func judgeNames(p Prepared) []verify.Finding {
	if p.NameErr != nil {
		return verify.FindingOf(p.NameErr)
	}
	if p.Names.Why == "" {
		return []verify.Finding{verify.Undecided("node names", "not checked how nodes keep their names")}
	}
	return []verify.Finding{verify.Notice("useInstanceMetadataHostname", fmt.Sprintf("%t: %s", p.Names.UseMetadata, p.Names.Why))}
}

func judgeOverrideArgs(p Prepared) []verify.Finding {
	return verify.FindingOf(naming.OverrideArgs(p.Config))
}

// fromFile reports whether nodes get their names from cluster.yml instead of the metadata
// service.
func (p Prepared) fromFile() bool {
	return p.NameErr == nil && p.Names.Why != "" && !p.Names.UseMetadata
}

func judgeTokens(p Prepared) []verify.Finding {
	if p.fromFile() {
		return []verify.Finding{verify.Notice("metadata service", "is not asked: names come from "+p.file())}
	}
	var found []verify.Finding
	for _, o := range naming.WithoutToken(p.Facts, p.Down.Nodes, p.Input.Cloud, p.Options.KubernetesVersion) {
		if o.Unseen {
			found = append(found, verify.Finding{Status: verify.Unknown, Object: o.Object, Reason: o.Seen, Fix: o.Fix})
			continue
		}
		found = append(found, verify.Failure(o.Object, o.Seen, "HttpTokens=optional, or rke-tools "+naming.ToolsWithToken()+" or newer", o.Fix))
	}
	return found
}

func judgeFound(p Prepared) []verify.Finding {
	pairs, err := naming.Pairs(p.Facts, p.Down.Nodes)
	if err != nil {
		return verify.FindingOf(err)
	}
	var found []verify.Finding
	for _, pair := range pairs {
		if !pair.Found() {
			found = append(found, verify.Failure("node "+pair.Host.Address+" of "+p.file(),
				fmt.Sprintf("internal_address (or address) is %s, the InternalIP of Node %s is %s", pair.Host.Internal, pair.Node.Name, cmp.Or(strings.Join(naming.InternalIPs(pair.Node), ", "), "missing")),
				"the same, or hostname_override equal to the Node's name", "set internal_address to the Node's InternalIP"))
		}
	}
	return found
}

// judgeVolumes returns warnings for volumes whose nodeAffinity has a hostname label that will
// change: an external kubelet writes its name to the label when it starts
// (kubernetes/kubernetes:pkg/kubelet/kubelet_node_status.go, updateDefaultLabels).
func judgeVolumes(p Prepared) []verify.Finding {
	return verify.Judge(p.PinnedVolumes, "PersistentVolumes", func(volumes []rkestate.PinnedVolume) []verify.Finding {
		changes := map[string]string{}
		for i := range p.Down.Nodes {
			node := &p.Down.Nodes[i]
			if label := node.Labels[corev1.LabelHostname]; label != node.Name {
				changes[label] = node.Name
			}
		}
		var found []verify.Finding
		for _, v := range volumes {
			if name, changed := changes[v.Hostname]; changed {
				found = append(found, verify.Warning("PersistentVolume "+v.Name, fmt.Sprintf("is bound to label %s=%s, which becomes %s", corev1.LabelHostname, v.Hostname, name),
					"a nodeAffinity that holds after the switch", "create the volume again with the new value; a nodeAffinity cannot be changed"))
			}
		}
		return found
	})
}
