package awsccm

import (
	"time"

	"helm.sh/helm/v3/pkg/release"
)

// Release is the last revision of a Helm release.
type Release struct {
	Namespace, Name string
	Revision        int
	Status          release.Status
	Chart           string // "aws-cloud-controller-manager-0.0.8"
	OurChart        bool
	Updated         time.Time
	Values          map[string]any // what the user gave, not the chart's defaults
	Manifest        string
}

func releaseOf(r *release.Release) *Release {
	out := &Release{Namespace: r.Namespace, Name: r.Name, Revision: r.Version, Values: r.Config, Manifest: r.Manifest}
	if r.Info != nil {
		out.Status, out.Updated = r.Info.Status, r.Info.LastDeployed.Time
	}
	if r.Chart != nil && r.Chart.Metadata != nil {
		out.Chart, out.OurChart = r.Chart.Metadata.Name+"-"+r.Chart.Metadata.Version, IsOurs(r.Chart)
	}
	return out
}

// CarriedValues are the values of an earlier release that are the user's own
// and that Values does not compute: where images come from, pull secrets,
// resources, environment, annotations, volumes. They belong under --values.
func CarriedValues(previous map[string]any) map[string]any {
	out := map[string]any{}
	for _, key := range []string{
		"imagePullSecrets", "resources", "env", "securityContext", "podSecurityContext", "podAnnotations",
		"extraVolumes", "extraVolumeMounts", "dnsPolicy", "serviceAccount", "serviceAccountName",
		"clusterRoleName", "roleBindingName", "roleName",
	} {
		if value, given := previous[key]; given {
			out[key] = deepCopyValue(value)
		}
	}
	if repository, given := asMap(previous["image"])["repository"]; given {
		out["image"] = map[string]any{"repository": repository}
	}
	withoutOurMounts(out)
	return out
}

// withoutOurMounts removes what mount added for a chart that is not ours.
func withoutOurMounts(values map[string]any) {
	for _, key := range []string{"extraVolumes", "extraVolumeMounts"} {
		list, given := values[key].([]any)
		if !given {
			continue
		}
		kept := []any{}
		for _, item := range list {
			m := asMap(item)
			ours := m["mountPath"] == foreignMigrationPath || m["mountPath"] == foreignConfigPath ||
				asMap(m["configMap"])["name"] == migrationConfigMap || asMap(m["secret"])["secretName"] == cloudConfigSecret
			if !ours {
				kept = append(kept, item)
			}
		}
		values[key] = kept
	}
}
