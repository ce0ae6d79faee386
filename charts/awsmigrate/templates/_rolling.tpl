{{- /* The controller's arguments for its namespaces and clusters. */}}
{{- define "awsmigrate.scope" -}}
- --namespaces={{ join "," .Values.namespaces }}
{{- with .Values.access.clusters }}
- --clusters={{ join "," . }}
{{- end }}
- --rke={{ join "," .Values.access.rke1 }}
{{- end }}

{{- /*
A Job that succeeds if no cluster rolls out. Takes a list of the chart's scope, a name, the
hooks, and the clusters as arguments. It has the rights of the controller, and ends before
Helm's timeout (5 min). Its log stays if it failed.
*/}}
{{- define "awsmigrate.rolling" -}}
{{- $root := index . 0 }}
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ $root.Release.Name }}-{{ index . 1 }}
  namespace: {{ $root.Release.Namespace }}
  labels:
    {{- include "awsmigrate.rolling.labels" $root | nindent 4 }}
  annotations:
    helm.sh/hook: {{ index . 2 }}
    helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
    helm.sh/hook-output-log-policy: hook-failed
spec:
  activeDeadlineSeconds: 240
  # Retries once after an API error; does not wait for a rollout.
  backoffLimit: 1
  podFailurePolicy:
    rules:
      - action: FailJob
        onExitCodes:
          containerName: awsmigrate
          operator: In
          values: [2, 3]
  template:
    metadata:
      labels:
        {{- include "awsmigrate.rolling.labels" $root | nindent 8 }}
    spec:
      restartPolicy: Never
      serviceAccountName: {{ $root.Release.Name }}
      automountServiceAccountToken: true
      enableServiceLinks: false
      {{- include "awsmigrate.place" $root | trim | nindent 6 }}
      securityContext:
        {{- include "awsmigrate.pod.security" $root | nindent 8 }}
      containers:
        - name: awsmigrate
          image: {{ include "awsmigrate.image" $root | quote }}
          imagePullPolicy: {{ $root.Values.image.pullPolicy }}
          args:
            - controller
            - rolling
            {{- toYaml (index . 3) | nindent 12 }}
          env:
            {{- include "awsmigrate.env" $root | trim | nindent 12 }}
          {{- with $root.Values.resources }}
          resources:
            {{- toYaml . | nindent 12 }}
          {{- end }}
          securityContext:
            {{- include "awsmigrate.container.security" $root | nindent 12 }}
          {{- if $root.Values.additionalTrustedCAs }}
          volumeMounts:
            - {{- include "awsmigrate.cas.mount" $root | nindent 14 }}
          {{- end }}
      {{- if $root.Values.additionalTrustedCAs }}
      volumes:
        - {{- include "awsmigrate.cas.volume" $root | nindent 10 }}
      {{- end }}
{{- end }}

{{- define "awsmigrate.rolling.labels" -}}
app.kubernetes.io/name: awsmigrate
app.kubernetes.io/component: rolling
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}
