package journal

// StepID names a step, the same for every distribution, e.g. "switch-provider". It is
// stored, and outlives the awsmigrate that wrote it.
type StepID string

// Target identifies what a run works on.
type Target struct {
	Kind      string `json:"kind"`      // "rke2" or "rke"
	Name      string `json:"name"`      // the name that people use
	Namespace string `json:"namespace"` // where the journal and the lock live
	UID       string `json:"uid"`       // of the downstream cluster's kube-system namespace
}
