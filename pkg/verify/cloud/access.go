package cloud

import "github.com/awsmigrate/awsmigrate/pkg/verify"

// Access holds which of the checks' AWS actions the credentials allow.
type Access struct {
	// Off is the reason why AWS was not asked, or "". Meant reports whether the user wanted that.
	Off   string
	Meant bool
	// Source names the place of the credentials, or is "" if the SDK found them elsewhere, for
	// instance on the machine.
	Source   string
	Region   string
	Identity verify.Read[Identity]
	Err      error // why there are no credentials, or why they do not work
	Actions  []Asked
}

// Asked holds one action and AWS's answer.
type Asked struct {
	Action  string // "ec2:DescribeInstances"
	Allowed bool
	Err     error // why Allowed is not known, or nil
}

// Refused returns the actions that AWS denies.
func (a Access) Refused() []string {
	var names []string
	for _, one := range a.Actions {
		if !one.Allowed && one.Err == nil {
			names = append(names, one.Action)
		}
	}
	return names
}

// Unknown returns the actions without an answer.
func (a Access) Unknown() []Asked {
	var all []Asked
	for _, one := range a.Actions {
		if one.Err != nil {
			all = append(all, one)
		}
	}
	return all
}
