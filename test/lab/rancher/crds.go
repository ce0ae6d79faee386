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
			"machinePools": listOf(poolSchema()), "machinePoolDefaults": free(), "infrastructureRef": free(),
		}))),
		"agentEnvVars": listOf(free()), "localClusterAuthEndpoint": free(), "clusterAPIConfig": free(),
		"clusterAgentDeploymentCustomization": free(), "fleetAgentDeploymentCustomization": free(), "enableNetworkPolicy": truthy(),
	}, "kubernetesVersion", "cloudCredentialSecretName", "defaultPodSecurityPolicyTemplateName",
		"defaultPodSecurityAdmissionConfigurationTemplateName", "redeploySystemAgentGeneration"))
	controlPlane := fieldsOf(texts(with(clusterCommon(), map[string]schemaProps{
		"agentEnvVars": listOf(free()), "localClusterAuthEndpoint": free(), "unmanagedConfig": truthy(),
	}), "kubernetesVersion", "clusterName", "managementClusterName"))
	snapshot := definition(gvrSnapshot, "ETCDSnapshot", true, free())
	snapshot.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["snapshotFile"] = free()
	setting := definition(gvrSetting, "Setting", false, free())
	for _, f := range []string{"value", "default", "source"} {
		setting.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties[f] = text()
	}
	psact := definition(gvrPSACT, "PodSecurityAdmissionConfigurationTemplate", false, free())
	psact.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["configuration"] = free()
	psact.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["description"] = text()
	return []*apiextensions.CustomResourceDefinition{
		definition(gvrCluster, "Cluster", true, cluster),
		definition(gvrControlPlane, "RKEControlPlane", true, controlPlane),
		snapshot,
		definition(gvrMachine, "Machine", true, free()),
		definition(gvrDeployment, "MachineDeployment", true, free()),
		definition(gvrHealthCheck, "MachineHealthCheck", true, free()),
		definition(gvrCAPICluster, "Cluster", true, free()),
		definition(gvrManagementCluster, "Cluster", false, free()),
		definition(gvrManagementNode, "Node", true, free()),
		setting, psact,
	}
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
	root := fieldsOf(map[string]schemaProps{"spec": spec, "status": free()})
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
