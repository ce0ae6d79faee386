package fault

import (
	"net/url"
	"regexp"
)

// userInfo is what stands before the host of a URL, also of one that is none.
var userInfo = regexp.MustCompile(`(://)[^/\s"'?#]*@`)

// Server is the address of a server as it may be shown: without user, password,
// query and fragment, which can hold secrets. Whatever prints one prints this.
func Server(address string) string {
	if parsed, err := url.Parse(address); err == nil && parsed.Host != "" {
		parsed.User, parsed.RawQuery, parsed.ForceQuery, parsed.Fragment, parsed.RawFragment = nil, "", false, "", ""
		return parsed.String()
	}
	return withoutUser(address)
}

func withoutUser(text string) string { return userInfo.ReplaceAllString(text, "$1") }

// Shown is an error whose text has no user and password in its URLs. Go masks the
// password in errors of requests, and not in those of addresses that it cannot read.
func Shown(err error) error {
	if err == nil || !userInfo.MatchString(err.Error()) {
		return err
	}
	return shown{err}
}

type shown struct{ err error }

func (s shown) Error() string { return withoutUser(s.err.Error()) }

func (s shown) Unwrap() error { return s.err }
