package main

import "slices"

// seeded is one deliberate break of a promise, in the place where it is kept, and
// the tests that must notice it.
type seeded struct {
	name      string // begins with the promise of docs/promises.md
	what      string
	file      string // of the repository
	old, new  string // of the source; new has the break behind defect.On
	pkg, test string // pkg is a folder of the repository
	all       bool   // only a test of every kill point sees it
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

// defects are all of them.
func defects() []seeded { return slices.Concat(safety(), life(), honesty()) }
