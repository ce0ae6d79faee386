package aws

import (
	"fmt"
	"net/http"
)

// apiError is an error in the form of an AWS protocol.
type apiError struct {
	status  int
	code    string
	message string
}

func (e *apiError) Error() string { return e.code + ": " + e.message }

func fail(code, format string, args ...any) *apiError {
	return &apiError{status: http.StatusBadRequest, code: code, message: fmt.Sprintf(format, args...)}
}

func failStatus(status int, code, format string, args ...any) *apiError {
	return &apiError{status: status, code: code, message: fmt.Sprintf(format, args...)}
}

func invalidValue(format string, args ...any) *apiError {
	return fail("InvalidParameterValue", format, args...)
}

func missingParameter(parameter string) *apiError {
	return fail("MissingParameter", "The request must contain the parameter %s", parameter)
}

// require returns an error that names the first absent parameter, or nil.
func (p *params) require(names ...string) error {
	for _, name := range names {
		if p.str(name) == "" {
			return missingParameter(name)
		}
	}
	return nil
}
