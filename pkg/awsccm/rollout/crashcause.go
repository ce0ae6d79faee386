package rollout

import (
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// cause is what a crashed controller manager's last words mean.
type cause struct {
	word    string // recognises it, in lower case
	reason  string
	wanted  string
	fix     string
	passing bool // expected while API servers restart
}

// causes are in order: the first whose word is in a line counts. The words are
// those of k8s.io/cloud-provider@v0.26:app and
// kubernetes/cloud-provider-aws@v1.26:pkg/providers/v1.
func causes() []cause {
	return []cause{
		{word: "unknown flag", reason: "BadArgument", wanted: "arguments the image knows", fix: "correct args in --values"},
		{word: "invalid argument", reason: "BadArgument", wanted: "arguments the image knows", fix: "correct args in --values"},
		{word: "unrecognized feature gate", reason: "BadArgument", wanted: "feature gates the image knows", fix: "correct args in --values"},
		{word: "cluster-cidr", reason: "RoutesWithoutCIDR", wanted: "routes off, or with a CIDR", fix: "use --cloud-routes"},
		{word: "invalid cidr", reason: "RoutesWithoutCIDR", wanted: "routes off, or with a CIDR", fix: "use --cloud-routes"},
		{word: "leadermigrationconfiguration", reason: "MigrationFile", wanted: "a migration file the image reads", fix: "use an image of v1.24 or later, or one whose tag tells its version"},
		{word: "can't store data at section", reason: "CloudConfig", wanted: "keys the image knows", fix: "correct --cloud-config"},
		{word: "unable to read aws cloud provider config file", reason: "CloudConfig", wanted: "a cloud config the image reads", fix: "correct --cloud-config"},
		{word: "error building", reason: "CloudConfig", wanted: "a cloud config the image reads", fix: "correct --cloud-config"},
		{word: "no clusterid found", reason: "ClusterTag", wanted: "tag kubernetes.io/cluster/<id> on the instances", fix: "tag them, or set KubernetesClusterID in --cloud-config"},
		{word: "failed to find clusterid", reason: "ClusterTag", wanted: "tag kubernetes.io/cluster/<id> on the instances", fix: "tag them, or set KubernetesClusterID in --cloud-config"},
		{word: "address already in use", reason: "PortInUse", wanted: "port 10258 free on every control-plane Node", fix: "remove the other cloud controller manager on that Node"},
		{word: "unauthorizedoperation", reason: "AWSRights", wanted: "the AWS actions of docs/iam.md", fix: "add the action to the instances' role"},
		{word: "accessdenied", reason: "AWSRights", wanted: "the AWS actions of docs/iam.md", fix: "add the action to the instances' role"},
		{word: "invalid format for aws instance", reason: "ForeignProviderID", wanted: "an image that survives a foreign ProviderID", fix: "leave --ccm-image out"},
		{word: "is forbidden", reason: "MissingRights", wanted: "the chart's ClusterRole and Role in force", fix: "take clusterRoleRules and leaderElection out of --values"},
		{word: "leaderelection lost", passing: true},
		{word: "leader election lost", passing: true},
		{word: "connection refused", passing: true},
		{word: "failed to wait for apiserver being healthy", passing: true},
	}
}

// causeOf finds the last line that tells a cause, and that line. The last: a
// refused AWS call, say, is logged and survived, and only what stands at the
// end ended the process. Without one it is the last line that says anything.
func causeOf(text string) (cause, string) {
	last := "it said nothing"
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		line := strings.TrimSpace(lines[i])
		lower := strings.ToLower(line)
		for _, c := range causes() {
			if strings.Contains(lower, c.word) {
				return c, line
			}
		}
		if last == "it said nothing" && line != "" && !strings.HasPrefix(line, "goroutine ") {
			last = line
		}
	}
	return cause{
		reason: "Crashing", wanted: "a process that keeps running",
		fix: "kubectl -n " + wellknown.System + " logs daemonset/" + wellknown.CCM + " --previous",
	}, last
}
