package nextmachine

import (
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/awsmigrate/awsmigrate/test/lab/aws"
	"github.com/awsmigrate/awsmigrate/test/lab/node"
	"github.com/awsmigrate/awsmigrate/test/lab/nodedriver"
)

const machineName = "demo-pool-1a2b3c4d-abcde"

// outcome describes a machine of the lab.
type outcome struct {
	refused     string // why no machine was created, or empty
	dns, node   string // the instance's private DNS name, and the name of the Node
	clusters    []string
	initialized bool // the CCM removes the taint and, on a control plane, starts
}

// make makes the pool's next machine with the rules of a booted lab.
func (p pool) make(t *testing.T) outcome {
	t.Helper()
	cloud := aws.New(aws.Options{ClusterID: p.cluster})
	server := httptest.NewServer(cloud.Handler())
	defer server.Close()
	made, user, err := nodedriver.Launch(cloud, nodedriver.ReadTemplate(p.object()), nodedriver.Machine{Name: machineName, Cluster: rancherID, Zone: "us-east-1a", Tokens: p.account})
	if err != nil {
		return outcome{refused: err.Error()}
	}
	metadata := httptest.NewServer(cloud.Metadata(made.ID))
	defer metadata.Close()
	host := user.HostName(made)
	facts := node.Facts{Name: machineName, InstanceID: made.ID, IP: "127.0.0.1", PrivateIP: made.PrivateIP, Zone: made.Zone,
		OSHostname: host, HostnameFQDN: host, IMDSURL: metadata.URL, Roles: node.Roles{Worker: !p.controlPlane, ControlPlane: p.controlPlane}}
	out := outcome{dns: made.PrivateDNSName, clusters: clustersOf(made.Tags), node: p.register(t, facts)}
	out.initialized = finds(cloud, p.cluster, out.node)
	if p.controlPlane {
		_, err := node.EC2(metadata.URL, facts.Region(), server.URL+"/as/ccm").Self(t.Context())
		out.initialized = out.initialized && err == nil && (p.configured || len(out.clusters) == 1)
	}
	return out
}

// register returns the name under which the machine's kubelet registers after the switch.
func (p pool) register(t *testing.T, facts node.Facts) string {
	t.Helper()
	text := "cloud-provider-name: external\n"
	if p.end == "overrides" {
		text = "cloud-provider-name: aws\nkubelet-arg: [cloud-provider=external]\n"
	}
	config, err := node.ParseRKE2Config(node.File{Path: "50-rancher.yaml", Content: []byte(text)})
	if err != nil {
		t.Fatal(err)
	}
	rendering, err := node.Render(config, facts, node.Name(t.Context(), config, facts, p.release), p.release)
	if err != nil {
		t.Fatal(err)
	}
	name, err := node.RegisteredName(t.Context(), rendering.Kubelet, facts, nil)
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// clustersOf returns the cluster IDs in the tags. A CCM without an ID in its cloud config does not
// start on an instance with two (kubernetes/cloud-provider-aws:pkg/providers/v1/tags.go@v1.26.14,
// findClusterIDs and init; aws.go, newAWSCloud).
func clustersOf(tags map[string]string) []string {
	var ids []string
	for key, value := range tags {
		if id, is := strings.CutPrefix(key, "kubernetes.io/cluster/"); is {
			ids = append(ids, id)
		} else if key == "KubernetesCluster" {
			ids = append(ids, value)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// finds reports whether a CCM of the cluster finds the instance of a new Node
// (kubernetes/cloud-provider-aws:pkg/providers/v1/aws.go@v1.26.14, getInstanceByNodeName and
// describeInstances; tags.go, hasClusterTag). It looks up a name that begins with i- by ID.
func finds(cloud *aws.Cloud, cluster, name string) bool {
	found := 0
	for _, i := range cloud.Instances() {
		_, tagged := i.Tags["kubernetes.io/cluster/"+cluster]
		if id, _, _ := strings.Cut(name, "."); id == i.ID || i.PrivateDNSName == name && (tagged || i.Tags["KubernetesCluster"] == cluster) {
			found++
		}
	}
	return found == 1
}
