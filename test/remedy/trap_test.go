package remedy

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"helm.sh/helm/v3/pkg/action"
	"helm.sh/helm/v3/pkg/cli"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/internal/testing/standin"
	"github.com/awsmigrate/awsmigrate/pkg/awsccm/ccmchart"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
	"github.com/awsmigrate/awsmigrate/test/lab/aws"
	"github.com/awsmigrate/awsmigrate/test/remedy/tool"
)

// breakage turns a sound cluster into a faulty one.
type breakage func(*testing.T, *cluster)

// worker is the Node with the broken instance; zone is the availability zone of another one.
var worker, zone = standin.InstanceID(nodes - 1), standin.Zone(nodes - 1) //nolint:gochecknoglobals // constants, but for the functions

func untaggedInstance(t *testing.T, c *cluster) {
	must(t, c.Untag(worker, cloud.TagCluster+c.Network().ClusterID))
}

func untaggedSubnet(t *testing.T, c *cluster) {
	must(t, c.Untag(c.Network().Subnets[zone], cloud.TagCluster+c.Network().ClusterID))
}

func metadata(tokens, endpoint string) breakage {
	return func(t *testing.T, c *cluster) {
		must(t, c.UpdateInstance(worker, func(i *aws.Instance) { i.HTTPTokens, i.HTTPEndpoint = tokens, endpoint }))
	}
}

// denied removes actions from the role's first policy. Additions by a fix stay.
func denied(actions ...string) breakage {
	return func(t *testing.T, c *cluster) {
		left := slices.DeleteFunc(aws.DefaultPolicies()[aws.RoleControlPlane], func(a string) bool { return slices.Contains(actions, a) })
		document, err := json.Marshal(aws.Document{Version: "2012-10-17", Statement: []aws.Statement{{Effect: "Allow", Action: left, Resource: "*"}}})
		must(t, err)
		must(t, c.paste(t.Context(), "aws iam put-role-policy --role-name "+aws.RoleControlPlane+" --policy-name cluster --policy-document '"+string(document)+"'"))
	}
}

const lostID = "i-0ffffffffffffffff"

// lost adds an instance that should have joined long ago.
func lost(tags map[string]string) breakage {
	return func(t *testing.T, c *cluster) {
		_, err := c.RunInstance(aws.Instance{ID: lostID, Tags: tags, LaunchTime: time.Now().Add(-24 * time.Hour)})
		must(t, err)
	}
}

// lostByOldTag does the same in a cluster with the old tag everywhere.
func lostByOldTag(t *testing.T, c *cluster) {
	old := map[string]string{cloud.TagLegacy: standin.Cluster}
	resources := []string{c.Network().NodeSecurityGroup}
	for _, subnet := range c.Network().Subnets {
		resources = append(resources, subnet)
	}
	for _, instance := range c.Instances() {
		resources = append(resources, instance.ID)
	}
	for _, resource := range resources {
		must(t, c.Untag(resource, cloud.TagCluster+standin.Cluster))
		must(t, c.Tag(resource, old))
	}
	lost(old)(t, c)
}

// installed installs the chart into namespace default, as guides do, and deletes its DaemonSet
// alone, as a user does who sees two controllers.
func installed(t *testing.T, c *cluster) {
	chart, err := ccmchart.Load(t.Context(), "", nil)
	must(t, err)
	helm, err := tool.Helm(metav1.NamespaceDefault, cli.New())
	must(t, err)
	install := action.NewInstall(helm)
	install.ReleaseName, install.Namespace = wellknown.CCM, metav1.NamespaceDefault
	_, err = install.RunWithContext(t.Context(), chart, nil)
	must(t, err)
	must(t, c.client.AppsV1().DaemonSets(wellknown.System).Delete(t.Context(), wellknown.CCM, metav1.DeleteOptions{}))
}
