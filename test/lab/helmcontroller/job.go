package helmcontroller

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// manifest holds all objects of a HelmChart.
type manifest struct {
	Job            *batchv1.Job
	Values         *corev1.Secret
	Content        *corev1.ConfigMap
	ServiceAccount *corev1.ServiceAccount
	Binding        *rbacv1.ClusterRoleBinding
}

// build is a pure function of the chart and its HelmChartConfig, which may be nil. Source:
// k3s-io/helm-controller:pkg/controllers/chart/chart.go@v0.15.9 (getJobAndRelatedResources).
func build(chart *helmChart, config *chartConfig, apiServerPort string) manifest {
	m := manifest{
		Job:     job(chart, apiServerPort),
		Values:  &corev1.Secret{ObjectMeta: metaFor("chart-values-" + chart.Name), Type: corev1.SecretTypeOpaque, Data: map[string][]byte{}},
		Content: &corev1.ConfigMap{ObjectMeta: metaFor("chart-content-" + chart.Name), Data: map[string]string{}},
	}
	m.ServiceAccount, m.Binding = account(chart)
	if chart.Spec.ValuesContent != "" {
		m.Values.Data["values-01_HelmChart.yaml"] = []byte(chart.Spec.ValuesContent)
	}
	if chart.Spec.RepoCA != "" {
		m.Values.Data["ca-file.pem"] = []byte(chart.Spec.RepoCA)
	}
	if chart.Spec.ChartContent != "" {
		m.Content.Data[chart.Name+".tgz.base64"] = chart.Spec.ChartContent
	}
	policy := policyReinstall
	if chart.Spec.FailurePolicy != "" {
		policy = chart.Spec.FailurePolicy
	}
	if config != nil {
		if config.Spec.ValuesContent != "" {
			m.Values.Data["values-10_HelmChartConfig.yaml"] = []byte(config.Spec.ValuesContent)
		}
		if config.Spec.FailurePolicy != "" {
			policy = config.Spec.FailurePolicy
		}
	}
	limit := int32(1000)
	if chart.Spec.BackOffLimit != nil {
		limit = *chart.Spec.BackOffLimit
	}
	m.Job.Spec.BackoffLimit = &limit
	container := &m.Job.Spec.Template.Spec.Containers[0]
	container.Env = append(container.Env, corev1.EnvVar{Name: "FAILURE_POLICY", Value: policy})
	m.Job.Spec.Template.Annotations[annotationHash] = contentHash(m)
	return m
}

func metaFor(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: namespace, Name: name}
}

// contentHash changes with chart and values, so that the job is replaced.
func contentHash(m manifest) string {
	h := sha256.New()
	for _, k := range slices.Sorted(maps.Keys(m.Content.Data)) {
		h.Write([]byte(k + m.Content.Data[k]))
	}
	for _, k := range slices.Sorted(maps.Keys(m.Values.Data)) {
		h.Write([]byte(k + base64.StdEncoding.EncodeToString(m.Values.Data[k])))
	}
	return fmt.Sprintf("SHA256=%X", h.Sum(nil))
}

func account(chart *helmChart) (*corev1.ServiceAccount, *rbacv1.ClusterRoleBinding) {
	yes, name := true, "helm-"+chart.Name
	return &corev1.ServiceAccount{ObjectMeta: metaFor(name), AutomountServiceAccountToken: &yes},
		&rbacv1.ClusterRoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: "helm-" + namespace + "-" + chart.Name},
			RoleRef:    rbacv1.RoleRef{Kind: "ClusterRole", APIGroup: rbacv1.GroupName, Name: "cluster-admin"},
			Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: namespace, Name: name}},
		}
}

func job(chart *helmChart, apiServerPort string) *batchv1.Job {
	action := "install"
	if chart.DeletionTimestamp != nil {
		action = "delete"
	}
	labels := map[string]string{labelChart: chart.Name}
	meta := metaFor("helm-" + action + "-" + chart.Name)
	meta.Labels = labels
	return &batchv1.Job{ObjectMeta: meta, Spec: batchv1.JobSpec{
		Template: corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{}, Labels: labels},
			Spec:       podSpec(chart, apiServerPort),
		},
	}}
}

// podSpec returns the pod of a chart's job. A bootstrap chart's job runs on a control plane, on
// the host's network, with tolerations for the taints of a new control plane, but not for a
// cordon. Any other chart's job needs an untainted node.
func podSpec(chart *helmChart, apiServerPort string) corev1.PodSpec {
	yes, no := true, false
	pod := corev1.PodSpec{
		RestartPolicy:      corev1.RestartPolicyOnFailure,
		ServiceAccountName: "helm-" + chart.Name,
		NodeSelector:       map[string]string{corev1.LabelOSStable: "linux"},
		SecurityContext: &corev1.PodSecurityContext{RunAsNonRoot: &yes,
			SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault}},
		Containers: []corev1.Container{{
			Name: "helm", Image: jobImage(chart), ImagePullPolicy: corev1.PullIfNotPresent, Args: args(chart), Env: env(chart),
			SecurityContext: &corev1.SecurityContext{AllowPrivilegeEscalation: &no, ReadOnlyRootFilesystem: &yes,
				Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}}},
		}},
	}
	if chart.Spec.PodSecurityContext != nil {
		pod.SecurityContext = chart.Spec.PodSecurityContext
	}
	if chart.Spec.SecurityContext != nil {
		pod.Containers[0].SecurityContext = chart.Spec.SecurityContext
	}
	mounts(&pod, chart)
	if !chart.Spec.Bootstrap {
		return pod
	}
	pod.NodeSelector["node-role.kubernetes.io/control-plane"] = "true"
	pod.HostNetwork = true
	pod.Tolerations = []corev1.Toleration{
		{Key: corev1.TaintNodeNotReady, Effect: corev1.TaintEffectNoSchedule},
		{Key: "node.cloudprovider.kubernetes.io/uninitialized", Operator: corev1.TolerationOpEqual, Value: "true", Effect: corev1.TaintEffectNoSchedule},
		{Key: "CriticalAddonsOnly", Operator: corev1.TolerationOpExists},
		{Key: "node-role.kubernetes.io/etcd", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute},
		{Key: "node-role.kubernetes.io/control-plane", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule},
	}
	pod.Containers[0].Env = append(pod.Containers[0].Env,
		corev1.EnvVar{Name: "KUBERNETES_SERVICE_HOST", Value: "127.0.0.1"},
		corev1.EnvVar{Name: "KUBERNETES_SERVICE_PORT", Value: apiServerPort},
		corev1.EnvVar{Name: "BOOTSTRAP", Value: "true"})
	return pod
}

func mounts(pod *corev1.PodSpec, chart *helmChart) {
	add := func(name, path string, source corev1.VolumeSource) {
		pod.Volumes = append(pod.Volumes, corev1.Volume{Name: name, VolumeSource: source})
		pod.Containers[0].VolumeMounts = append(pod.Containers[0].VolumeMounts, corev1.VolumeMount{Name: name, MountPath: path})
	}
	memory := corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{Medium: corev1.StorageMediumMemory}}
	add("klipper-helm", "/home/klipper-helm/.helm", memory)
	add("klipper-cache", "/home/klipper-helm/.cache", memory)
	add("klipper-config", "/home/klipper-helm/.config", memory)
	add("tmp", "/tmp", memory)
	add("values", pathConfig, corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: "chart-values-" + chart.Name}})
	add("content", pathChart, corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{
		LocalObjectReference: corev1.LocalObjectReference{Name: "chart-content-" + chart.Name}}})
}

func jobImage(chart *helmChart) string {
	if i := strings.TrimSpace(chart.Spec.JobImage); i != "" {
		return i
	}
	return DefaultJobImage
}

func env(chart *helmChart) []corev1.EnvVar {
	target, name := namespace, chart.Spec.Chart
	if chart.Spec.TargetNamespace != "" {
		target = chart.Spec.TargetNamespace
	}
	if chart.Spec.Repo != "" {
		name = chart.Name + "/" + chart.Spec.Chart
	}
	out := []corev1.EnvVar{
		{Name: "NAME", Value: chart.Name}, {Name: "VERSION", Value: chart.Spec.Version}, {Name: "REPO", Value: chart.Spec.Repo},
		{Name: "HELM_DRIVER", Value: "secret"}, {Name: "CHART_NAMESPACE", Value: namespace}, {Name: "CHART", Value: name},
		{Name: "HELM_VERSION", Value: chart.Spec.HelmVersion}, {Name: "TARGET_NAMESPACE", Value: target},
		{Name: "AUTH_PASS_CREDENTIALS", Value: fmt.Sprint(chart.Spec.AuthPassCredentials)},
	}
	if chart.Spec.Timeout != nil {
		out = append(out, corev1.EnvVar{Name: "TIMEOUT", Value: chart.Spec.Timeout.Duration.String()})
	}
	return out
}

// args returns the arguments of the helm command that the job runs.
func args(chart *helmChart) []string {
	if chart.DeletionTimestamp != nil {
		return []string{"delete"}
	}
	out := []string{"install"}
	if chart.Spec.TargetNamespace != "" {
		out = append(out, "--namespace", chart.Spec.TargetNamespace)
	}
	if chart.Spec.CreateNamespace {
		out = append(out, "--create-namespace")
	}
	if chart.Spec.Version != "" {
		out = append(out, "--version", chart.Spec.Version)
	}
	for _, k := range slices.Sorted(maps.Keys(chart.Spec.Set)) {
		if v := chart.Spec.Set[k]; typed(v) {
			out = append(out, "--set", k+"="+v.String())
		} else {
			out = append(out, "--set-string", k+"="+escapeCommas(v.String()))
		}
	}
	return out
}

func typed(v intstr.IntOrString) bool {
	return v.Type == intstr.Int || slices.Contains([]string{"true", "false", "null"}, strings.ToLower(v.StrVal))
}

// escapeCommas escapes the commas that are not escaped yet.
func escapeCommas(s string) string {
	return regexp.MustCompile(`\\*,`).ReplaceAllStringFunc(s, func(m string) string {
		if len(m)%2 == 1 {
			return `\` + m
		}
		return m
	})
}
