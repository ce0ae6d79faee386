package component

import (
	"path/filepath"

	"github.com/awsmigrate/awsmigrate/test/lab/proc"
)

// JobController is a kube-controller-manager with only the controllers that a Job or a
// Deployment needs: those of the kinds, the garbage collector, and the publisher of the
// cluster's authority, without which no pod has a token volume.
type JobController struct {
	Binaries   string
	Name       string // of the process
	Log        string
	Kubeconfig string // with the rights of system:masters
	CAFile     string // of the API server, for kube-root-ca.crt
}

// JobControllerKind is the kind of its process. It runs no cloud controller, so it must not be
// found as a kube-controller-manager.
const JobControllerKind = "job-controller"

// Spec returns the process. The controllers have the names of 1.26
// (kubernetes/kubernetes:cmd/kube-controller-manager/app/controllermanager.go@v1.26.13,
// NewControllerInitializers); later releases have longer ones.
func (j JobController) Spec() proc.Spec {
	return proc.Spec{
		Name: j.Name, Kind: JobControllerKind, Log: j.Log, Path: filepath.Join(j.Binaries, "kube-controller-manager"),
		Args: []string{
			"--controllers=job,deployment,replicaset,garbagecollector,root-ca-cert-publisher",
			"--kubeconfig=" + j.Kubeconfig,
			"--root-ca-file=" + j.CAFile,
			"--leader-elect=false",
			"--secure-port=0",
			"--use-service-account-credentials=false",
		},
	}
}
