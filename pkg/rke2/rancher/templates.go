package rancher

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/awsmigrate/awsmigrate/pkg/bounded"
	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/config"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
)

const (
	machineConfigKind = "Amazonec2Config"
	clusterTagPrefix  = "kubernetes.io/cluster/"
)

// ReadTemplates returns the templates of the pools that the EC2 node driver makes. A template that
// does not exist holds that as the reason.
func (c Clients) ReadTemplates(ctx context.Context, f Facts) verify.Read[[]evidence.MachineTemplate] {
	var templates []evidence.MachineTemplate
	for _, pool := range f.Cluster.Spec.Pools {
		if pool.ConfigKind != machineConfigKind || pool.ConfigName == "" {
			continue
		}
		template := evidence.MachineTemplate{Pool: pool.Name, ControlPlane: pool.ControlPlane, Windows: pool.OS == "windows",
			Object: fmt.Sprintf("%s %s/%s", pool.ConfigKind, f.Cluster.Namespace, pool.ConfigName)}
		object, err := c.Management.Resource(machineConfigsGVR).Namespace(f.Cluster.Namespace).Get(ctx, pool.ConfigName, metav1.GetOptions{})
		switch {
		case apierrors.IsNotFound(err):
			template.Unread = "does not exist"
		case err != nil:
			return verify.Failed[[]evidence.MachineTemplate](migration.CouldNotRead(template.Object, err))
		default:
			parseTemplate(object.Object, f.Cluster.ManagementID, &template)
		}
		templates = append(templates, template)
	}
	return verify.Got(templates)
}

// parseTemplate reads the fields of the node driver (rancher/machine:drivers/amazonec2/
// amazonec2.go@a057776c). The driver has no field for the hop limit of the metadata service.
func parseTemplate(object map[string]any, managementID string, t *evidence.MachineTemplate) {
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

// AutoscaledPools returns the pools whose size Rancher's autoscaler changes, or none if it is paused
// (rancher/rancher:pkg/capr/common.go@v2.15.0, ClusterAutoscalerPausedAnnotation).
func (c Cluster) AutoscaledPools() []config.Pool {
	if c.Annotations[AutoscalerPausedAnnotation] == "true" {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(c.Spec.Pools), func(p config.Pool) bool { return !p.Autoscaled })
}
