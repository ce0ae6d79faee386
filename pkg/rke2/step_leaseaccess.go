package rke2

import (
	"context"
	"encoding/json"

	"github.com/awsmigrate/awsmigrate/pkg/awsccm"
	"github.com/awsmigrate/awsmigrate/pkg/fault"
	"github.com/awsmigrate/awsmigrate/pkg/runner"
)

// leaseAccess gives kube-controller-manager the right that no bootstrap role of
// Kubernetes 1.22 to 1.30 holds: get and update on the migration lease. Without
// it the flag of the next step silently stops service, route and
// cloud-node-lifecycle everywhere, and nothing looks ill. It is a Role and a
// RoleBinding of our own; the guides' merge patch would replace the rules of a
// bootstrap role.
type leaseAccess struct{ base }

func (s *leaseAccess) Plan(context.Context) (runner.Plan, error) {
	return runner.Plan{Summary: []string{"+ Role, RoleBinding kube-system/" + grantName}, Estimate: "1s",
		Changes: []runner.Change{{Object: "Role and RoleBinding kube-system/" + grantName,
			After: "create leases; get, update, patch Lease " + migrationLease + "; for User " + kcmUser,
			Diff:  "+ create leases\n+ get, update, patch lease " + migrationLease + "\n+ for User " + kcmUser + "\n"}}}, nil
}

func (s *leaseAccess) Do(ctx context.Context, tx *runner.Tx) error {
	inverse, err := json.Marshal(map[string]string{"delete": "Role, RoleBinding kube-system/" + grantName})
	if err != nil {
		return err
	}
	intent := runner.Intent{Step: StepLeaseAccess, What: "create Role and RoleBinding kube-system/" + grantName,
		Object: "Role kube-system/" + grantName, Inverse: inverse}
	return tx.Effect(ctx, intent, func(ctx context.Context) error {
		_, err := awsccm.EnsureGrant(ctx, s.p.clients.Downstream)
		return err
	})
}

func (s *leaseAccess) Verify(ctx context.Context, _ *runner.Tx) (runner.Verdict, error) {
	if err := s.p.read(ctx); err != nil {
		return runner.Verdict{}, err
	}
	if s.p.view.Down.MayGet && s.p.view.Down.MayUpdate {
		v := met(kcmUser + " may get and update the migration lease")
		v.Stable = 1
		return v, nil
	}
	if !s.p.view.Down.OwnGrant {
		return failed(&fault.Error{Class: fault.Stale, Reason: "GrantRemoved", Object: "Role kube-system/" + grantName,
			Seen: "somebody removed it again", Fix: "find who, then run again"}), nil
	}
	return runner.Verdict{Kind: runner.Waiting, WaitingFor: kcmUser + " to be allowed get and update on the migration lease",
		Seen: "not allowed yet", Progress: "grant"}, nil
}
