package awschecks

import (
	"regexp"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
)

// The functions below build commands of the AWS CLI that a user can paste. Each command names its
// region: the audit asks in the region of the nodes, the CLI in the configured one. IAM has no
// region.

// portable matches the characters that tags may have in every AWS service. EC2 alone allows any,
// including those that a shell interprets.
var portable = regexp.MustCompile(`^[\p{L}\p{N} +\-=._:/@]+$`)

func inRegion(i cloud.Instance) []string {
	if region := evidence.RegionOf(i); region != "" {
		return []string{"--region", region}
	}
	return nil
}

// createTag returns "" for a cluster id that is unsafe to paste.
func createTag(resource, cluster, value string, of cloud.Instance) string {
	if resource == "" || !portable.MatchString(cluster) {
		return ""
	}
	words := []string{"aws", "ec2", "create-tags", "--resources", resource, "--tags", "Key=" + cloud.TagCluster + cluster + ",Value=" + value}
	return fault.Command(append(words, inRegion(of)...)...)
}

func tagInstance(p evidence.Pair, cluster string) string {
	const advice = "tag the instance of this node for the cluster, once it is known which instance and which cluster these are (AWSM-403, AWSM-405)"
	if !p.Sure() || cluster == "" {
		return advice
	}
	return createTag(p.ID, cluster, "owned", p.Instance)
}

// tagSubnet returns "" if it is uncertain that the subnet belongs to a node.
func tagSubnet(p evidence.Pair, subnet, cluster string) string {
	if !p.Sure() {
		return ""
	}
	return createTag(subnet, cluster, "shared", p.Instance)
}

// tagsOf returns the tag keys that assign an instance to the cluster.
func tagsOf(i cloud.Instance, cluster string) []string {
	var keys []string
	if _, has := i.Tags[cloud.TagCluster+cluster]; has {
		keys = append(keys, cloud.TagCluster+cluster)
	}
	if i.Tags[cloud.TagLegacy] == cluster {
		keys = append(keys, cloud.TagLegacy)
	}
	return keys
}

// deleteTags returns the end of a sentence. It names exactly the cluster's tags, because the AWS
// CLI would otherwise remove all tags.
func deleteTags(i cloud.Instance, cluster string) string {
	if len(tagsOf(i, cluster)) == 0 || !portable.MatchString(cluster) {
		return ", remove the tag from it"
	}
	words := []string{"aws", "ec2", "delete-tags", "--resources", i.ID, "--tags"}
	for _, key := range tagsOf(i, cluster) {
		words = append(words, "Key="+key)
	}
	return ": " + fault.Command(append(words, inRegion(i)...)...)
}

// allowMetadata returns a command that lets RKE2 ask without a token, if there is a metadata
// service.
func allowMetadata(p evidence.Pair) string {
	if !p.Sure() {
		return "until RKE2 is 1.29.11 or later, let the node's instance be asked without a token, once it is known which instance it is (AWSM-403, AWSM-405)"
	}
	words := []string{"aws", "ec2", "modify-instance-metadata-options", "--instance-id", p.ID, "--http-tokens", "optional"}
	if p.Instance.MetadataDisabled {
		words = append(words, "--http-endpoint", "enabled")
	}
	return "until RKE2 is 1.29.11 or later: " + fault.Command(append(words, inRegion(p.Instance)...)...)
}
