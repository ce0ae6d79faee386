package fault

// Reasons that every layer may depend on, views included. Other reasons about clusters and
// images are defined in the packages that know those.
const (
	// ReasonUnauthorized is the reason of every Unauthorized.
	ReasonUnauthorized = "Unauthorized"
	// ReasonForbidden marks a right that an API refused to known credentials (403).
	ReasonForbidden = "Forbidden"
	// ReasonOwnerNotInformed marks an owner of the configuration that no option names as
	// informed. The same command stops again until one does.
	ReasonOwnerNotInformed = "OwnerNotInformed"
)
