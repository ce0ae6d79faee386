package rules

// What the check of an installation to come says. How it is judged is in pkg/migration,
// once: verify reads nothing of Helm.
const (
	ChartWhy = "a release elsewhere, a HelmChart or unowned objects make the installation fail half way, or a second CCM"
	ChartFix = "remove what is named, before the flag is on any kube-controller-manager"
)
