package rancher

import (
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

type schemaProps = apiextensions.JSONSchemaProps

// fieldsOf returns the schema of an object with these fields; other fields are pruned.
func fieldsOf(props map[string]schemaProps) schemaProps {
	return schemaProps{Type: "object", Properties: props}
}

// freeObject returns the schema of an object with any content; null is allowed.
func freeObject() schemaProps {
	yes := true
	return schemaProps{Type: "object", XPreserveUnknownFields: &yes, Nullable: true}
}

func text() schemaProps   { return schemaProps{Type: "string"} }
func truthy() schemaProps { return schemaProps{Type: "boolean"} }
func number() schemaProps { return schemaProps{Type: "integer", Format: "int64"} }

func listOf(item schemaProps) schemaProps {
	return schemaProps{Type: "array", Items: &apiextensions.JSONSchemaPropsOrArray{Schema: &item}, Nullable: true}
}

// texts adds string fields of those names.
func texts(into map[string]schemaProps, names ...string) map[string]schemaProps {
	for _, n := range names {
		into[n] = text()
	}
	return into
}

// clusterCommon returns the common fields of a Cluster's rkeConfig and an RKEControlPlane's
// spec. Source: rancher/rancher:pkg/apis/rke.cattle.io/v1/cluster.go@v2.8.5
// (RKEClusterSpecCommon).
func clusterCommon() map[string]schemaProps {
	drain := freeObject()
	return map[string]schemaProps{
		"upgradeStrategy": fieldsOf(map[string]schemaProps{
			"controlPlaneConcurrency": text(), "controlPlaneDrainOptions": drain, "workerConcurrency": text(), "workerDrainOptions": drain,
		}),
		"chartValues":         freeObject(),
		"machineGlobalConfig": freeObject(),
		"machineSelectorConfig": listOf(fieldsOf(map[string]schemaProps{
			"config": freeObject(), "machineLabelSelector": selectorSchema(),
		})),
		"machineSelectorFiles": listOf(fieldsOf(map[string]schemaProps{
			"fileSources": listOf(freeObject()), "machineLabelSelector": selectorSchema(),
		})),
		"additionalManifest":  text(),
		"registries":          freeObject(),
		"etcd":                freeObject(),
		"networking":          freeObject(),
		"provisionGeneration": number(),
		"etcdSnapshotCreate":  nullable(fieldsOf(map[string]schemaProps{"generation": number()})),
		"etcdSnapshotRestore": nullable(fieldsOf(map[string]schemaProps{
			"generation": number(), "name": text(), "restoreRKEConfig": text(),
		})),
		"rotateCertificates":   freeObject(),
		"rotateEncryptionKeys": freeObject(),
	}
}

func nullable(s schemaProps) schemaProps {
	s.Nullable = true
	return s
}

func selectorSchema() schemaProps {
	return nullable(fieldsOf(map[string]schemaProps{
		"matchLabels": {Type: "object", AdditionalProperties: &apiextensions.JSONSchemaPropsOrBool{Allows: true, Schema: &schemaProps{Type: "string"}}},
		"matchExpressions": listOf(fieldsOf(map[string]schemaProps{
			"key": text(), "operator": text(), "values": listOf(text()),
		})),
	}))
}

func poolSchema() schemaProps {
	return fieldsOf(texts(map[string]schemaProps{
		"quantity": number(), "controlPlaneRole": truthy(), "etcdRole": truthy(), "workerRole": truthy(), "paused": truthy(),
		"drainBeforeDelete": truthy(), "labels": freeObject(), "machineDeploymentLabels": freeObject(), "machineDeploymentAnnotations": freeObject(),
		"taints": listOf(freeObject()), "machineConfigRef": freeObject(), "rollingUpdate": freeObject(),
	}, "name", "displayName", "machineOS", "unhealthyNodeTimeout", "nodeStartupTimeout", "maxUnhealthy", "unhealthyRange",
		"drainBeforeDeleteTimeout", "cloudCredentialSecretName", "dynamicSchemaSpec"))
}
