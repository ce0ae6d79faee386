package cloud

import "github.com/awsmigrate/awsmigrate/pkg/verify"

// Access is what credentials may do of what the checks ask of AWS.
type Access struct {
	// Off says why nobody was asked; Meant that somebody wanted it so.
	Off   string
	Meant bool
	// Source is where the credentials are configured; "": the SDK found them by itself, such
	// as those of a machine.
	Source   string
	Region   string
	Identity verify.Read[Identity]
	Err      error // why the credentials are none, or do not work
	Actions  []Asked
}

// Asked is one action, and what AWS said of it.
type Asked struct {
	Action  string // "ec2:DescribeInstances"
	Allowed bool
	Err     error // why it is not known; nil: Allowed is the answer
}

// Refused are the actions that these credentials may not do.
func (a Access) Refused() []string {
	var names []string
	for _, one := range a.Actions {
		if !one.Allowed && one.Err == nil {
			names = append(names, one.Action)
		}
	}
	return names
}

// Unknown are the actions that nobody answered for.
func (a Access) Unknown() []Asked {
	var all []Asked
	for _, one := range a.Actions {
		if one.Err != nil {
			all = append(all, one)
		}
	}
	return all
}
