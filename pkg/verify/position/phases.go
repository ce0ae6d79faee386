package position

// BeforeInstall are the positions without a CCM.
func BeforeInstall() []Position { return All()[:P3:P3] }

// BeforeSwitch are the positions at which the in-tree provider is in charge.
func BeforeSwitch() []Position { return All()[:P4:P4] }

// WithCCM are the positions at which a CCM runs.
func WithCCM() []Position { return All()[P3:] }

// Switched are the positions at which the external provider is in charge.
func Switched() []Position { return All()[P4:] }
