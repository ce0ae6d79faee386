package fault

import (
	"net/url"
	"regexp"
)

// userInfo matches user and password before the host of a URL, even of an invalid one.
var userInfo = regexp.MustCompile(`(://)[^/\s"'?#]*@`)

// Server returns the address of a server for display: without user, password, query and
// fragment, which can hold secrets. Print addresses only through this function.
func Server(address string) string {
	if parsed, err := url.Parse(address); err == nil && parsed.Host != "" {
		parsed.User, parsed.RawQuery, parsed.ForceQuery, parsed.Fragment, parsed.RawFragment = nil, "", false, "", ""
		return parsed.String()
	}
	return withoutUser(address)
}

func withoutUser(text string) string { return userInfo.ReplaceAllString(text, "$1") }

// Shown returns err with user and password removed from the URLs in its text. Go
// masks the password in errors of requests, but not in those of addresses that it cannot parse.
func Shown(err error) error {
	if err == nil || !userInfo.MatchString(err.Error()) {
		return err
	}
	return shown{err}
}

type shown struct{ err error }

func (s shown) Error() string { return withoutUser(s.err.Error()) }

func (s shown) Unwrap() error { return s.err }
