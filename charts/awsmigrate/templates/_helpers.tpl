{{- define "awsmigrate.labels" -}}
{{ include "awsmigrate.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "awsmigrate.selector" -}}
app.kubernetes.io/name: awsmigrate
app.kubernetes.io/component: controller
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "awsmigrate.image" -}}
{{- $image := .Values.image }}
{{- with .Values.global.cattle.systemDefaultRegistry }}{{ trimSuffix "/" . }}/{{ end }}{{ $image.repository }}:{{ $image.tag | default .Chart.AppVersion }}
{{- with $image.digest }}@{{ . }}{{ end }}
{{- end }}

{{- /*
Whether an object of the Prometheus operator is wanted and known: a list of the chart's
scope and the values of the object.
*/}}
{{- define "awsmigrate.monitored" -}}
{{- if and (index . 1).enabled ((index . 0).Capabilities.APIVersions.Has "monitoring.coreos.com/v1") }}true{{ end }}
{{- end }}

{{- /* The Lease by which one controller leads, under the name that the program gives it. */}}
{{- define "awsmigrate.election" -}}awsmigrate{{- end }}

{{- /*
A rule for one resource: a list of group, resource, verbs and names. Without names it
holds for every object of the resource, without verbs there is none.
*/}}
{{- define "awsmigrate.rule" -}}
{{- if index . 2 }}
- apiGroups: [{{ index . 0 | quote }}]
  resources: [{{ index . 1 }}]
  {{- with index . 3 }}
  resourceNames: {{ toJson . }}
  {{- end }}
  verbs: [{{ join ", " (index . 2) }}]
{{- end }}
{{- end }}

{{- /* The Role or ClusterRole with the rules of .rules, and its binding to the controller. */}}
{{- define "awsmigrate.granted" -}}
{{- $kind := ternary "Role" "ClusterRole" (hasKey . "namespace") -}}
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ $kind }}
metadata:
  name: {{ .name }}
  {{- with get . "namespace" }}
  namespace: {{ . }}
  {{- end }}
  labels:
    {{- include "awsmigrate.labels" .root | nindent 4 }}
rules:
  {{- .rules | trim | nindent 2 }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ $kind }}Binding
metadata:
  name: {{ .name }}
  {{- with get . "namespace" }}
  namespace: {{ . }}
  {{- end }}
  labels:
    {{- include "awsmigrate.labels" .root | nindent 4 }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: {{ $kind }}
  name: {{ .name }}
subjects:
  - kind: ServiceAccount
    name: {{ .root.Release.Name }}
    namespace: {{ .root.Release.Namespace }}
{{- end }}
