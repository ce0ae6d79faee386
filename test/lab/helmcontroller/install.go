package helmcontroller

import (
	"context"
	"fmt"
	"time"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	extensionsclient "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
)

// Install creates the CRDs and waits until they are served. It may be called again.
func (c *Controller) Install(ctx context.Context) error {
	client, err := extensionsclient.NewForConfig(c.cfg.Cluster)
	if err != nil {
		return fmt.Errorf("lab helm-controller: %w", err)
	}
	crds := client.ApiextensionsV1().CustomResourceDefinitions()
	for plural, kind := range map[string]string{"helmcharts": "HelmChart", "helmchartconfigs": "HelmChartConfig"} {
		d := definition(plural, kind)
		if _, err := crds.Create(ctx, d, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
			return fmt.Errorf("lab helm-controller: creating CustomResourceDefinition %s: %w", d.Name, err)
		}
		err := wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
			have, err := crds.Get(ctx, d.Name, metav1.GetOptions{})
			if err != nil {
				return false, err
			}
			for _, s := range have.Status.Conditions {
				if s.Type == apiextensions.Established && s.Status == apiextensions.ConditionTrue {
					return true, nil
				}
			}
			return false, nil
		})
		if err != nil {
			return fmt.Errorf("lab helm-controller: waiting for CustomResourceDefinition %s: %w", d.Name, err)
		}
	}
	return nil
}

func definition(plural, kind string) *apiextensions.CustomResourceDefinition {
	yes := true
	anything := apiextensions.JSONSchemaProps{Type: "object", XPreserveUnknownFields: &yes}
	return &apiextensions.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: plural + "." + gvrChart.Group},
		Spec: apiextensions.CustomResourceDefinitionSpec{
			Group: gvrChart.Group, Scope: apiextensions.NamespaceScoped,
			Names: apiextensions.CustomResourceDefinitionNames{Plural: plural, Singular: plural[:len(plural)-1], Kind: kind, ListKind: kind + "List"},
			Versions: []apiextensions.CustomResourceDefinitionVersion{{
				Name: gvrChart.Version, Served: true, Storage: true,
				Subresources: &apiextensions.CustomResourceSubresources{Status: &apiextensions.CustomResourceSubresourceStatus{}},
				Schema: &apiextensions.CustomResourceValidation{OpenAPIV3Schema: &apiextensions.JSONSchemaProps{
					Type: "object", Properties: map[string]apiextensions.JSONSchemaProps{"spec": anything, "status": anything}}},
			}},
		},
	}
}
