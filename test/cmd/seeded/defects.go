package main

import "slices"

// seeded is one deliberate break of a promise, in the code that keeps it, and the tests that must
// notice it.
type seeded struct {
	name      string // begins with the promise of docs/promises.md
	what      string
	file      string // path in the repository
	old, new  string // of the source; new has the break after defect.On
	pkg, test string // pkg is a folder of the repository
	all       bool   // only tests of every kill point notice it
}

const (
	simulated  = "./test/sim"
	runnerTest = "./pkg/runner"
	kubeTest   = "pkg/kube"
	judgeTest  = "./pkg/record/judge"

	controllerTest = "./internal/controller"
	handoffTest    = "./pkg/rke2/handoff"
	planStoreTest  = "./internal/controller/plans"
)

// defects returns all defects.
func defects() []seeded {
	return slices.Concat(safety(), leaders(), balancers(), rollouts(), life(), honesty())
}
