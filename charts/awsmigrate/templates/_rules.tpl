{{- /*
The controller's rights in the management cluster. The rights of one run are in
internal/job/rights.go, and a test compares both. Kubernetes can bind get, patch and update
to names, but not create, list and watch.
*/}}

{{- /* In all namespaces: the definition of its own kind, Rancher's version, and RKE clusters by id. */}}
{{- define "awsmigrate.rules.cluster" -}}
{{- $rke1 := .Values.access.rke1 }}
{{- include "awsmigrate.rule" (list "apiextensions.k8s.io" "customresourcedefinitions" (list "get") (list "clustermigrations.awsmigrate.io")) }}
{{- include "awsmigrate.rule" (list "management.cattle.io" "settings" (list "get") (list "server-version")) }}
{{- if $rke1 }}
{{- include "awsmigrate.rule" (list "management.cattle.io" "clusters" (ternary (list "get" "patch") (list "get") (eq .Values.mode "migrate")) $rke1) }}
{{- end }}
{{- end }}

{{- /* To see whether Rancher itself rolls out. */}}
{{- define "awsmigrate.rules.rancher" -}}
{{- include "awsmigrate.rule" (list "apps" "deployments" (list "get") (list "rancher")) }}
{{- end }}

{{- /*
Rules for a watched namespace. Takes a list of the chart's scope and the namespace. It also
has an RKE cluster's ClusterMigration, Rancher's mirror of its Cluster, the kubeconfig and the
plan. Journal and lock of an RKE cluster are in the namespace of its id.
*/}}
{{- define "awsmigrate.rules.namespace" -}}
{{- $values := (index . 0).Values }}
{{- $migrate := eq $values.mode "migrate" }}
{{- $get := ternary (list "get" "patch") (list "get") $migrate }}
{{- $bound := $values.access.clusters }}
{{- $all := ternary (concat $bound $values.access.rke1 | uniq) list (not (empty $bound)) }}
{{- $secrets := list }}{{- $records := list }}{{- $locks := list }}
{{- range $all }}{{- $secrets = append $secrets (printf "%s-kubeconfig" .) }}{{- $records = append $records (printf "awsmigrate.plans.%s" .) }}{{- end }}
{{- range $bound }}{{- $locks = append $locks (printf "awsmigrate-%s" .) }}{{- $records = append $records (printf "awsmigrate.record.%s" .) }}{{- end }}
{{- if $bound }}{{- $secrets = concat $secrets $values.access.secrets | uniq }}{{- end }}
{{- include "awsmigrate.rule" (list "awsmigrate.io" "clustermigrations" (list "list" "watch" "create") list) }}
{{- include "awsmigrate.rule" (list "awsmigrate.io" "clustermigrations" (ternary (list "get" "patch") list $migrate) $all) }}
{{- include "awsmigrate.rule" (list "awsmigrate.io" "clustermigrations/status" (list "update") $all) }}
{{- include "awsmigrate.rule" (list "awsmigrate.io" "migrationrollouts" (ternary (list "get" "list" "watch") (list "list" "watch") $migrate) list) }}
{{- include "awsmigrate.rule" (list "awsmigrate.io" "migrationrollouts/status" (list "update") list) }}
{{- include "awsmigrate.rule" (list "provisioning.cattle.io" "clusters" (list "list" "watch") list) }}
{{- include "awsmigrate.rule" (list "provisioning.cattle.io" "clusters" (list "get") $all) }}
{{- include "awsmigrate.rule" (list "provisioning.cattle.io" "clusters" (ternary (list "patch") list $migrate) $bound) }}
{{- include "awsmigrate.rule" (list "rke.cattle.io" "rkecontrolplanes" $get $bound) }}
{{- include "awsmigrate.rule" (list "cluster.x-k8s.io" "clusters" (list "get") $bound) }}
{{- include "awsmigrate.rule" (list "cluster.x-k8s.io" "machines" (list "list") list) }}
{{- include "awsmigrate.rule" (list "plan.cattle.io" "beacons" (list "get") $bound) }}
{{- include "awsmigrate.rule" (list "" "configmaps" (ternary (list "list" "create") (list "list") $migrate) list) }}
{{- include "awsmigrate.rule" (list "" "configmaps" $get (concat $locks $records)) }}
{{- if or $migrate (eq (index . 1) (first $values.namespaces)) }}
{{- include "awsmigrate.rule" (list "coordination.k8s.io" "leases" (list "create") list) }}
{{- end }}
{{- $election := ternary (list (include "awsmigrate.election" .)) list (eq (index . 1) (first $values.namespaces)) }}
{{- if and $migrate (empty $locks) }}
{{- include "awsmigrate.rule" (list "coordination.k8s.io" "leases" (list "get" "update") list) }}
{{- else }}
{{- with concat $election (ternary $locks list $migrate) }}
{{- include "awsmigrate.rule" (list "coordination.k8s.io" "leases" (list "get" "update") .) }}
{{- end }}
{{- end }}
{{- include "awsmigrate.rule" (list "" "secrets" (list "get") $secrets) }}
{{- include "awsmigrate.rule" (list "events.k8s.io" "events" (ternary (list "create" "patch") list $migrate) list) }}
{{- end }}

{{- /*
Rules for the namespace of an RKE cluster's id. Takes a list of the chart's scope and the id.
A Secret keeps values that an edit removes and the journal must not hold. Its name is not
known in advance, and only an undo reads it.
*/}}
{{- define "awsmigrate.rules.rke1" -}}
{{- $migrate := eq (index . 0).Values.mode "migrate" }}
{{- $record := list (printf "awsmigrate-%s" (index . 1)) }}
{{- $kept := append $record (printf "awsmigrate.record.%s" (index . 1)) }}
{{- include "awsmigrate.rule" (list "management.cattle.io" "nodes" (list "list") list) }}
{{- include "awsmigrate.rule" (list "" "configmaps" (ternary (list "get" "patch") (list "get") $migrate) $kept) }}
{{- if $migrate }}
{{- include "awsmigrate.rule" (list "" "configmaps" (list "create") list) }}
{{- include "awsmigrate.rule" (list "coordination.k8s.io" "leases" (list "create") list) }}
{{- include "awsmigrate.rule" (list "coordination.k8s.io" "leases" (list "get" "update") $record) }}
{{- include "awsmigrate.rule" (list "" "secrets" (list "create" "get") list) }}
{{- end }}
{{- end }}
