package aws

import "strings"

type simulateResult struct {
	Results   []evaluationItem `xml:"EvaluationResults>member"`
	Truncated bool             `xml:"IsTruncated"`
	Marker    string           `xml:",omitempty"`
}

type evaluationItem struct {
	Action   string             `xml:"EvalActionName"`
	Resource string             `xml:"EvalResourceName"`
	Decision string             `xml:"EvalDecision"`
	Matched  []matchedStatement `xml:"MatchedStatements>member"`
}

type matchedStatement struct {
	Policy string `xml:"SourcePolicyId"`
	Type   string `xml:"SourcePolicyType"`
}

// simulatePrincipalPolicy evaluates the documents that authorise the role's
// calls. Like IAM it takes the ARN of a role, not of an assumed one.
func simulatePrincipalPolicy(c *Cloud, q *call) (any, error) {
	arn := q.str("PolicySourceArn")
	name, ok := strings.CutPrefix(arn, c.roleARN(""))
	if !ok {
		return nil, fail("InvalidInput", "Invalid Entity Arn: %s does not clearly define entity type and name.", arn)
	}
	r, ok := c.roles.get(name)
	if !ok {
		return nil, noEntity("role", name)
	}
	actions := newStore[string]()
	for _, action := range q.list("ActionNames") {
		if !strings.Contains(action, ":") {
			return nil, fail("InvalidInput", "Invalid Action: %s", action)
		}
		actions.put(action, action)
	}
	if len(actions.order) == 0 {
		return nil, fail("ValidationError", "ActionNames is required")
	}
	p, err := c.simulatePager(q)
	if err != nil {
		return nil, err
	}
	found, next := page(actions, q.action, p, func(string, string) bool { return true })
	out := simulateResult{Truncated: next != "", Marker: next}
	for _, action := range found {
		out.Results = append(out.Results, evaluation(r, action))
	}
	return out, nil
}

func (c *Cloud) simulatePager(q *call) (pager, error) {
	asked, err := q.number("MaxItems")
	if err != nil {
		return pager{}, err
	}
	maximum := 100
	if c.pageSize > 0 {
		maximum = min(maximum, c.pageSize)
	}
	return newPager(q.action, q.str("Marker"), asked, maximum)
}

func evaluation(r *role, action string) evaluationItem {
	item := evaluationItem{Action: action, Resource: "*", Decision: r.evaluate(action)}
	for _, e := range r.Policies.order {
		if item.Decision != decisionImplicitDeny && e.value.evaluate(action) == item.Decision {
			item.Matched = append(item.Matched, matchedStatement{Policy: e.id, Type: "IAM Policy"})
		}
	}
	return item
}
