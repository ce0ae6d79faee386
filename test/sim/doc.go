// Package sim is a simulated cluster for tests that need thousands of complete migrations. It has
// two API servers in memory, and models of Rancher, RKE2 and rke, also of the rke within Rancher.
// It also models the processes that take the cloud provider's leases. The procedures, the engine,
// the journal, the lock and Helm are the real ones.
//
// The test's synctest bubble provides the time: waiting is free, and all parts, including Helm, see
// the same time. A Setup makes Worlds outside of a bubble, which test/fleet serves over HTTPS. A World can be copied at any moment. A test then continues from the copy, as a
// new process would after a kill.
//
// The model must not know awsmigrate's decisions: only the files that start a run import
// pkg/migration, pkg/rke2 or pkg/rke.
//
// Missing: watches except those of pods, of the controller and of ServeWatches, admission except dry runs, which always succeed,
// defaulting, managed fields except those of leases, garbage collection except of pods, RBAC
// except access reviews, authentication, and all of AWS. API servers never restart; a machine's
// kubelet and kube-controller-manager do. The lab (test/lab) has the real components; a test
// compares the writes here with a recording from there.
package sim
