{{- define "awsmigrate.cas" -}}/etc/awsmigrate/certificates{{- end }}

{{- /*
Where the program runs: by the pod's UID and the container's name the next process of the
same container takes the locks of the one before it at once.
*/}}
{{- define "awsmigrate.env" -}}
- name: POD_NAME
  valueFrom: {fieldRef: {fieldPath: metadata.name}}
- name: POD_NAMESPACE
  valueFrom: {fieldRef: {fieldPath: metadata.namespace}}
- name: POD_UID
  valueFrom: {fieldRef: {fieldPath: metadata.uid}}
- name: NODE_NAME
  valueFrom: {fieldRef: {fieldPath: spec.nodeName}}
- name: CONTAINER_NAME
  value: awsmigrate
{{- if dig "limits" "memory" "" .Values.resources }}
# The whole limit: a reference cannot take nine tenths of it. Where to stop short of it is
# the program's to decide.
- name: GOMEMLIMIT
  valueFrom: {resourceFieldRef: {containerName: awsmigrate, resource: limits.memory}}
{{- end }}
{{- with .Values.proxy }}
- name: HTTP_PROXY
  value: {{ . | quote }}
- name: HTTPS_PROXY
  value: {{ . | quote }}
# Beside what is asked for: the API server, services, and where AWS gives pods and machines
# their identity.
- name: NO_PROXY
  value: {{ printf "%s,$(KUBERNETES_SERVICE_HOST),.svc,169.254.0.0/16,fd00:ec2::/32" $.Values.noProxy | trimPrefix "," | quote }}
{{- end }}
{{- if .Values.additionalTrustedCAs }}
# Go reads the certificates in this folder beside the file of roots that the image has.
- name: SSL_CERT_DIR
  value: {{ include "awsmigrate.cas" . }}
{{- end }}
{{- end }}
