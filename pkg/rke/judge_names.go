package rke

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/awsmigrate/awsmigrate/pkg/rke/rkestate"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
)

func judgeNames(p Prepared) []verify.Finding {
	if p.NameErr != nil {
		return verify.FindingOf(p.NameErr)
	}
	if p.Names.Why == "" {
		return []verify.Finding{verify.Undecided("node names", "nobody looked how nodes keep their names")}
	}
	return []verify.Finding{verify.Notice("useInstanceMetadataHostname", fmt.Sprintf("%t: %s", p.Names.UseMetadata, p.Names.Why))}
}

func judgeOverrideArgs(p Prepared) []verify.Finding { return verify.FindingOf(overrideArgs(p.Config)) }

// fromFile says whether nodes take their names from cluster.yml, so that the
// metadata service is not asked.
func (p Prepared) fromFile() bool {
	return p.NameErr == nil && p.Names.Why != "" && !p.Names.UseMetadata
}

func judgeTokens(p Prepared) []verify.Finding {
	if p.fromFile() {
		return []verify.Finding{verify.Notice("metadata service", "is not asked: names come from "+p.file())}
	}
	old, ok := atLeast(toolsInForce(p.Facts, p.Options.KubernetesVersion), toolsAskIMDSv2)
	if ok {
		return nil
	}
	var found []verify.Finding
	for i := range p.Down.Nodes {
		o := needsTokens(&p.Down.Nodes[i], p.Input.Cloud, old)
		switch {
		case o == nil:
		case o.unseen:
			found = append(found, verify.Finding{Status: verify.Unknown, Object: o.object, Reason: o.seen, Fix: o.fix})
		default:
			found = append(found, verify.Failure(o.object, o.seen, "HttpTokens=optional, or rke-tools v"+toolsAskIMDSv2.String()+" or newer", o.fix))
		}
	}
	return found
}

func judgeFound(p Prepared) []verify.Finding {
	pairs, err := pairNodes(p.Facts, p.Down.Nodes)
	if err != nil {
		return verify.FindingOf(err)
	}
	var found []verify.Finding
	for _, pair := range pairs {
		if !foundAs(pair.host, pair.node) {
			found = append(found, verify.Failure("node "+pair.host.Address+" of "+p.file(),
				fmt.Sprintf("internal_address (or address) is %s, the InternalIP of Node %s is %s", pair.host.Internal, pair.node.Name, orElse(strings.Join(internalIPs(pair.node), ", "), "missing")),
				"the same, or hostname_override equal to the Node's name", "set internal_address to the Node's InternalIP"))
		}
	}
	return found
}

// judgeVolumes: an external kubelet writes its name into the label at its start
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
					"a nodeAffinity that holds after the switch", "make the volume again with the new value; a nodeAffinity cannot be changed"))
			}
		}
		return found
	})
}
