package access

import (
	"fmt"
	"slices"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
)

// API holds the answers of one API server.
type API struct {
	Server  string // for display, or "" if it is not known
	Version string // of Kubernetes
	User    string // the user that the API maps the credentials to, or ""
	// Err is why the server was not asked or did not answer, or nil.
	Err  error
	Took time.Duration // until the answer or the timeout
	// Needed holds all rights of the purpose. Missing are the denied ones, Unknown those without an
	// answer.
	Needed, Missing, Unknown []Right
}

// ToGrant returns the missing and unknown rights in the order of Needed.
func (a API) ToGrant() []Right {
	var all []Right
	for _, r := range a.Needed {
		if slices.Contains(a.Missing, r) || slices.Contains(a.Unknown, r) {
			all = append(all, r)
		}
	}
	return all
}

// Report holds the results about access.
type Report struct {
	Purpose Purpose
	Cluster Cluster
	Rancher *API // Rancher's own cluster, or nil if Rancher is not involved
	Here    API  // the cluster to migrate
	AWS     cloud.Access
}

// Names of a report's parts, used as objects of errors.
const (
	InRancher = "the cluster Rancher runs in"
	InAWS     = "AWS"
)

// Here returns the name of the cluster to migrate, for people.
func Here(name string) string { return "the cluster " + name }

// ToAllow returns the AWS actions that are not known to be allowed, in order.
func (r Report) ToAllow() []string {
	var names []string
	for _, one := range r.AWS.Actions {
		if !one.Allowed {
			names = append(names, one.Action)
		}
	}
	return names
}

// Policy returns a policy for the actions of ToAllow, or nil if ToAllow is empty or AWS is disabled on
// purpose.
func (r Report) Policy() *Policy {
	if r.AWS.Meant {
		return nil
	}
	return newPolicy(r.ToAllow())
}

// Problems returns all problems: unreachable servers and missing rights. It is empty if the purpose has
// all rights that it needs.
func (r Report) Problems() []error {
	var all []error
	if r.Rancher != nil {
		all = append(all, r.Rancher.problems(InRancher, "rbac-rancher")...)
	}
	all = append(all, r.Here.problems(Here(r.Cluster.Asked), "rbac")...)
	return append(all, awsProblems(r.AWS)...)
}

// problems returns the problems of one API. output is the output format that prints its manifest.
func (a API) problems(object, output string) []error {
	var all []error
	if a.Err != nil {
		all = append(all, a.Err)
	}
	if n := len(a.Missing); n > 0 {
		all = append(all, missingRights(object, fmt.Sprintf("%d of %d rights are missing", n, len(a.Needed)), output))
	}
	if n := len(a.Unknown); n > 0 && a.Err == nil {
		all = append(all, incomplete(object, fmt.Sprintf("%d of %d rights could not be checked", n, len(a.Needed))))
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
		all = append(all, missingRights(InAWS, fmt.Sprintf("%d of %d actions are denied", len(refused), len(a.Actions)), "iam"))
	}
	if len(unknown) > 0 {
		err := incomplete(InAWS, fmt.Sprintf("%d of %d actions could not be checked", len(unknown), len(a.Actions)))
		err.Err = unknown[0].Err
		all = append(all, err)
	}
	return all
}

// AWSProblem returns why AWS could not be asked, or nil if it was or if it is disabled.
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

func missingRights(object, seen, output string) *fault.Error {
	return &fault.Error{Class: fault.CouldNotLook, Reason: fault.ReasonForbidden, Object: object, Seen: seen,
		Fix: "grant them: the same command with -o " + output + " prints what to apply"}
}

func incomplete(object, seen string) *fault.Error {
	return &fault.Error{Class: fault.CouldNotLook, Reason: "NotAllSeen", Object: object, Seen: seen, Fix: "run the command again"}
}
