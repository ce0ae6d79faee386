package aws

import (
	"net/http"
	"net/url"
	"strings"
)

func iamActions() map[string]action {
	return map[string]action{
		"GetInstanceProfile":       reads(getInstanceProfile),
		"GetRole":                  reads(getRole),
		"ListRolePolicies":         reads(listRolePolicies),
		"GetRolePolicy":            reads(getRolePolicy),
		"PutRolePolicy":            writes(putRolePolicy),
		"ListAttachedRolePolicies": reads(listAttachedRolePolicies),
		"SimulatePrincipalPolicy":  reads(simulatePrincipalPolicy),
	}
}

// profileSuffix distinguishes an instance profile from its role: they are different objects,
// and in most accounts have different names.
const profileSuffix = "-profile"

// inlinePolicy is the name of the policy that every role has from the beginning.
const inlinePolicy = "cluster"

// Profile returns the name of a role's instance profile.
func Profile(role string) string { return role + profileSuffix }

// RoleOfProfile returns the role of the instance profile of a request to run an instance, or empty
// for a request without one. EC2 refuses a profile that does not exist.
func (c *Cloud) RoleOfProfile(profile string) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	role, ok := strings.CutSuffix(profile, profileSuffix)
	if profile == "" || ok && c.roles.has(role) {
		return role, nil
	}
	return "", fail("InvalidParameterValue", "Value (%s) for parameter iamInstanceProfile.name is invalid. Invalid IAM Instance Profile name", profile)
}

func (c *Cloud) profileARN(role string) string {
	return "arn:aws:iam::" + c.account + ":instance-profile/" + Profile(role)
}

func (c *Cloud) profileID(role string) string {
	return "AIPA" + base32ID(17, "profile", c.account, role)
}

func noEntity(kind, name string) error {
	return failStatus(http.StatusNotFound, "NoSuchEntity", "The %s with name %s cannot be found.", kind, name)
}

type roleItem struct {
	Path     string
	RoleName string
	RoleID   string `xml:"RoleId"`
	ARN      string `xml:"Arn"`
	Created  string `xml:"CreateDate"`
	Trust    string `xml:"AssumeRolePolicyDocument"`
}

// created is the date of all objects in IAM: older than any lab.
const created = "2023-01-01T00:00:00Z"

func (c *Cloud) roleItem(r *role) roleItem {
	return roleItem{
		Path: "/", RoleName: r.Name, RoleID: c.roleID(r.Name), ARN: c.roleARN(r.Name), Created: created,
		Trust: url.QueryEscape(`{"Version":"2012-10-17","Statement":[{"Effect":"Allow",` +
			`"Principal":{"Service":"ec2.amazonaws.com"},"Action":"sts:AssumeRole"}]}`),
	}
}

func (c *Cloud) roleNamed(q *call) (*role, error) {
	name := q.str("RoleName")
	if name == "" {
		return nil, fail("ValidationError", "RoleName is required")
	}
	r, ok := c.roles.get(name)
	if !ok {
		return nil, noEntity("role", name)
	}
	return r, nil
}

func getRole(c *Cloud, q *call) (any, error) {
	r, err := c.roleNamed(q)
	if err != nil {
		return nil, err
	}
	return struct{ Role roleItem }{Role: c.roleItem(r)}, nil
}

type instanceProfileItem struct {
	Path    string
	Name    string     `xml:"InstanceProfileName"`
	ID      string     `xml:"InstanceProfileId"`
	ARN     string     `xml:"Arn"`
	Created string     `xml:"CreateDate"`
	Roles   []roleItem `xml:"Roles>member"`
}

func getInstanceProfile(c *Cloud, q *call) (any, error) {
	name := q.str("InstanceProfileName")
	roleName, ok := strings.CutSuffix(name, profileSuffix)
	r, known := c.roles.get(roleName)
	if !ok || !known {
		return nil, noEntity("instance profile", name)
	}
	return struct{ InstanceProfile instanceProfileItem }{InstanceProfile: instanceProfileItem{
		Path: "/", Name: name, ID: c.profileID(r.Name), ARN: c.profileARN(r.Name), Created: created,
		Roles: []roleItem{c.roleItem(r)},
	}}, nil
}

type policyNamesResult struct {
	Names     []string `xml:"PolicyNames>member"`
	Truncated bool     `xml:"IsTruncated"`
}

func listRolePolicies(c *Cloud, q *call) (any, error) {
	r, err := c.roleNamed(q)
	if err != nil {
		return nil, err
	}
	var out policyNamesResult
	for _, e := range r.Policies.order {
		out.Names = append(out.Names, e.id)
	}
	return out, nil
}

type rolePolicyResult struct {
	RoleName string
	Name     string `xml:"PolicyName"`
	Document string `xml:"PolicyDocument"`
}

func getRolePolicy(c *Cloud, q *call) (any, error) {
	r, err := c.roleNamed(q)
	if err != nil {
		return nil, err
	}
	name := q.str("PolicyName")
	d, ok := r.Policies.get(name)
	if !ok {
		return nil, noEntity("role policy", name)
	}
	text, err := d.text()
	if err != nil {
		return nil, err
	}
	return rolePolicyResult{RoleName: r.Name, Name: name, Document: url.QueryEscape(text)}, nil
}

type attachedPoliciesResult struct {
	Policies  []struct{} `xml:"AttachedPolicies>member"`
	Truncated bool       `xml:"IsTruncated"`
}

// listAttachedRolePolicies returns nothing: a role's rights are in its inline policies.
func listAttachedRolePolicies(c *Cloud, q *call) (any, error) {
	if _, err := c.roleNamed(q); err != nil {
		return nil, err
	}
	return attachedPoliciesResult{}, nil
}
