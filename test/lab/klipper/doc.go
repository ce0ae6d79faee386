// Package klipper simulates the image of the Jobs that RKE2's helm-controller creates.
//
// Run is its program (k3s-io/klipper-helm:entry@v0.8.0-build20230510) with Helm's own library: it
// installs, upgrades or uninstalls without waiting for the objects.
//
// It omits Helm 2, chart repositories that need credentials, a private registry and a CA, and the
// mapping of removed Kubernetes APIs before an upgrade.
package klipper
