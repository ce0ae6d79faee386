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
Reports whether an object of the Prometheus operator is enabled and its API exists. Takes a
list of the chart's scope and the values of the object.
*/}}
{{- define "awsmigrate.monitored" -}}
{{- if and (index . 1).enabled ((index . 0).Capabilities.APIVersions.Has "monitoring.coreos.com/v1") }}true{{ end }}
{{- end }}

{{- /* The ports that pods may reach at any address: the configured ones, and the proxy's. */}}
{{- define "awsmigrate.egress" -}}
{{- $ports := list }}
{{- range .Values.networkPolicy.egressPorts }}{{ $ports = append $ports (int .) }}{{ end }}
{{- with .Values.proxy }}
{{- $url := urlParse . }}
{{- $port := regexFind "[0-9]+$" (regexFind ":[0-9]+$" $url.host) | default (ternary "443" "80" (eq $url.scheme "https")) }}
{{- $ports = append $ports (int $port) }}
{{- end }}
{{- range uniq $ports }}{{ printf "- %d\n" . }}{{ end }}
{{- end }}

{{- /* The minimum schema of the definition with every field; pkg/apis counts it. */}}
{{- define "awsmigrate.schema" -}}1{{- end }}

{{- /* The name of the leader election's Lease, as in the program. */}}
{{- define "awsmigrate.election" -}}awsmigrate{{- end }}

{{- /*
A rule for one resource. Takes a list of group, resource, verbs and names. Without names it
applies to every object of the resource; without verbs it is empty.
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

{{- /*
The Role or ClusterRole with the rules of .rules, and its binding to the controller.
*/}}
{{- define "awsmigrate.granted" -}}
{{- $kind := ternary "Role" "ClusterRole" (hasKey . "namespace") -}}
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ $kind }}
{{ include "awsmigrate.meta" . }}
rules:
  {{- .rules | trim | nindent 2 }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ $kind }}Binding
{{ include "awsmigrate.meta" . }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: {{ $kind }}
  name: {{ .name }}
subjects:
  - kind: ServiceAccount
    name: {{ .root.Release.Name }}
    namespace: {{ .root.Release.Namespace }}
{{- end }}

{{- define "awsmigrate.meta" -}}
metadata:
  name: {{ .name }}
  {{- with get . "namespace" }}
  namespace: {{ . }}
  {{- end }}
  labels:
    {{- include "awsmigrate.labels" .root | nindent 4 }}
{{- end }}

{{- /* Scheduling of a pod, and the Secrets that pull its image. */}}
{{- define "awsmigrate.place" -}}
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
nodeSelector:
  kubernetes.io/os: linux
  {{- with omit .Values.nodeSelector "kubernetes.io/os" }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
tolerations:
  # Rancher's taint on Linux nodes of clusters with Windows.
  - key: cattle.io/os
    operator: Equal
    value: linux
    effect: NoSchedule
  {{- with .Values.tolerations }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with .Values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- /* Security contexts of a pod and its container, for Kubernetes' level `restricted`. */}}
{{- define "awsmigrate.pod.security" -}}
runAsNonRoot: true
runAsUser: 65534
runAsGroup: 65534
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "awsmigrate.container.security" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop:
    - ALL
{{- end }}

{{- /* The volume of a pod with additionalTrustedCAs. */}}
{{- define "awsmigrate.cas.volume" -}}
name: additional-cas
secret:
  secretName: tls-ca-additional
  items:
    - key: ca-additional.pem
      path: ca-additional.pem
{{- end }}

{{- define "awsmigrate.cas.mount" -}}
name: additional-cas
mountPath: {{ include "awsmigrate.cas" . }}
readOnly: true
{{- end }}
