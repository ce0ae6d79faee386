package downstream

import "strings"

// Chart is a HelmChart or HelmChartConfig of RKE2's helm controller.
type Chart struct {
	Object
	Chart, Version  string
	TargetNamespace string
	Bootstrap       bool
	Deleting        bool
}

// Release is a Helm release as described by its Secret's labels. Its data is never read.
type Release struct {
	Namespace, Name, Status string
	Revision                string
}

// Pending reports whether Helm left the release incomplete.
func (r Release) Pending() bool { return strings.HasPrefix(r.Status, "pending-") }
