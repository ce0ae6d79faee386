package fault

// Reasons of an API's answer that code depends on. Reasons about clusters and images are
// defined in the packages that know those.
const (
	// ReasonUnauthorized is the reason of every Unauthorized.
	ReasonUnauthorized = "Unauthorized"
	// ReasonForbidden marks a right that an API refused to known credentials (403).
	ReasonForbidden = "Forbidden"
)
