package component

import (
	"path/filepath"

	"github.com/awsmigrate/awsmigrate/test/lab/proc"
)

// JobController is a kube-controller-manager with the controllers alone that a Job or a
// Deployment needs: those of the kinds, the one that removes the pods of what is deleted,
// and the one that publishes the cluster's authority, without which no pod has a token
// volume.
type JobController struct {
	Binaries   string
	Name       string // of the process
	Log        string
	Kubeconfig string // with the rights of system:masters
	CAFile     string // of the API server, for kube-root-ca.crt
}

// JobControllerKind is the kind of its process: it runs no cloud controller, and
// whoever looks for those by the kind kube-controller-manager must not find it.
const JobControllerKind = "job-controller"

// Spec is the process. The names of controllers are those of 1.26
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
