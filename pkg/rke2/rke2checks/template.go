package rke2checks

import (
	"bytes"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/awsmigrate/awsmigrate/pkg/bounded"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
)

const clusterTagPrefix = "kubernetes.io/cluster/"

// ParseTemplate adds the fields of an Amazonec2Config to t. They are options of the node driver
// (rancher/machine:drivers/amazonec2/amazonec2.go@a057776c), which has none for the hop limit of
// the metadata service. managementID is Rancher's ID of the cluster.
func ParseTemplate(object map[string]any, managementID string, t *evidence.MachineTemplate) {
	text := func(key string) string {
		value, _, _ := unstructured.NestedString(object, key)
		return value
	}
	t.Tokens, t.Endpoint, t.VPC = text("httpTokens"), text("httpEndpoint"), text("vpcId")
	t.Profile = text("iamInstanceProfile") != ""
	spot, _, _ := unstructured.NestedBool(object, "requestSpotInstance") // tagged after its creation, by another call
	words := tagWords(text("tags"), managementID)
	if t.Clusters = clusterTags(words); !spot {
		t.RefusedTags = refusedTags(words)
	}
	t.Host = hostName(text("userdata"), t.Windows)
}

// tagWords returns the tags of the next instance: key, value, key, value. The driver ignores a last
// key without a value. Rancher appends the tag of its own ID of the cluster, unless the text
// contains the prefix of such a tag anywhere; after a key without a value the tag is shifted
// (rancher/rancher:pkg/controllers/capr/machineprovision/args.go@05e32bd9, addAwsClusterOwnedTag;
// rancher/machine:drivers/amazonec2/amazonec2.go@a057776c, buildEC2Tags).
func tagWords(tags, managementID string) []string {
	own := clusterTagPrefix + managementID + ",owned"
	switch {
	case tags == "":
		tags = own
	case !strings.Contains(tags, clusterTagPrefix):
		tags += "," + own
	}
	words := strings.Split(tags, ",")
	return words[:len(words)/2*2]
}

// clusterTags returns the cluster IDs in tags, also of the legacy tag.
func clusterTags(words []string) []string {
	var ids []string
	for i := 0; i < len(words); i += 2 {
		if id, is := strings.CutPrefix(words[i], clusterTagPrefix); is {
			ids = append(ids, id)
		}
		if words[i] == "KubernetesCluster" {
			ids = append(ids, words[i+1])
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// refusedTags returns why EC2 refuses the tags, or empty. The driver appends the tag Name
// (amazonec2.go, buildResourceTags). EC2's refusals are those of openshift/installer#468 and
// cattle-ops/terraform-aws-gitlab-runner#521 and #933.
func refusedTags(words []string) string {
	keys := map[string]bool{"Name": true}
	for i := 0; i < len(words); i += 2 {
		switch key := words[i]; {
		case key == "":
			return "a tag has no key"
		case keys[key]:
			return "the key " + key + " occurs twice"
		default:
			keys[key] = true
		}
	}
	return ""
}

// maxUserData holds the limits of user data: EC2 takes 16 KB.
func maxUserData() bounded.Limits { return bounded.Limits{Bytes: 64 << 10, Values: 4096} }

// hostName returns the host name that user data gives to a machine. rancher-machine writes the
// machine's name into a cloud-config without a host name, makes a cloud-config of a script, and
// refuses anything else, also a cloud-config to whose lists it cannot append
// (rancher/machine:commands/create.go@a057776c, replaceUserdataFile and writeCloudConfig).
func hostName(userData string, windows bool) evidence.HostName {
	text := []byte(userData)
	switch {
	case userData == "":
		return evidence.HostName{}
	case bytes.HasPrefix(text, []byte("#!")):
		return evidence.HostName{Unknown: bytes.Contains(text, []byte("hostname"))}
	case !bytes.HasPrefix(text, []byte("#cloud-config")):
		return evidence.HostName{Refused: true}
	}
	cloud := map[string]any{}
	if maxUserData().CheckYAML(text) != nil || yaml.Unmarshal(text, &cloud) != nil {
		return evidence.HostName{Refused: true}
	}
	for _, list := range []string{"write_files", "runcmd"} {
		if _, is := cloud[list].([]any); !is && cloud[list] != nil {
			return evidence.HostName{Refused: true}
		}
	}
	key := "hostname"
	if windows {
		key = "set_hostname"
	}
	value, given := cloud[key]
	fixed, _ := value.(string)
	delete(cloud, key)
	rest, err := yaml.Marshal(cloud)
	unknown := err != nil || bytes.Contains(rest, []byte("hostname")) || cloud["fqdn"] != nil
	return evidence.HostName{Fixed: fixed, Unknown: unknown || given && fixed == ""}
}
