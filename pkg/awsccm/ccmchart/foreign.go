package ccmchart

import (
	"helm.sh/helm/v3/pkg/chart"

	"github.com/awsmigrate/awsmigrate/pkg/awsccm"
	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

const (
	foreignMigrationPath = "/etc/kubernetes/leader-migration"
	foreignConfigPath    = "/etc/kubernetes/cloud-config"
	migrationConfigMap   = wellknown.CCM + "-leader-migration"
	cloudConfigSecret    = wellknown.CCM + "-cloud-config"
)

// finishArguments completes the arguments after the user's list has replaced ours: only
// awsmigrate sets the migration flags, and the list gets the required flags that it lacks.
func (in Inputs) finishArguments(values map[string]any, img awsccm.Image, config CloudConfig) {
	list, err := stringList(values["args"])
	if err != nil {
		return // judgeUserValues reports it
	}
	args := arguments(list).without(flagLeaderMigration, flagMigrationConfig)
	for _, own := range in.arguments() {
		flag, value := splitFlag(own)
		if _, given := args.get(flag); !given {
			args = args.with(flag, value)
		}
	}
	if !in.foreign() {
		if config.Text != "" {
			values["cloudConfig"] = merge(asMap(values["cloudConfig"]), map[string]any{"content": config.Text})
		}
		values["args"] = args.list()
		return
	}
	files := map[string]any{}
	if in.LeaderMigration {
		args = args.with(flagLeaderMigration, "true")
		if awsccm.NeedsMigrationFile(img) {
			args = args.with(flagMigrationConfig, foreignMigrationPath+"/leader-migration.yaml")
			files["leaderMigration"] = MigrationFile()
			mount(values, "leader-migration", foreignMigrationPath,
				map[string]any{"configMap": map[string]any{"name": migrationConfigMap}})
		}
	}
	if config.Text != "" {
		args = args.with(flagCloudConfig, foreignConfigPath+"/cloud.conf")
		files["cloudConfig"] = config.Text
		mount(values, "cloud-config", foreignConfigPath,
			map[string]any{"secret": map[string]any{"secretName": cloudConfigSecret}})
	}
	values["awsmigrateFiles"] = files
	values["args"] = args.list()
}

func mount(values map[string]any, name, path string, source map[string]any) {
	source["name"] = name
	volumes, _ := values["extraVolumes"].([]any)
	mounts, _ := values["extraVolumeMounts"].([]any)
	values["extraVolumes"] = append(volumes, source)
	values["extraVolumeMounts"] = append(mounts, map[string]any{"name": name, "mountPath": path, "readOnly": true})
}

// foreignTemplate contains the files that upstream's chart has no value for. It is added to that
// chart as a template, so that the release owns the objects.
const foreignTemplate = `{{- with .Values.awsmigrateFiles }}
{{- with .leaderMigration }}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: ` + migrationConfigMap + `
  namespace: {{ $.Values.namespace }}
data:
  leader-migration.yaml: |
    {{- . | nindent 4 }}
{{- end }}
{{- with .cloudConfig }}
---
apiVersion: v1
kind: Secret
metadata:
  name: ` + cloudConfigSecret + `
  namespace: {{ $.Values.namespace }}
type: Opaque
data:
  cloud.conf: {{ . | b64enc }}
{{- end }}
{{- with .environment }}
---
apiVersion: v1
kind: Secret
metadata:
  name: ` + environmentSecret + `
  namespace: {{ $.Values.namespace }}
type: Opaque
data:
  {{- range $name, $value := . }}
  {{ $name }}: {{ $value | b64enc }}
  {{- end }}
{{- end }}
{{- end }}
`

const foreignTemplateName = "templates/awsmigrate-files.yaml"

// extend adds the template to a foreign chart.
func extend(ch *chart.Chart) {
	file := &chart.File{Name: foreignTemplateName, Data: []byte(foreignTemplate)}
	ch.Templates = append(ch.Templates, file)
	ch.Raw = append(ch.Raw, file)
}
