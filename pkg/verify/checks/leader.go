package checks

import (
	"github.com/awsmigrate/awsmigrate/pkg/verify"
	"github.com/awsmigrate/awsmigrate/pkg/verify/checks/evidence"
	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

const leader = "leader migration"

// leaderChecks returns the checks 2xx.
func leaderChecks() []verify.Check[evidence.Input] {
	return []verify.Check[evidence.Input]{
		{Judge: grant, Meta: verify.Meta{
			ID: "AWSM-201", Title: "kube-controller-manager may use the migration lease", Category: leader, Subjects: []verify.Subject{verify.Grant}, Mandatory: true,
			Applies: at(position.P1, position.P2, position.P3),
			Why:     "without the right the service, route and node lifecycle controllers stop silently once the flag is on; nothing crashes",
			Source:  "kubernetes/kubernetes plugin/pkg/auth/authorizer/rbac/bootstrappolicy 1.21 to 1.30: create on leases, get and update on its own only",
			Fix:     "create a Role and a RoleBinding in kube-system for User system:kube-controller-manager: get, update on Lease cloud-provider-extraction-migration",
		}},
		{Judge: election, Meta: verify.Meta{
			ID: "AWSM-202", Title: "leader election is on, with leases in kube-system", Category: leader,
			Mandatory: true, NeedsControlPlane: true,
			Why:    "without leader election the flag is ignored silently and the controllers run unprotected; in two namespaces there are two locks",
			Source: "k8s.io/controller-manager pkg/leadermigration/util.go; component-base config defaults",
			Fix:    "remove --leader-elect=false, --leader-elect-resource-namespace and --leader-elect-resource-lock from the component's arguments",
		}},
		{Judge: durations, Meta: verify.Meta{
			ID: "AWSM-203", Title: "lease durations agree", Category: leader, NeedsControlPlane: true,
			Why:    "the hand-over leaves a gap without cloud controllers that grows with the lease duration",
			Source: "k8s.io/client-go tools/leaderelection: a candidate waits a full lease duration without change",
			Fix:    "use the defaults (15s, 10s, 2s) on kube-controller-manager and CCM during the migration",
		}},
		{Judge: migrationConfig, Meta: verify.Meta{
			ID: "AWSM-204", Title: "leader-migration-config agrees on both sides", Category: leader,
			Mandatory: true, NeedsControlPlane: true,
			Why:    "another lease name on one side means no mutual exclusion; nodeipam in the list stops pod CIDRs for new nodes when the CCM takes the lease",
			Source: "k8s.io/controller-manager pkg/leadermigration/config; the AWS CCM has no nodeipam controller",
			Fix:    "remove --leader-migration-config from kube-controller-manager; give the CCM the file of our chart",
		}},
		{Judge: strays, Meta: verify.Meta{
			ID: "AWSM-205", Title: "no other kube-controller-manager process", Category: leader,
			Mandatory: true, NeedsControlPlane: true, BeforeHandover: true,
			Why:    "a kube-controller-manager outside of the control plane keeps its old arguments and can win the lease with them",
			Source: "cmd/kube-controller-manager: every process competes for the same Lease",
			Fix:    "stop it before the migration, then remove it where it comes from",
		}},
		{Judge: holderPlaced, Meta: verify.Meta{
			ID: "AWSM-206", Title: "the leading kube-controller-manager runs on a control-plane node", Category: leader, NeedsControlPlane: true,
			Why:    "a leader that sits on no control-plane node is a process that the migration does not reach",
			Source: "identity in Lease kube-controller-manager is <host name>_<uuid>",
			Fix:    "find the process with that host name and stop it",
		}},
		{Judge: gates, Meta: verify.Meta{
			ID: "AWSM-207", Title: "no feature gate stops the component", Category: leader,
			Mandatory: true, NeedsControlPlane: true,
			Why:    "a locked or unknown gate makes kube-controller-manager exit at start",
			Source: "ControllerManagerLeaderMigration: beta 1.22, locked on 1.24 to 1.26, removed 1.27; CSIMigration, CSIMigrationAWS: beta up to 1.24, locked on 1.25 to 1.26, removed 1.27",
			Fix:    "remove the gate from --feature-gates",
		}},
		{Judge: leaseOwner, Meta: verify.Meta{
			ID: "AWSM-208", Title: "the migration lease has the right owner", Category: leader, Subjects: []verify.Subject{verify.Leases}, Mandatory: true,
			Applies: at(position.P2, position.P3, position.P4),
			Why:     "only the holder of the lease runs the service, route and node lifecycle controllers",
			Source:  "a process uses one identity for its main and its migration lock; the field manager is the executable's name",
			Fix:     "do not edit or delete the Lease; find the process that holds it",
		}},
		{Judge: leaseRenewing, Meta: verify.Meta{
			ID: "AWSM-209", Title: "the migration lease is being renewed", Category: leader, Subjects: []verify.Subject{verify.Leases}, Mandatory: true,
			Applies: at(position.P2, position.P3, position.P4),
			Why:     "if no process renews the lease, none runs the cloud controllers",
			Source:  "k8s.io/client-go tools/leaderelection: renewed every retry period (2s), given up after the renew deadline (10s)",
			Fix:     "look at the log of the component that should hold it; never delete the Lease",
		}},
		{Judge: doubleRunning, Meta: verify.Meta{
			ID: "AWSM-210", Title: "every in-tree kube-controller-manager next to a CCM has the flag", Category: leader,
			Mandatory: true, NeedsControlPlane: true,
			Why:    "the cloud controllers run twice: two managers change the same load balancers, routes and nodes",
			Source: "without --enable-leader-migration a kube-controller-manager runs all controllers under its main lock",
			Fix:    "remove the CCM, or put the flag on every kube-controller-manager and on the CCM",
		}},
		{Judge: starvation, Meta: verify.Meta{
			ID: "AWSM-211", Title: "no external kube-controller-manager with the flag", Category: leader,
			Mandatory: true, NeedsControlPlane: true,
			Why:    "it competes for the migration lease, and when it wins it holds it without running any of the controllers",
			Source: "cmd/kube-controller-manager 1.22 to 1.34: the external provider leaves the migrated set empty",
			Fix:    "remove enable-leader-migration from the kube-controller-manager arguments of that machine",
		}},
		{Judge: defaultNames, Meta: verify.Meta{
			ID: "AWSM-212", Title: "the CCM's controllers wait for the migration lease", Category: leader,
			Mandatory: true, NeedsControlPlane: true,
			Why:    "from v1.28 the CCM's service and route controllers are not in the default migration configuration and start at once, next to the in-tree ones",
			Source: "k8s.io/controller-manager v0.28 pkg/leadermigration/config/default.go against k8s.io/cloud-provider v0.28 names",
			Fix:    "use an image v1.22 to v1.27, or give it --leader-migration-config with both families of controller names",
		}},
		{Judge: positionKnown, Meta: verify.Meta{
			ID: "AWSM-213", Title: "the cluster is at one position of the migration", Category: leader, Subjects: []verify.Subject{verify.ControlPlanes},
			Mandatory: true, NeedsControlPlane: true,
			Why:    "from a state that no run leaves behind no next step is safe",
			Source: "arguments of every kube-controller-manager, the CCM, the leases and the right on the migration lease",
			Fix:    "bring the cluster back to one of the positions by hand",
		}},
		{Judge: disabledControllers, Meta: verify.Meta{
			ID: "AWSM-214", Title: "in-tree cloud controllers are enabled", Category: leader,
			Applies: position.BeforeSwitch(),
			Why:     "RKE2 with its own cloud controller active starts kube-controller-manager without them: no process runs them now",
			Source:  "k3s-io/k3s pkg/daemons/control/server.go: --controllers=…,-service,-route,-cloud-node-lifecycle",
			Fix:     "set disable-cloud-controller: true on all servers",
		}},
		{Judge: cloudStrays, Meta: verify.Meta{
			ID: "AWSM-215", Title: "no other cloud controller manager is running", Category: leader,
			Mandatory: true, BeforeHandover: true,
			Why:    "a second manager that shares no lease with the first changes the same load balancers, routes and nodes at the same time",
			Source: "k8s.io/client-go tools/leaderelection: processes exclude each other by one Lease, and with --leader-elect=false by none",
			Fix:    "stop it once the CCM's DaemonSet, or in-tree kube-controller-managers, run the cloud controllers, then remove it where it comes from",
		}},
	}
}
