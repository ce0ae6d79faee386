package journal

// StepID names a step, the same for every distribution, e.g. "switch-provider". Journals store
// it, so it must stay valid in later versions of awsmigrate.
type StepID string

// Target identifies the cluster of a run.
type Target struct {
	Kind      string `json:"kind"`      // "rke2" or "rke"
	Name      string `json:"name"`      // the name that people use
	Namespace string `json:"namespace"` // where the journal and the lock are
	UID       string `json:"uid"`       // of the downstream cluster's kube-system namespace
}
