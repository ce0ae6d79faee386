// Package chart is the chart of the cloud controller manager in one cluster: the values
// that the cluster asks for, its installation by Helm or as a document of the cluster's
// configuration, whether it runs and leads, what of it is left, and when its image is
// due to follow the kubelets.
//
// How charts, releases and rollouts work in general is pkg/awsccm's. This package may not
// know a step, or what checks say.
package chart
