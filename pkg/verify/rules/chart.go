package rules

// Texts of the check of a planned installation. pkg/migration judges it, because verify reads
// nothing of Helm.
const (
	ChartWhy = "a release elsewhere, a HelmChart or unowned objects make the installation fail half way, or a second CCM"
	ChartFix = "remove what is named, before the flag is on any kube-controller-manager"
)
