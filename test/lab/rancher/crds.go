package rancher

import (
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// definitions returns the CRDs, with the field names of Rancher 2.8 and Cluster API v1beta1.
// Clusters and RKEControlPlanes are typed down to the free maps, so that a misplaced field is
// pruned. Other kinds only have the fields that are read.
func definitions() []*apiextensions.CustomResourceDefinition {
	cluster := fieldsOf(texts(map[string]schemaProps{
		"rkeConfig": nullable(fieldsOf(with(clusterCommon(), map[string]schemaProps{
			"machinePools": listOf(poolSchema()), "machinePoolDefaults": freeObject(), "infrastructureRef": freeObject(),
		}))),
		"agentEnvVars": listOf(freeObject()), "localClusterAuthEndpoint": freeObject(), "clusterAPIConfig": freeObject(),
		"clusterAgentDeploymentCustomization": freeObject(), "fleetAgentDeploymentCustomization": freeObject(), "enableNetworkPolicy": truthy(),
	}, "kubernetesVersion", "cloudCredentialSecretName", "defaultPodSecurityPolicyTemplateName",
		"defaultPodSecurityAdmissionConfigurationTemplateName", "redeploySystemAgentGeneration"))
	controlPlane := fieldsOf(texts(with(clusterCommon(), map[string]schemaProps{
		"agentEnvVars": listOf(freeObject()), "localClusterAuthEndpoint": freeObject(), "unmanagedConfig": truthy(),
	}), "kubernetesVersion", "clusterName", "managementClusterName"))
	snapshot := definition(gvrSnapshot, "ETCDSnapshot", true, freeObject())
	snapshot.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["snapshotFile"] = freeObject()
	setting := definition(gvrSetting, "Setting", false, freeObject())
	for _, f := range []string{"value", "default", "source"} {
		setting.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties[f] = text()
	}
	psact := definition(gvrPSACT, "PodSecurityAdmissionConfigurationTemplate", false, freeObject())
	psact.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["configuration"] = freeObject()
	psact.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["description"] = text()
	return []*apiextensions.CustomResourceDefinition{
		definition(gvrCluster, "Cluster", true, cluster),
		definition(gvrControlPlane, "RKEControlPlane", true, controlPlane),
		snapshot,
		definition(gvrMachine, "Machine", true, freeObject()),
		definition(gvrDeployment, "MachineDeployment", true, freeObject()),
		definition(gvrHealthCheck, "MachineHealthCheck", true, freeObject()),
		definition(gvrCAPICluster, "Cluster", true, freeObject()),
		definition(gvrManagementCluster, "Cluster", false, freeObject()),
		definition(gvrManagementNode, "Node", true, freeObject()),
		setting, psact, machineConfig(),
	}
}

// machineConfig returns the CRD of the EC2 node driver's templates, whose options are at the top of
// the object. Rancher generates it from the driver's flags.
func machineConfig() *apiextensions.CustomResourceDefinition {
	d := definition(gvrMachineConfig, machineConfigKind, true, freeObject())
	root := freeObject()
	root.Nullable = false
	d.Spec.Versions[0].Schema.OpenAPIV3Schema = &root
	return d
}

func with(a, b map[string]schemaProps) map[string]schemaProps {
	for k, v := range b {
		a[k] = v
	}
	return a
}

func definition(gvr schema.GroupVersionResource, kind string, namespaced bool, spec schemaProps) *apiextensions.CustomResourceDefinition {
	scope := apiextensions.ClusterScoped
	if namespaced {
		scope = apiextensions.NamespaceScoped
	}
	root := fieldsOf(map[string]schemaProps{"spec": spec, "status": freeObject()})
	return &apiextensions.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: gvr.GroupResource().String()},
		Spec: apiextensions.CustomResourceDefinitionSpec{
			Group: gvr.Group, Scope: scope,
			Names: apiextensions.CustomResourceDefinitionNames{Plural: gvr.Resource, Singular: singular(gvr.Resource), Kind: kind, ListKind: kind + "List"},
			Versions: []apiextensions.CustomResourceDefinitionVersion{{
				Name: gvr.Version, Served: true, Storage: true,
				Schema:       &apiextensions.CustomResourceValidation{OpenAPIV3Schema: &root},
				Subresources: &apiextensions.CustomResourceSubresources{Status: &apiextensions.CustomResourceSubresourceStatus{}},
			}},
		},
	}
}

func singular(plural string) string { return plural[:len(plural)-1] }
