{{- /*
One run, with the rights of that run: what internal/job writes, and a test holds both
together. Labels and names are its own, so that either goes on with what the other began.
*/}}

{{- define "awsmigrate.job.name" -}}awsmigrate-{{ .Values.job.cluster }}{{- end }}

{{- define "awsmigrate.job.labels" -}}
app.kubernetes.io/component: run
app.kubernetes.io/instance: {{ include "awsmigrate.job.name" . }}
app.kubernetes.io/name: awsmigrate
{{- end }}

{{- /* Journal, records of runs and lock, in the namespace that has them. */}}
{{- define "awsmigrate.job.rules.record" -}}
{{- $names := list (include "awsmigrate.job.name" .) }}
{{- include "awsmigrate.rule" (list "" "configmaps" (list "get" "patch") (append $names (printf "awsmigrate.record.%s" .Values.job.cluster))) }}
{{- include "awsmigrate.rule" (list "" "configmaps" (list "create") list) }}
{{- include "awsmigrate.rule" (list "coordination.k8s.io" "leases" (list "get" "update") $names) }}
{{- include "awsmigrate.rule" (list "coordination.k8s.io" "leases" (list "create") list) }}
{{- end }}

{{- define "awsmigrate.job.rules.rke2" -}}
{{- $cluster := list .Values.job.cluster }}
{{- include "awsmigrate.rule" (list "provisioning.cattle.io" "clusters" (list "get" "patch") $cluster) }}
{{- include "awsmigrate.rule" (list "rke.cattle.io" "rkecontrolplanes" (list "get" "patch") $cluster) }}
{{- include "awsmigrate.rule" (list "cluster.x-k8s.io" "clusters" (list "get") $cluster) }}
{{- include "awsmigrate.rule" (list "cluster.x-k8s.io" "machines" (list "list") list) }}
{{- include "awsmigrate.job.rules.record" . }}
{{- include "awsmigrate.rule" (list "" "secrets" (list "get") (list (printf "%s-kubeconfig" .Values.job.cluster))) }}
{{- end }}

{{- define "awsmigrate.job.rules.rke" -}}
{{- include "awsmigrate.rule" (list "management.cattle.io" "nodes" (list "list") list) }}
{{- include "awsmigrate.job.rules.record" . }}
{{- include "awsmigrate.rule" (list "" "secrets" (list "create") list) }}
{{- end }}

{{- /* The way to an RKE cluster, beside the mirror that Rancher keeps of it. */}}
{{- define "awsmigrate.job.rules.mirror" -}}
{{- include "awsmigrate.rule" (list "provisioning.cattle.io" "clusters" (list "get") (list .Values.job.cluster)) }}
{{- include "awsmigrate.rule" (list "" "secrets" (list "get") (list (printf "%s-kubeconfig" .Values.job.cluster))) }}
{{- end }}

{{- define "awsmigrate.job.args" -}}
{{- $job := .Values.job }}
{{- $args := list $job.distribution "--cluster" $job.cluster }}
{{- if eq $job.distribution "rke2" }}{{ $args = concat $args (list "--namespace" $job.namespace) }}{{ end }}
{{- $args = concat $args (ternary (list "--plan" "/plan/plan.json") (list "--yes") (not (empty $job.plan))) (list "-o" "jsonl") }}
{{- with $job.edits }}{{ $args = concat $args (list "--edits" .) }}{{ end }}
{{- with .Values.aws }}
{{- if ne .mode "auto" }}{{ $args = concat $args (list "--aws" .mode) }}{{ end }}
{{- with .region }}{{ $args = concat $args (list "--region" .) }}{{ end }}
{{- with .assumeRole }}{{ $args = concat $args (list "--assume-role" .) }}{{ end }}
{{- end }}
{{- $literal := list }}{{- /* the kubelet expands $(NAME) */}}
{{- range concat $args $job.args }}{{ $literal = append $literal (toString . | replace "$" "$$") }}{{ end }}
{{- toYaml $literal }}
{{- end }}
