{{- define "ccm.chart" -}}
{{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "ccm.labels" -}}
helm.sh/chart: {{ include "ccm.chart" . | quote }}
{{- end }}

{{- define "ccm.image" -}}
{{ .Values.image.repository }}{{ with .Values.image.tag }}:{{ . }}{{ end }}{{ with .Values.image.digest }}@{{ . }}{{ end }}
{{- end }}

{{- /* Drops keys that are null. Helm keeps those without a default in this chart, and
Kubernetes would read them as "", which matches no node. */ -}}
{{- define "ccm.nodeSelector" -}}
{{- $selector := dict -}}
{{- range $key, $value := .Values.nodeSelector -}}
{{- if not (kindIs "invalid" $value) -}}{{- $_ := set $selector $key $value -}}{{- end -}}
{{- end -}}
{{- if $selector -}}{{ toYaml $selector }}{{- end -}}
{{- end }}

{{- /* "true" when leader migration is on, by value or by an argument. */ -}}
{{- define "ccm.leaderMigration" -}}
{{- $on := .Values.leaderMigration.enabled -}}
{{- range .Values.args -}}
{{- if or (eq . "--enable-leader-migration") (eq . "--enable-leader-migration=true") -}}{{- $on = true -}}{{- end -}}
{{- end -}}
{{- if $on }}true{{ end -}}
{{- end }}

{{- /* "true" when the migration file is mounted by this chart. */ -}}
{{- define "ccm.migrationFile" -}}
{{- $own := false -}}
{{- range .Values.args -}}
{{- if hasPrefix "--leader-migration-config=" . -}}{{- $own = true -}}{{- end -}}
{{- end -}}
{{- if and (include "ccm.leaderMigration" .) .Values.leaderMigration.mountConfig (not $own) }}true{{ end -}}
{{- end }}

{{- define "ccm.cloudConfigSecret" -}}
{{- if .Values.cloudConfig.existingSecret -}}
{{ .Values.cloudConfig.existingSecret }}
{{- else if .Values.cloudConfig.content -}}
{{ .Values.nameOverride }}-cloud-config
{{- end -}}
{{- end }}

{{- define "ccm.securePort" -}}
{{- $port := .Values.securePort | toString -}}
{{- range .Values.args -}}
{{- if hasPrefix "--secure-port=" . -}}{{- $port = trimPrefix "--secure-port=" . -}}{{- end -}}
{{- end -}}
{{ $port }}
{{- end }}

{{- /* The whole argument list: the user's arguments, then missing defaults. */ -}}
{{- define "ccm.args" -}}
{{- $provider := false }}{{ $routes := false }}{{ $flag := false }}{{ $port := false -}}
{{- range .Values.args }}
{{- if hasPrefix "--cloud-provider=" . }}{{ $provider = true }}{{ end }}
{{- if hasPrefix "--configure-cloud-routes" . }}{{ $routes = true }}{{ end }}
{{- if hasPrefix "--enable-leader-migration" . }}{{ $flag = true }}{{ end }}
{{- if hasPrefix "--secure-port=" . }}{{ $port = true }}{{ end }}
- {{ . | quote }}
{{- end }}
{{- if not $provider }}
- --cloud-provider=aws
{{- end }}
{{- if not $routes }}
- --configure-cloud-routes=false
{{- end }}
{{- if and (not $port) (ne (include "ccm.securePort" .) "10258") }}
- --secure-port={{ include "ccm.securePort" . }}
{{- end }}
{{- if and .Values.leaderMigration.enabled (not $flag) }}
- --enable-leader-migration=true
{{- end }}
{{- if include "ccm.migrationFile" . }}
- --leader-migration-config=/etc/kubernetes/leader-migration/leader-migration.yaml
{{- end }}
{{- if include "ccm.cloudConfigSecret" . }}
- --cloud-config=/etc/kubernetes/cloud-config/{{ .Values.cloudConfig.key }}
{{- end }}
{{- end }}

{{- define "ccm.probe" -}}
httpGet:
  path: /healthz
  port: {{ include "ccm.securePort" . }}
  scheme: HTTPS
{{- end }}
