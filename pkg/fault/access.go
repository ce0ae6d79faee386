package fault

// Unauthorized returns an error for credentials that an API does not accept at all (HTTP 401).
// The API does not know the user; with a refused right (403) it does. Neither more rights nor
// waiting helps.
func Unauthorized(object string, err error) *Error {
	return &Error{Class: CouldNotLook, Reason: ReasonUnauthorized, Object: object,
		Seen:   "the API does not accept these credentials (401): they have expired or were revoked",
		Wanted: "credentials that this API accepts",
		Fix: "renew them in the kubeconfig, or download it again; then run the same command again, " +
			"which reads every kubeconfig again, even one in a Secret", Err: err}
}
