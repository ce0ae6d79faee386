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
	"github.com/awsmigrate/awsmigrate/pkg/verify/aws/paging"
	"github.com/awsmigrate/awsmigrate/pkg/verify/cloud"
)

func readIdentity(ctx context.Context, client *sts.Client) verify.Read[cloud.Identity] {
	out, err := client.GetCallerIdentity(ctx, &sts.GetCallerIdentityInput{})
	if err != nil {
		return verify.Failed[cloud.Identity](fmt.Errorf("reading the identity from STS: %w", err))
	}
	if awssdk.ToString(out.Account) == "" || awssdk.ToString(out.Arn) == "" {
		return verify.Failed[cloud.Identity](errors.New("reading the identity from STS: the answer does not contain it"))
	}
	return verify.Got(cloud.Identity{Account: awssdk.ToString(out.Account), ARN: awssdk.ToString(out.Arn)})
}

// simulateRoles simulates the policies of the control plane's roles. It ignores service control
// policies and conditions on tags: an allowed action is necessary, not sufficient.
func simulateRoles(ctx context.Context, client *iam.Client, profiles, actions []string) verify.Read[[]cloud.RoleRights] {
	if len(actions) == 0 {
		return verify.Failed[[]cloud.RoleRights](errors.New("the actions to ask for are not known"))
	}
	var out []cloud.RoleRights
	done := map[string]bool{}
	for _, arn := range profiles {
		name := arn[strings.LastIndex(arn, "/")+1:]
		profile, err := client.GetInstanceProfile(ctx, &iam.GetInstanceProfileInput{InstanceProfileName: awssdk.String(name)})
		if err == nil && profile.InstanceProfile == nil {
			err = errors.New("the answer has no instance profile")
		}
		if err == nil && len(profile.InstanceProfile.Roles) == 0 {
			err = errors.New("it has no role, so nothing on its instances has credentials")
		}
		if err != nil {
			return verify.Failed[[]cloud.RoleRights](fmt.Errorf("reading instance profile %s: %w", name, err))
		}
		for _, r := range profile.InstanceProfile.Roles {
			role := awssdk.ToString(r.Arn)
			if role == "" {
				return verify.Failed[[]cloud.RoleRights](fmt.Errorf("reading instance profile %s: %w", name, paging.ErrNameless))
			}
			if done[role] {
				continue
			}
			done[role] = true
			rights, err := simulate(ctx, client, role, actions)
			if err != nil {
				return verify.Failed[[]cloud.RoleRights](fmt.Errorf("simulating the policies of %s: %w", role, err))
			}
			out = append(out, rights)
		}
	}
	return verify.Got(out)
}

func simulate(ctx context.Context, client *iam.Client, role string, actions []string) (cloud.RoleRights, error) {
	rights := cloud.RoleRights{Role: role}
	pending := map[string]bool{}
	for _, a := range actions {
		pending[strings.ToLower(a)] = true
	}
	pages := iam.NewSimulatePrincipalPolicyPaginator(simulatePrincipalPolicy(client.SimulatePrincipalPolicy),
		&iam.SimulatePrincipalPolicyInput{PolicySourceArn: awssdk.String(role), ActionNames: actions})
	err := paging.Each(ctx, "what "+role+" may do", pages, func(page *iam.SimulatePrincipalPolicyOutput) (*string, error) {
		for _, r := range page.EvaluationResults {
			action := awssdk.ToString(r.EvalActionName)
			if !pending[strings.ToLower(action)] {
				continue
			}
			switch r.EvalDecision {
			case types.PolicyEvaluationDecisionTypeAllowed:
				rights.Allowed = append(rights.Allowed, action)
			case types.PolicyEvaluationDecisionTypeExplicitDeny:
				rights.Forbidden = append(rights.Forbidden, action)
				rights.Denied = append(rights.Denied, action)
			case types.PolicyEvaluationDecisionTypeImplicitDeny:
				rights.Denied = append(rights.Denied, action)
			default:
				continue // an unknown decision is not an answer
			}
			delete(pending, strings.ToLower(action))
		}
		return page.Marker, nil
	})
	if err != nil {
		return rights, err
	}
	if len(pending) > 0 {
		return rights, fmt.Errorf("IAM answered for %d of %d actions", len(actions)-len(pending), len(actions))
	}
	return rights, nil
}
