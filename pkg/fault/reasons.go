package fault

// Reasons of any API's answer that code decides by. Those of clusters and images are
// where clusters and images are known: this package knows nothing of them.
const (
	// ReasonUnauthorized is of every Unauthorized.
	ReasonUnauthorized = "Unauthorized"
	// ReasonForbidden is of credentials that an API knows, and whose right it refused (403).
	ReasonForbidden = "Forbidden"
)
