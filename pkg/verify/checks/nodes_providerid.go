package checks

import (
	"fmt"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
)

const providerIDForm = "aws:///<zone>/<instance id>"

// providerIDs looks at every ProviderID on its own. One in a form that nobody but a
// person writes, with kubelet's --provider-id, is as good as any other where a CCM
// reads the same instance id out of it: its Node cannot get another one without
// being lost. A node on Fargate has none of an instance and is right so, where
// Rancher and rke have not made the cluster.
func providerIDs(in Input) []verify.Finding {
	return nodesOf(func(n downstream.Node) []verify.Finding {
		object := "Node " + n.Name
		kind, why := downstream.KindOf(n.ProviderID)
		switch {
		case kind == downstream.InstanceID:
			return nil
		case kind == downstream.OtherForm:
			_, id, _ := downstream.ParseProviderID(n.ProviderID)
			return []verify.Finding{warn(object, fmt.Sprintf("ProviderID %s: of instance %s, in a form that only people write", quoted(n.ProviderID), id), providerIDForm,
				"keep the Node: a CCM finds the instance by its id (AWSM-401 to AWSM-405 look at it); have the machine that replaces it one day register without --provider-id")}
		case kind == downstream.FargateID && in.Distribution == "":
			return []verify.Finding{info(object, "runs on Fargate, without an EC2 instance")}
		case why != "":
			why = ", " + why
		}
		return []verify.Finding{fail(object, fmt.Sprintf("ProviderID %s: %s%s", quoted(n.ProviderID), kind, why), providerIDForm, "")}
	})(in)
}

// quoted is a value in quotes, cut before it fills the screen.
func quoted(s string) string {
	const most = 120
	if len(s) > most {
		return fmt.Sprintf("%q… (%d bytes)", s[:most], len(s))
	}
	return fmt.Sprintf("%q", s)
}

// providerIDUnique compares instances, not texts: two zones in front of one
// instance id are the same instance.
func providerIDUnique(in Input) []verify.Finding {
	return verify.Judge(in.Nodes, "nodes", func(nodes []downstream.Node) []verify.Finding {
		first := map[string]string{}
		var out []verify.Finding
		for _, n := range nodes {
			key := n.ProviderID
			if _, id, ok := downstream.ParseProviderID(key); ok {
				key = id
			}
			if key == "" {
				continue
			}
			if other, ok := first[key]; ok {
				out = append(out, fail("Node "+n.Name, quoted(n.ProviderID)+", as Node "+other, "an instance of its own", ""))
				continue
			}
			first[key] = n.Name
		}
		return out
	})
}
