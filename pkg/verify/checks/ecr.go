package checks

import (
	"slices"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/component"
	"github.com/awsmigrate/awsmigrate/pkg/verify/downstream"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

// ecr judges the nodes that pull images from ECR, before the kubelet loses its built-in
// credentials.
func ecr(in evidence.Input) []verify.Finding {
	target, err := in.TargetVersion()
	if err != nil {
		return []verify.Finding{verify.Undecided("Kubernetes", err.Error())}
	}
	return verify.Judge(in.Nodes, "nodes", func(nodes []downstream.Node) []verify.Finding {
		pulls := findPulls(in)
		var missing, unseen []doubt
		for _, n := range nodes {
			if !pulls.onNode(n) {
				continue
			}
			switch answer, why := credentialProvider(in, n); answer {
			case position.No:
				missing = append(missing, doubt{n.Name, why})
			case position.Unseen:
				unseen = append(unseen, doubt{n.Name, why})
			case position.Yes, position.Partial:
			}
		}
		if in.Target == "" {
			return beforeUpgrade(in, target, append(missing, unseen...))
		}
		if !target.AtLeast(1, 27) {
			return untilThen(append(missing, unseen...))
		}
		out := append(noProvider(missing, pulls, target.String()), unseenProvider(unseen, pulls, target.String())...)
		return append(append(out, pulls.withSecrets()...), pulls.gaps...)
	})
}

// doubt names a node without a proven credential provider, and why there is no proof, or empty.
type doubt struct{ node, why string }

// ecrPulls holds the workloads and pods that pull from ECR.
type ecrPulls struct {
	bare, secret []string // without and with imagePullSecrets
	gaps         []verify.Finding
}

// findPulls returns the pulls that templates and loose pods name.
func findPulls(in evidence.Input) (p ecrPulls) {
	if !in.Workloads.OK() {
		p.gaps = append(p.gaps, verify.Unread(in.Workloads, "workloads")...)
	}
	if !in.LoosePods.OK() {
		p.gaps = append(p.gaps, verify.Unread(in.LoosePods, "pods that no workload made")...)
	}
	for _, w := range in.Workloads.Value {
		p.add(w.String(), w.ECR, w.PullSecrets)
	}
	for _, pod := range in.LoosePods.Value {
		p.add("Pod "+pod.Namespace+"/"+pod.Name, pod.ECR && !pod.Over(), pod.PullSecrets)
	}
	for _, d := range in.DaemonSets.Value {
		p.add(d.String(), slices.ContainsFunc(d.Containers, func(c downstream.Container) bool { return downstream.OnECR(c.Image) }), false)
	}
	return p
}

func (p *ecrPulls) add(name string, ecr, secrets bool) {
	switch {
	case !ecr:
	case secrets:
		p.secret = append(p.secret, name)
	default:
		p.bare = append(p.bare, name)
	}
}

// onNode reports whether a node's kubelet may need credentials for ECR. A pod without pull
// secrets can be scheduled on every node that is not dedicated. An image on the node counts too:
// its pods may come and go. It is explained if all known pods bring their own secrets.
func (p ecrPulls) onNode(n downstream.Node) bool {
	if len(p.bare) > 0 && !dedicated(n) {
		return true
	}
	return n.ECRImages > 0 && (len(p.bare) > 0 || len(p.secret) == 0)
}

// withSecrets warns of pods that bring pull secrets. Their content is not read: they may be for
// another registry.
func (p ecrPulls) withSecrets() []verify.Finding {
	if len(p.secret) == 0 {
		return nil
	}
	return []verify.Finding{verify.Warning(evidence.Some(p.secret), "pull from ECR with imagePullSecrets, whose content is not read", "a Secret with a token of ECR, renewed every 12 hours", "")}
}

// because names some of the pods that pull.
func (p ecrPulls) because() string {
	if len(p.bare) == 0 {
		return "images from ECR are on the node"
	}
	return evidence.Some(p.bare) + " pull from ECR"
}

// credentialProvider returns whether a node's kubelet has a credential provider, and why that is
// in doubt. A kubelet exits if the files of its arguments are absent (kubernetes/kubernetes:
// pkg/kubelet/kuberuntime/kuberuntime_manager.go@v1.26.13, line 258), so its argument is proof.
// RKE2 takes the files of its default folder without an argument that an API shows, and ignores
// its own key if a file is absent (k3s-io/k3s:pkg/cli/cmds/agent.go and
// pkg/daemons/agent/agent.go@v1.26.15+k3s1, ImageCredProvAvailable).
func credentialProvider(in evidence.Input, n downstream.Node) (position.Answer, string) {
	const flag = evidence.CredentialProviderConfig
	args, _, err := n.NodeArgs()
	configured := in.CredentialProvider
	switch {
	case err == nil && args.KubeletFlags().Last(flag) != "":
		return position.Yes, ""
	case err == nil && args.Last(flag) != "":
		return position.Unseen, "RKE2 ignores its key " + flag + " if a file is absent"
	case configured == nil:
		return position.Unseen, ""
	case configured.Unseen != "":
		return position.Unseen, configured.Unseen
	case configured.Missing != "" || configured.Config == "":
		return position.No, configured.Missing
	}
	return position.Yes, ""
}

// beforeUpgrade returns the finding without a target. From the first CCM on the cluster's next
// minor version is near, and 1.27 ends the built-in credentials.
func beforeUpgrade(in evidence.Input, now component.Version, doubts []doubt) []verify.Finding {
	switch {
	case len(doubts) == 0 || now.AtLeast(1, 27):
		return nil
	case now.AtLeast(1, 26) && in.Position.Position.AtLeast(position.P3):
		return []verify.Finding{verify.Warning(kubeletsOf(doubts), "pull with the kubelet's built-in credentials, which end with 1.27", "ecr-credential-provider, before the upgrade", "")}
	}
	return untilThen(doubts)
}

func untilThen(doubts []doubt) []verify.Finding {
	if len(doubts) == 0 {
		return nil
	}
	return []verify.Finding{verify.Notice(kubeletsOf(doubts), "pull with the kubelet's built-in credentials, up to 1.26")}
}

func noProvider(doubts []doubt, p ecrPulls, target string) []verify.Finding {
	if len(doubts) == 0 {
		return nil
	}
	seen := "no " + evidence.CredentialProviderConfig
	if doubts[0].why != "" {
		seen = doubts[0].why
	}
	return []verify.Finding{verify.Failure(kubeletsOf(doubts), seen+"; "+p.because(), "ecr-credential-provider, before "+target, "")}
}

// unseenProvider returns an Unknown finding: no API shows the kubelet's arguments.
func unseenProvider(doubts []doubt, p ecrPulls, target string) []verify.Finding {
	if len(doubts) == 0 {
		return nil
	}
	f := verify.Undecided(kubeletsOf(doubts), "no API shows whether their kubelets have a credential provider, which "+target+" needs for ECR; "+p.because())
	for _, d := range doubts {
		if d.why != "" {
			f.Reason += "; on " + d.node + " " + d.why
			break
		}
	}
	f.Fix = "look on these nodes for /var/lib/rancher/credentialprovider/config.yaml, which RKE2 takes without an argument, or for the kubelet's " +
		evidence.CredentialProviderConfig + "; if it is there: --skip AWSM-503=provided; else lay the files down as docs/ecr.md says"
	return []verify.Finding{f}
}

func kubeletsOf(doubts []doubt) string {
	names := make([]string, 0, len(doubts))
	for _, d := range doubts {
		names = append(names, d.node)
	}
	return fault.Count(len(names), "kubelet") + ": " + evidence.Some(names)
}
