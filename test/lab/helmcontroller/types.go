package helmcontroller

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// helmChart holds the fields of a HelmChart that the controller reads
// (k3s-io/helm-controller:pkg/apis/helm.cattle.io/v1/types.go@v0.15.9).
type helmChart struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              chartSpec `json:"spec"`
}

type chartSpec struct {
	TargetNamespace     string                        `json:"targetNamespace"`
	CreateNamespace     bool                          `json:"createNamespace"`
	Chart               string                        `json:"chart"`
	Version             string                        `json:"version"`
	Repo                string                        `json:"repo"`
	RepoCA              string                        `json:"repoCA"`
	Set                 map[string]intstr.IntOrString `json:"set"`
	ValuesContent       string                        `json:"valuesContent"`
	HelmVersion         string                        `json:"helmVersion"`
	Bootstrap           bool                          `json:"bootstrap"`
	ChartContent        string                        `json:"chartContent"` // base64 of a packed chart
	JobImage            string                        `json:"jobImage"`
	BackOffLimit        *int32                        `json:"backOffLimit"` // nil: 1000
	Timeout             *metav1.Duration              `json:"timeout"`
	FailurePolicy       string                        `json:"failurePolicy"` // reinstall if empty
	AuthPassCredentials bool                          `json:"authPassCredentials"`
	PodSecurityContext  *corev1.PodSecurityContext    `json:"podSecurityContext"`
	SecurityContext     *corev1.SecurityContext       `json:"securityContext"`
}

// chartConfig is a HelmChartConfig: it overrides the values, and the failure policy, of the
// HelmChart of the same name.
type chartConfig struct {
	Spec struct {
		ValuesContent string `json:"valuesContent"`
		FailurePolicy string `json:"failurePolicy"`
	} `json:"spec"`
}

var (
	gvrChart  = schema.GroupVersionResource{Group: "helm.cattle.io", Version: "v1", Resource: "helmcharts"}
	gvrConfig = schema.GroupVersionResource{Group: "helm.cattle.io", Version: "v1", Resource: "helmchartconfigs"}
)

const (
	namespace = "kube-system"
	finalizer = "wrangler.cattle.io/on-helm-chart-remove"
	// DefaultJobImage is the image that a HelmChart without jobImage runs.
	DefaultJobImage = "rancher/klipper-helm:v0.8.0-build20230510"

	labelChart          = "helmcharts.helm.cattle.io/chart"
	annotationHash      = "helmcharts.helm.cattle.io/configHash"
	annotationUnmanaged = "helmcharts.helm.cattle.io/unmanaged"
	annotationManagedBy = "helmcharts.cattle.io/managed-by"
	managedBy           = "helm-controller"

	policyReinstall = "reinstall"

	// pathConfig and pathChart are the folders of the job's values and chart.
	pathConfig = "/config"
	pathChart  = "/chart"
)
