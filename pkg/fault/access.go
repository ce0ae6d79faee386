package fault

// Unauthorized says that an API did not accept the credentials at all (HTTP 401):
// it does not know who asks, where a refused right (403) means that it does. More
// rights are no remedy, and waiting is none.
func Unauthorized(object string, err error) *Error {
	return &Error{Class: CouldNotLook, Reason: ReasonUnauthorized, Object: object,
		Seen:   "the API does not accept these credentials (401): they have expired or were revoked",
		Wanted: "credentials that are valid to the end of the run",
		Fix: "renew them in the kubeconfig, or download it again; then run the same command again, " +
			"which reads every kubeconfig anew, one in a Secret too", Err: err}
}
