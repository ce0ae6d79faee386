package aws

import (
	"context"
	"errors"
	"fmt"
	"strings"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	"github.com/aws/aws-sdk-go-v2/service/iam/types"
	"github.com/aws/aws-sdk-go-v2/service/sts"

	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
)

func (c Clients) identity(ctx context.Context) verify.Read[cloud.Identity] {
	out, err := c.STS.GetCallerIdentity(ctx, &sts.GetCallerIdentityInput{})
	if err != nil {
		return verify.Failed[cloud.Identity](fmt.Errorf("asking AWS who we are: %w", err))
	}
	return verify.Got(cloud.Identity{Account: awssdk.ToString(out.Account), ARN: awssdk.ToString(out.Arn)})
}

// roles simulates the policies of the control plane's roles. It does not see
// service control policies, nor conditions on tags: allowed here is necessary,
// not sufficient.
func (c Clients) roles(ctx context.Context, profiles, actions []string) verify.Read[[]cloud.RoleRights] {
	if len(actions) == 0 {
		return verify.Failed[[]cloud.RoleRights](errors.New("the actions to ask for are not known"))
	}
	var out []cloud.RoleRights
	for _, arn := range profiles {
		name := arn[strings.LastIndex(arn, "/")+1:]
		profile, err := c.IAM.GetInstanceProfile(ctx, &iam.GetInstanceProfileInput{InstanceProfileName: awssdk.String(name)})
		if err != nil {
			return verify.Failed[[]cloud.RoleRights](fmt.Errorf("reading instance profile %s: %w", name, err))
		}
		for _, r := range profile.InstanceProfile.Roles {
			rights, err := c.simulate(ctx, awssdk.ToString(r.Arn), actions)
			if err != nil {
				return verify.Failed[[]cloud.RoleRights](err)
			}
			out = append(out, rights)
		}
	}
	return verify.Got(out)
}

func (c Clients) simulate(ctx context.Context, role string, actions []string) (cloud.RoleRights, error) {
	rights := cloud.RoleRights{Role: role}
	pages := iam.NewSimulatePrincipalPolicyPaginator(c.IAM, &iam.SimulatePrincipalPolicyInput{PolicySourceArn: awssdk.String(role), ActionNames: actions})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return rights, fmt.Errorf("simulating the policies of %s: %w", role, err)
		}
		for _, r := range page.EvaluationResults {
			action := awssdk.ToString(r.EvalActionName)
			if r.EvalDecision == types.PolicyEvaluationDecisionTypeAllowed {
				rights.Allowed = append(rights.Allowed, action)
			} else {
				rights.Denied = append(rights.Denied, action)
			}
		}
	}
	return rights, nil
}
