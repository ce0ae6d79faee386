package position

// BeforeInstall returns the positions without a CCM.
func BeforeInstall() []Position { return All()[:P3:P3] }

// BeforeSwitch returns the positions before the first kube-controller-manager is external.
func BeforeSwitch() []Position { return All()[:P4:P4] }

// WithCCM returns the positions at which a CCM runs.
func WithCCM() []Position { return All()[P3:] }

// Switched returns the positions at which every kube-controller-manager is external.
func Switched() []Position { return All()[P4:] }
