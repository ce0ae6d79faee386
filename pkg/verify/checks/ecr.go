package checks

import (
	"fmt"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// ecr judges the nodes that pulled images from ECR, before the kubelet loses its built-in
// credentials.
func ecr(in evidence.Input) []verify.Finding {
	target, err := in.TargetVersion()
	if err != nil {
		return []verify.Finding{verify.Undecided("Kubernetes", err.Error())}
	}
	return verify.Judge(in.Nodes, "nodes", func(nodes []downstream.Node) []verify.Finding {
		var missing, unseen []string
		for _, n := range nodes {
			if n.ECRImages == 0 {
				continue
			}
			switch credentialProvider(in, n) {
			case position.No:
				missing = append(missing, n.Name)
			case position.Unseen:
				unseen = append(unseen, n.Name)
			case position.Yes, position.Partial:
			}
		}
		if in.Target == "" || !target.AtLeast(1, 27) {
			return untilThen(append(missing, unseen...))
		}
		return append(noProvider(missing, target.String()), unseenProvider(unseen, target.String())...)
	})
}

// credentialProvider returns whether a node's kubelet has a credential provider. RKE2 uses the
// files of its default folder without an argument that an API shows
// (k3s-io/k3s:pkg/cli/cmds/agent.go and pkg/daemons/agent/agent_linux.go@v1.26.15+k3s1,
// ImageCredProvAvailable). Only an explicit argument is therefore proof.
func credentialProvider(in evidence.Input, n downstream.Node) position.Answer {
	const flag = evidence.CredentialProviderConfig
	if args, _, err := n.NodeArgs(); err == nil && (args.KubeletFlags().Last(flag) != "" || args.Last(flag) != "") {
		return position.Yes
	}
	switch {
	case in.CredentialProvider == nil:
		return position.Unseen
	case *in.CredentialProvider == "":
		return position.No
	}
	return position.Yes
}

func untilThen(names []string) []verify.Finding {
	if len(names) == 0 {
		return nil
	}
	return []verify.Finding{verify.Notice(withECR(names), "pulled with the kubelet's built-in credentials, up to 1.26")}
}

func noProvider(names []string, target string) []verify.Finding {
	if len(names) == 0 {
		return nil
	}
	return []verify.Finding{verify.Failure(withECR(names), "no "+evidence.CredentialProviderConfig, "ecr-credential-provider, before "+target, "")}
}

// unseenProvider returns an Unknown finding: no API shows the kubelet's arguments.
func unseenProvider(names []string, target string) []verify.Finding {
	if len(names) == 0 {
		return nil
	}
	f := verify.Undecided(withECR(names), "no API shows whether their kubelets have a credential provider, which "+target+" needs for ECR")
	f.Fix = "look on these nodes for /var/lib/rancher/credentialprovider/config.yaml, which RKE2 takes without an argument, or for the kubelet's " +
		evidence.CredentialProviderConfig + "; if it is there: --skip AWSM-503=provided; else configure ecr-credential-provider before the upgrade"
	return []verify.Finding{f}
}

func withECR(names []string) string {
	return fmt.Sprintf("%s with images from ECR: %s", fault.Count(len(names), "node"), evidence.Some(names))
}
