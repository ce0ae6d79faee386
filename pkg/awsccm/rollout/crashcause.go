package rollout

import (
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// cause describes a reason for which the controller manager crashes.
type cause struct {
	words   []string // any of them identifies it, in lower case
	of      []target // the line is about one of them; empty for any
	reason  string
	wanted  string
	fix     string
	passing bool // expected while API servers restart
}

// matches reports whether a line in lower case shows the cause.
func (c cause) matches(line string, about target) bool {
	return (len(c.of) == 0 || slices.Contains(c.of, about)) && containsAny(line, c.words)
}

func containsAny(line string, words []string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(line, word) })
}

// causes returns all causes in order: the first that matches a line counts. The words are
// those of k8s.io/cloud-provider@v0.26:app,
// kubernetes/cloud-provider-aws@v1.26:pkg/providers/v1, Go's net, crypto/tls and
// net/http, aws/aws-sdk-go@v1.44 and aws/aws-sdk-go-v2@v1.41.
func causes() []cause {
	return slices.Concat(argumentCauses(), awsCauses(), networkCauses(), []cause{
		{words: []string{"address already in use"}, reason: "PortInUse", wanted: "port 10258 free on every control-plane Node", fix: "remove the other cloud controller manager on that Node"},
		{words: []string{"invalid format for aws instance"}, reason: "ForeignProviderID", wanted: "an image that survives a foreign ProviderID", fix: "leave --ccm-image out"},
		{words: []string{"is forbidden"}, reason: "MissingRights", wanted: "the chart's ClusterRole and Role in force", fix: "take clusterRoleRules and leaderElection out of --values"},
		{words: []string{"leaderelection lost", "leader election lost", "failed to wait for apiserver being healthy"}, passing: true},
	})
}

// argumentCauses returns causes in the arguments of the process.
func argumentCauses() []cause {
	return []cause{
		{words: []string{"unknown flag", "invalid argument"}, reason: "BadArgument", wanted: "arguments the image knows", fix: "correct args in --values"},
		{words: []string{"unrecognized feature gate"}, reason: "BadArgument", wanted: "feature gates the image knows", fix: "correct args in --values"},
		{words: []string{"cluster-cidr", "invalid cidr"}, reason: "RoutesWithoutCIDR", wanted: "routes off, or with a CIDR", fix: "use --cloud-routes"},
		{words: []string{"leadermigrationconfiguration"}, reason: "MigrationFile", wanted: "a migration file the image reads", fix: "use an image of v1.24 or later, or one whose tag is its version"},
		{words: []string{"can't store data at section"}, reason: "CloudConfig", wanted: "keys the image knows", fix: "correct --cloud-config"},
		{words: []string{"unable to read aws cloud provider config file", "error building"}, reason: "CloudConfig", wanted: "a cloud config the image reads", fix: "correct --cloud-config"},
		{words: []string{"no clusterid found", "failed to find clusterid"}, reason: "ClusterTag", wanted: "tag kubernetes.io/cluster/<id> on the instances",
			fix: "tag them; KubernetesClusterID in --cloud-config starts the CCM without, but it finds new nodes and members of load balancers by that tag"},
	}
}

// awsCauses returns causes in answers of AWS.
func awsCauses() []cause {
	return []cause{
		{words: []string{"unauthorizedoperation", "accessdenied"}, reason: "AWSRights", wanted: "the AWS actions of docs/iam.md", fix: "add the action to the instances' role"},
		{words: []string{"requestexpired", "requesttimetooskewed", "signature expired", "signature not yet current"}, reason: "NodeClock", wanted: "the right time on that Node", fix: "set the clock of that Node"},
		{words: []string{"authfailure", "invalidclienttokenid", "unrecognizedclient", "signaturedoesnotmatch", "expiredtoken"}, reason: "AWSCredentials", wanted: "credentials that AWS accepts",
			fix: "correct the credentials that --values gives the CCM, or leave them out: it takes the instances' role then"},
	}
}

const (
	hostNetworkFix = "run the CCM in the host network (chart value hostNetworking: true), or give the instances a hop limit of 2 (HttpPutResponseHopLimit)"
	proxyFix       = "correct HTTPS_PROXY in the CCM's environment, or the proxy; NO_PROXY holds the API server's address and 169.254.169.254"
)

// networkCauses returns causes in the network. Only the API server may be temporarily
// unreachable.
func networkCauses() []cause {
	away := []string{"connection refused", "connection reset", "i/o timeout", "no route to host", "network is unreachable", "host is down", "tls handshake timeout",
		"deadline exceeded", "request canceled", "client.timeout exceeded", "connection lost", "eof"}
	named := []string{"no such host", "server misbehaving", "dial tcp: lookup ", "temporary failure in name resolution"}
	return []cause{
		{words: []string{"x509:", "certificate signed by unknown authority", "tls: failed to verify"}, of: []target{apiServer}, reason: "APITrust",
			wanted: "an API server whose certificate the cluster's CA signed", fix: "look at ConfigMap kube-root-ca.crt and at the API servers' certificates"},
		{words: []string{"x509:", "certificate signed by unknown authority", "tls: failed to verify"}, reason: "AWSTrust", wanted: "a certificate that the CCM trusts",
			fix: "mount the CA that signs there into the CCM's pods and name it in SSL_CERT_FILE or AWS_CA_BUNDLE, in --values"},
		{words: []string{"proxy authentication required"}, reason: "Proxy", wanted: "a proxy that lets the CCM through", fix: proxyFix},
		{words: slices.Concat(away, named), of: []target{throughProxy}, reason: "Proxy", wanted: "a proxy that answers", fix: proxyFix},
		{words: slices.Concat(away, []string{"status code: 401", "statuscode: 401", "failed to make ec2metadata request"}), of: []target{metadataService}, reason: "MetadataService",
			wanted: "the metadata service within reach of the CCM's pods", fix: hostNetworkFix},
		{words: []string{"nocredentialproviders", "no valid providers in chain", "no ec2 imds role found", "ec2rolerequesterror", "failed to refresh cached credentials", "static credentials are empty"},
			reason: "NoCredentials", wanted: "an instance profile on every control plane", fix: "attach the role of docs/iam.md to the control planes' instances, or give the CCM credentials in --values"},
		{words: named, reason: "NameResolution", wanted: "names that the CCM's pods can resolve", fix: "correct the resolver of that Node, or dnsPolicy in --values"},
		{words: away, of: []target{apiServer}, passing: true},
		{words: away, of: []target{awsEndpoint}, reason: "AWSUnreachable", wanted: "AWS within reach of every control-plane Node",
			fix: "open the way there (route, firewall, VPC endpoint), or give the CCM the proxy in its environment, in --values"},
		{words: []string{"dial tcp", "connection refused"}, of: []target{unknownTarget}, reason: "Unreachable", wanted: "an address that answers", fix: "find the server with that address, and make it reachable for the CCM's pods"},
	}
}

// causeOf returns the last line with a cause, and that cause. A process logs and survives a
// refused AWS call, for example; only the end of the log explains its end. Without a cause, it
// returns the last line with text.
func causeOf(text string) (cause, string) {
	last, known := "it said nothing", causes()
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		line := strings.TrimSpace(lines[i])
		lower := strings.ToLower(line)
		about := targetOf(lower)
		for _, c := range known {
			if c.matches(lower, about) {
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
