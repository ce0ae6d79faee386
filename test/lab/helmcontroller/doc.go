// Package helmcontroller stands in for the helm-controller that RKE2 brings and
// for the image that its jobs run.
//
// New makes the controller: it watches HelmCharts and HelmChartConfigs and makes
// the Jobs, Secrets and ConfigMaps that k3s-io/helm-controller makes at v0.15.9
// (RKE2 1.26.15), pod specification included, so that the real scheduler and the
// real Job controller decide what becomes of them. RunKlipper is the program in
// the job's image (k3s-io/klipper-helm:entry@v0.8.0-build20230510) on Helm's own
// library: install, upgrade or uninstall without waiting for what it made.
//
// What it leaves out: events, conditions (v0.15.9 has none), Helm 2, chart
// repositories that need credentials, a private registry and a CA, the mapping of
// removed Kubernetes APIs before an upgrade. Only HelmCharts in kube-system are
// looked at, as RKE2 runs it.
package helmcontroller
