package aws

import "net/http"

// api is one of the served APIs.
type api struct {
	Version   string // the Version parameter of its queries
	Name      string // in records
	Prefix    string // of its actions in IAM policies
	Namespace string
	EC2       bool // EC2's dialect of the query protocol
}

func apis() []api {
	const doc = "http://elasticloadbalancing.amazonaws.com/doc/"
	return []api{
		{Version: "2016-11-15", Name: "ec2", Prefix: "ec2", Namespace: "http://ec2.amazonaws.com/doc/2016-11-15/", EC2: true},
		{Version: "2012-06-01", Name: "elb", Prefix: "elasticloadbalancing", Namespace: doc + "2012-06-01/"},
		{Version: "2015-12-01", Name: "elbv2", Prefix: "elasticloadbalancing", Namespace: doc + "2015-12-01/"},
		{Version: "2010-05-08", Name: "iam", Prefix: "iam", Namespace: "https://iam.amazonaws.com/doc/2010-05-08/"},
		{Version: "2011-06-15", Name: "sts", Prefix: "sts", Namespace: "https://sts.amazonaws.com/doc/2011-06-15/"},
		{Version: "2011-01-01", Name: "autoscaling", Prefix: "autoscaling", Namespace: "http://autoscaling.amazonaws.com/doc/2011-01-01/"},
	}
}

func apiOf(version string) (api, bool) {
	for _, a := range apis() {
		if a.Version == version {
			return a, true
		}
	}
	return api{}, false
}

func (a api) badCredentials() *apiError {
	if a.EC2 {
		return failStatus(http.StatusUnauthorized, "AuthFailure", "AWS was not able to validate the provided access credentials")
	}
	return failStatus(http.StatusForbidden, "InvalidClientTokenId", "The security token included in the request is invalid.")
}

func (a api) deniedError(arn, action string, decision string) *apiError {
	why := "no identity-based policy allows the " + action + " action"
	if decision == decisionExplicitDeny {
		why = "there is an explicit deny in an identity-based policy"
	}
	text := "User: " + arn + " is not authorized to perform: " + action + " because " + why
	if a.EC2 {
		return failStatus(http.StatusForbidden, "UnauthorizedOperation", "You are not authorized to perform this operation. %s", text)
	}
	return failStatus(http.StatusForbidden, "AccessDenied", "%s", text)
}

func (a api) throttledError() *apiError {
	if a.EC2 {
		return failStatus(http.StatusServiceUnavailable, "RequestLimitExceeded", "Request limit exceeded.")
	}
	return fail("Throttling", "Rate exceeded")
}

// call is one authorised call of an action.
type call struct {
	*params
	action    string
	principal Principal
}

// action answers a call, under the Cloud's lock.
type action struct {
	run    func(*Cloud, *call) (any, error)
	write  bool // whether it changes a resource
	public bool // allowed to every principal
}

// actionTable returns every served action by API and name.
func actionTable() map[string]map[string]action {
	return map[string]map[string]action{
		"ec2":         ec2Actions(),
		"elb":         classicActions(),
		"elbv2":       networkActions(),
		"iam":         iamActions(),
		"sts":         stsActions(),
		"autoscaling": autoscalingActions(),
	}
}

func reads(run func(*Cloud, *call) (any, error)) action { return action{run: run} }

func writes(run func(*Cloud, *call) (any, error)) action { return action{run: run, write: true} }
