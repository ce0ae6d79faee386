package rules

// What checks of an installation to come say. How it is judged is in pkg/migration,
// once: verify reads nothing of Helm.
const (
	ChartWhy  = "a release elsewhere, a HelmChart or unowned objects make the installation fail half way, or a second CCM"
	ValuesWhy = "values that take away what keeps two managers apart, or what the CCM needs"
)
