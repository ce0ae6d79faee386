package rke2

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"github.com/awsmigrate/awsmigrate/pkg/migration"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rancher"
	"github.com/awsmigrate/awsmigrate/pkg/rke2/rke2checks"
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
)

// readTemplates reads the templates of the pools that the EC2 node driver makes. A template that
// does not exist holds that as the reason.
func readTemplates(ctx context.Context, management dynamic.Interface, c rancher.Cluster) verify.Read[[]evidence.MachineTemplate] {
	resource := schema.GroupVersionResource{Group: "rke-machine-config.cattle.io", Version: "v1", Resource: "amazonec2configs"}
	var templates []evidence.MachineTemplate
	for _, pool := range c.Spec.Pools {
		if pool.ConfigKind != "Amazonec2Config" || pool.ConfigName == "" {
			continue
		}
		template := evidence.MachineTemplate{Pool: pool.Name, ControlPlane: pool.ControlPlane, Windows: pool.OS == "windows",
			Object: fmt.Sprintf("%s %s/%s", pool.ConfigKind, c.Namespace, pool.ConfigName)}
		object, err := management.Resource(resource).Namespace(c.Namespace).Get(ctx, pool.ConfigName, metav1.GetOptions{})
		switch {
		case apierrors.IsNotFound(err):
			template.Unread = "does not exist"
		case err != nil:
			return verify.Failed[[]evidence.MachineTemplate](migration.CouldNotRead(template.Object, err))
		default:
			rke2checks.ParseTemplate(object.Object, c.ManagementID, &template)
		}
		templates = append(templates, template)
	}
	return verify.Got(templates)
}
