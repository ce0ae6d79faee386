package access

import (
	"fmt"
	"slices"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
)

// API is what one API server was asked, and what it answered.
type API struct {
	Server  string // as it may be shown; "": none is known
	Version string // of Kubernetes
	User    string // as whom the API knows these credentials; "": nobody could tell
	// Err is why it was not asked, or did not answer; nil: it did.
	Err  error
	Took time.Duration // until it answered, or was given up
	// Needed are all rights of the purpose. Missing are those that the API refused, Unknown
	// those that it did not answer for.
	Needed, Missing, Unknown []Right
}

// ToGrant are the rights that are not known to be there, in their order.
func (a API) ToGrant() []Right {
	var all []Right
	for _, r := range a.Needed {
		if slices.Contains(a.Missing, r) || slices.Contains(a.Unknown, r) {
			all = append(all, r)
		}
	}
	return all
}

// Report is what was found out about access.
type Report struct {
	Purpose Purpose
	Cluster Cluster
	Rancher *API // the cluster that Rancher runs in; nil: Rancher has no part in it
	Here    API  // the cluster itself
	AWS     cloud.Access
}

// Objects of the errors, which name the parts of a report.
const (
	InRancher = "the cluster Rancher runs in"
	InAWS     = "AWS"
)

// Here is the cluster itself, for people.
func Here(name string) string { return "the cluster " + name }

// ToAllow are the actions in AWS that are not known to be allowed, in their order.
func (r Report) ToAllow() []string {
	var names []string
	for _, one := range r.AWS.Actions {
		if !one.Allowed {
			names = append(names, one.Action)
		}
	}
	return names
}

// Policy allows what is not known to be allowed in AWS; nil where nothing is missing, or
// AWS is left out on purpose.
func (r Report) Policy() *Policy {
	if r.AWS.Meant {
		return nil
	}
	return newPolicy(r.ToAllow())
}

// Problems are all that is wrong, one after the other: what was not reached, and what is
// missing. None: whoever asked has all that the purpose needs.
func (r Report) Problems() []error {
	var all []error
	if r.Rancher != nil {
		all = append(all, r.Rancher.problems(InRancher, "rbac-rancher")...)
	}
	all = append(all, r.Here.problems(Here(r.Cluster.Asked), "rbac")...)
	return append(all, awsProblems(r.AWS)...)
}

// problems are those of one API, whose manifest has the name of an output.
func (a API) problems(object, output string) []error {
	var all []error
	if a.Err != nil {
		all = append(all, a.Err)
	}
	if n := len(a.Missing); n > 0 {
		all = append(all, lacking(object, fmt.Sprintf("%d of %d rights are missing", n, len(a.Needed)), output))
	}
	if n := len(a.Unknown); n > 0 && a.Err == nil {
		all = append(all, unanswered(object, fmt.Sprintf("%d of %d rights are not known", n, len(a.Needed))))
	}
	return all
}

func awsProblems(a cloud.Access) []error {
	refused, unknown := a.Refused(), a.Unknown()
	switch {
	case a.Meant:
		return nil
	case a.Off != "":
		return []error{&fault.Error{Class: fault.CouldNotLook, Reason: "NotAsked", Object: InAWS, Seen: "not asked: " + a.Off,
			Wanted: "credentials that may read, or a choice to leave AWS out", Fix: "name them with --profile or --assume-role; to leave the checks of AWS out: --aws off"}}
	case a.Err != nil:
		return []error{noCredentials(a.Err)}
	}
	var all []error
	if len(refused) > 0 {
		all = append(all, lacking(InAWS, fmt.Sprintf("%d of %d actions are refused", len(refused), len(a.Actions)), "iam"))
	}
	if len(unknown) > 0 {
		err := unanswered(InAWS, fmt.Sprintf("of %d of %d actions it is not known whether they are allowed", len(unknown), len(a.Actions)))
		err.Err = unknown[0].Err
		all = append(all, err)
	}
	return all
}

// AWSProblem is why AWS could not be asked; nil: it could, or nobody wanted to.
func (r Report) AWSProblem() error {
	if r.AWS.Err == nil {
		return nil
	}
	return noCredentials(r.AWS.Err)
}

func noCredentials(err error) error {
	return &fault.Error{Class: fault.CouldNotLook, Reason: fault.ReasonUnauthorized, Object: InAWS, Seen: "the credentials do not work",
		Fix: "renew them, or name others with --profile or --assume-role; to leave the checks of AWS out: --aws off", Err: err}
}

func lacking(object, seen, output string) *fault.Error {
	return &fault.Error{Class: fault.CouldNotLook, Reason: fault.ReasonForbidden, Object: object, Seen: seen,
		Fix: "have them granted: the same command with -o " + output + " prints exactly these, to be applied"}
}

func unanswered(object, seen string) *fault.Error {
	return &fault.Error{Class: fault.CouldNotLook, Reason: "NotAllSeen", Object: object, Seen: seen, Fix: "ask again"}
}
