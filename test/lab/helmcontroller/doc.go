// Package helmcontroller simulates RKE2's helm-controller and the image of its Jobs.
//
// New returns the controller. It watches HelmCharts and HelmChartConfigs and creates the Jobs,
// Secrets and ConfigMaps of k3s-io/helm-controller at v0.15.9 (RKE2 1.26.15), including the pod
// specification, so that the real scheduler and the real Job controller handle them. RunKlipper
// is the program in the Jobs' image (k3s-io/klipper-helm:entry@v0.8.0-build20230510) with
// Helm's own library: it installs, upgrades or uninstalls without waiting for the objects.
//
// It omits events, conditions (v0.15.9 has none), Helm 2, chart repositories that need
// credentials, a private registry and a CA, and the mapping of removed Kubernetes APIs before
// an upgrade. As under RKE2, only HelmCharts in kube-system are handled.
package helmcontroller
