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
	t.Clusters = clusterTags(text("tags"), managementID)
	t.Host = hostName(text("userdata"), t.Windows)
}

// clusterTags returns the cluster IDs in the tags of the next instance, also of the legacy tag.
// Rancher tags it for its own ID of the cluster, unless the text of the tags names a cluster
// (rancher/rancher:pkg/controllers/capr/machineprovision/args.go@05e32bd9, addAwsClusterOwnedTag).
func clusterTags(tags, managementID string) []string {
	var ids []string
	if !strings.Contains(tags, clusterTagPrefix) {
		ids = append(ids, managementID)
	}
	words := strings.Split(tags, ",") // key, value, key, value
	for i := 0; i+1 < len(words); i += 2 {
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

// maxUserData holds the limits of user data: EC2 takes 16 KB.
func maxUserData() bounded.Limits { return bounded.Limits{Bytes: 64 << 10, Values: 4096} }

// hostName returns the host name that user data gives to a machine. rancher-machine writes the
// machine's name into a cloud-config without a host name, makes a cloud-config of a script, and
// refuses anything else (rancher/machine:commands/create.go@a057776c, replaceUserdataFile and
// writeCloudConfig).
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
	key := "hostname"
	if windows {
		key = "set_hostname"
	}
	fixed, _ := cloud[key].(string)
	delete(cloud, key)
	rest, err := yaml.Marshal(cloud)
	return evidence.HostName{Fixed: fixed, Unknown: err != nil || bytes.Contains(rest, []byte("hostname")) || cloud["fqdn"] != nil}
}
