// Package chart installs the cloud controller manager's chart into one cluster. It computes
// the values for the cluster and installs the chart by Helm or as a document of the cluster's
// configuration. It judges whether the manager runs and leads, finds remains of an
// installation, and updates the image after the kubelets.
//
// Package awsccm and the packages below it implement charts, releases and rollouts in general.
// This package must not import steps or checks.
package chart
