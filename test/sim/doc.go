// Package sim is a simulated cluster for tests that need thousands of whole
// migrations: two API servers in memory, a model of Rancher and RKE2, of rke, of
// the rke within Rancher, and of the processes that take the cloud provider's leases. The procedures, the
// engine, the journal, the lock and Helm that run against it are the real ones.
//
// Time is that of the synctest bubble a test runs in: it costs nothing to pass,
// and everything, Helm included, sees the same. A World can be copied at any
// moment, so that a test goes on from there as a new process would after a kill.
//
// It may not know what awsmigrate decides: nothing here imports pkg/migration,
// pkg/rke2 or pkg/rke but the files that start a run.
//
// Left out: watches but for the controller's, admission but for dry runs that
// always succeed, defaulting, managed fields but for those of leases, garbage
// collection but for pods, RBAC but for access reviews, authentication, and
// everything of AWS. API servers never restart; a machine's kubelet and kube-controller-manager do. The lab
// (test/lab) has the real components; a test compares what is written here with a
// recording from there.
package sim
