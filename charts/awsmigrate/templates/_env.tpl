{{- define "awsmigrate.cas" -}}/etc/awsmigrate/certificates{{- end }}

{{- /*
The place of the program. By the pod's UID and the container's name, the next process of the
same container takes over the locks of its predecessor at once.
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
# The whole limit: a reference cannot be a fraction of it. The program subtracts its own
# reserve.
- name: GOMEMLIMIT
  valueFrom: {resourceFieldRef: {containerName: awsmigrate, resource: limits.memory}}
{{- end }}
{{- with .Values.proxy }}
- name: HTTP_PROXY
  value: {{ . | quote }}
- name: HTTPS_PROXY
  value: {{ . | quote }}
# Added to the value: the API server, services, and the addresses where AWS gives pods and
# machines their identity.
- name: NO_PROXY
  value: {{ printf "%s,$(KUBERNETES_SERVICE_HOST),.svc,169.254.0.0/16,fd00:ec2::/32" $.Values.noProxy | trimPrefix "," | quote }}
{{- end }}
{{- if .Values.additionalTrustedCAs }}
# Go reads the certificates in this folder in addition to the roots in the image.
- name: SSL_CERT_DIR
  value: {{ include "awsmigrate.cas" . }}
{{- end }}
{{- end }}
