package main

// seeded is one deliberate break of a promise, in the place where it is kept, and
// the tests that must notice it.
type seeded struct {
	name      string // begins with the promise of docs/promises.md
	what      string
	file      string
	old, new  string // of the source; new has the break behind defect.On
	pkg, test string
	all       bool // only a test of every kill point sees it
}

const (
	simulated  = "./test/sim"
	runnerTest = "./pkg/runner"
)

func defects() []seeded {
	return []seeded{
		{"S1-early", "the CCM is installed without leader migration", "pkg/migration/chart.go",
			"LeaderMigration: migration,", `LeaderMigration: migration && !defect.On("S1-early"),`,
			simulated, "TestDeadOwnersLockIsTakenOver", false},
		{"S1-outlived", "a roll is over while the processes of before may still run", "pkg/rke2/kubelet.go",
			"	if r.Waits() || r.Stopped() {", `	if r.Waits() || r.Stopped() || defect.On("S1-outlived") {`,
			simulated, "TestOldProcessesAreGoneWhenARollEnds", false},
		{"S2-providerid", "Nodes are not compared with the fingerprint", "pkg/migration/audit.go",
			"	if err := report.Err(); fault.ClassOf(err) == fault.Usage {", "	if defect.On(\"S2-providerid\") {\n\t\treturn nil\n\t}\n	if err := report.Err(); fault.ClassOf(err) == fault.Usage {",
			simulated, "TestHarmIsNoSuccess", false},
		{"S4-fence", "a reading command's transport lets writes through", "pkg/runner/fence.go",
			"	if readsOnly(req) {", `	if readsOnly(req) || defect.On("S4-fence") {`,
			runnerTest, "TestReadOnly", false},
		{"S5-proof", "a write does not prove the lock", "pkg/runner/session.go",
			"	return s.o.Lock.Prove(ctx)", "	if defect.On(\"S5-proof\") {\n\t\treturn nil\n\t}\n	return s.o.Lock.Prove(ctx)",
			simulated, "TestSupersededRunStops", false},
		{"S5-takeover", "a lock is taken from the living", "pkg/runner/lease_acquire.go",
			"	if id == \"\" || id == l.owner.Identity() {", `	if id == "" || id == l.owner.Identity() || defect.On("S5-takeover") {`,
			simulated, "TestTwoRunners", false},
		{"S6-precondition", "an edit does not test what was read", "pkg/rke2/config/op.go",
			"	ops = append(ops, test(path, o.before.value))", "	if !defect.On(\"S6-precondition\") {\n\t\tops = append(ops, test(path, o.before.value))\n\t}",
			simulated, "TestOthersEditInBetween/rke2", false},
		{"S7-compare", "cluster.yml is replaced whatever it is by now", "pkg/rke/clusterfile/write.go",
			"	if !bytes.Equal(now, before) {\n		return w.changed()", "	if !bytes.Equal(now, before) && !defect.On(\"S7-compare\") {\n		return w.changed()",
			simulated, "TestOthersEditInBetween/rke$", true},
		{"S8-restore", "cordons that a roll removed are not set again", "pkg/migration/step_cordon.go",
			"	for _, name := range c.LostCordons(tx.Record()) {", "	if defect.On(\"S8-restore\") {\n\t\treturn nil\n\t}\n	for _, name := range c.LostCordons(tx.Record()) {",
			simulated, "TestKilledAtEveryCall/rke$", false},
		{"S8-killed", "a run that is killed before it set them again leaves them lost", "pkg/migration/underway.go",
			"	if !s.leftAt(step) {", `	if !s.leftAt(step) || defect.On("S8-killed") {`,
			simulated, "TestKilledAtEveryCall/rke$", true},
		{"S9-key", "a private key goes into the journal", "pkg/runner/journal_encode.go",
			`	if bytes.Contains(text, []byte("PRIVATE KEY-----")) {`, `	if bytes.Contains(text, []byte("PRIVATE KEY-----")) && !defect.On("S9-key") {`,
			runnerTest, "TestPrivateKeyIsNotWritten", false},
		{"S10-owner", "a run writes beside a tool that keeps the configuration", "internal/cli/run.go",
			"		if err := p.RequireInformed(); err != nil {", `		if err := p.RequireInformed(); err != nil && !defect.On("S10-owner") {`,
			"./internal/cli", "TestOwnerIsAskedFirst", false},
		{"S11-kubeconfig", "a kubeconfig out of the cluster is used whatever it has", "pkg/rke2/kubeconfig.go",
			"		if !kubeconfigFields[path+name] {", `		if !kubeconfigFields[path+name] && !defect.On("S11-kubeconfig") {`,
			"./pkg/rke2", "TestSecretsKubeconfigFieldByField", false},
		{"L1-intent", "the journal is written after the deed", "pkg/runner/tx.go",
			"	ctx = unstoppable(ctx)\n	in.Step", "	if defect.On(\"L1-intent\") {\n\t\tif err := do(ctx); err != nil {\n\t\t\treturn err\n\t\t}\n\t\tdo = func(context.Context) error { return nil }\n\t}\n	ctx = unstoppable(ctx)\n	in.Step",
			runnerTest, "TestKilledAnywhereTwiceAndRunAgain|TestIntentBeforeEffect", false},
		{"L1-helm", "a release that was cut off is not repaired", "pkg/awsccm/installer.go",
			"	case RepairMarkFailed:\n", "	case RepairMarkFailed:\n		if defect.On(\"L1-helm\") {\n\t\t\treturn nil\n\t\t}\n",
			simulated, "TestKilledAtEveryCall/rke$", true},
		{"L1-moving", "a run does not wait for what an earlier one set moving", "pkg/migration/underway.go",
			"	record := tx.Record()\n", "	if defect.On(\"L1-moving\") {\n\t\treturn nil\n\t}\n	record := tx.Record()\n",
			simulated, "TestTakenUpWhileRancherWorksOnTheManifest", false},
		{"L2-orphans", "an undo leaves what only an upgrade that was cut off would have deleted", "pkg/awsccm/uninstall.go",
			"	if len(records) < 2 {", `	if len(records) < 2 || defect.On("L2-orphans") {`,
			"./pkg/awsccm", "TestOnAPIServer/kill_at_every_point", false},
		{"L2-uninstall", "an undo does not end an uninstall that was cut off", "pkg/migration/leftover.go",
			"	if !c.back || ", `	if defect.On("L2-uninstall") || !c.back || `,
			simulated, "TestUndoOfACutOffInstallKilledAtEveryCall", false},
		{"L3-wait", "a wait has no end", "pkg/runner/watch.go",
			"	if !deadline && now.Sub(w.progressed) <= w.r.o.Timeout {", `	if !deadline && now.Sub(w.progressed) <= w.r.o.Timeout || defect.On("L3-wait") {`,
			simulated, "TestEveryWaitEnds", false},
		{"L4-lock", "a dead owner's lock is watched for ever", "pkg/runner/lease_acquire.go",
			"	return w.seen != nil && w.seen.UID == now.UID &&", `	return !defect.On("L4-lock") && w.seen != nil && w.seen.UID == now.UID &&`,
			simulated, "TestDeadOwnersLockIsTakenOver", false},
		{"L5-watch", "a hang-up leaves a roll unwatched", "pkg/runner/hangup.go",
			"r.gone.requested() && !tx.holds()", `r.gone.requested() && (!tx.holds() || defect.On("L5-watch"))`,
			runnerTest, "TestBrakeIsPulledAfterAHangUp", false},
		{"L5-begin", "a further step begins although nobody watches", "pkg/runner/hangup.go",
			"func (r *run) leaving() bool { return r.stop.requested() || r.gone.requested() }", `func (r *run) leaving() bool { return r.stop.requested() || r.gone.requested() && !defect.On("L5-begin") }`,
			runnerTest, "TestHangUpEndsTheStepInHandAndBeginsNoOther", false},
		{"H1-audit", "a failing audit is a success", "pkg/verify/report.go",
			"	if failed := r.With(Fail); len(failed) > 0 {", `	if failed := r.With(Fail); len(failed) > 0 && !defect.On("H1-audit") {`,
			simulated, "TestHarmIsNoSuccess", false},
		{"H2-unknown", "what could not be looked at is fine", "pkg/verify/report.go",
			"	if unknown := r.With(Unknown); len(unknown) > 0 {", `	if unknown := r.With(Unknown); len(unknown) > 0 && !defect.On("H2-unknown") {`,
			"./pkg/verify", "TestMerge", false},
		{"H2-frozen", "arguments that the API has frozen are taken for those in force", "pkg/verify/downstream/controllers.go",
			`	if k.Why = k.Mirror.Frozen(); k.Why != "" {`, `	if k.Why = k.Mirror.Frozen(); k.Why != "" && !defect.On("H2-frozen") {`,
			"./pkg/verify/checks", "TestFrozenArgumentsGiveNoPosition", false},
		{"H2-frozen-run", "the same in a run", "pkg/rke2/reading.go",
			`	if k.Mirror = kube.Mirror(pod, kubeletOf(nodes)); k.Mirror.Frozen() != "" {`, `	if k.Mirror = kube.Mirror(pod, kubeletOf(nodes)); k.Mirror.Frozen() != "" && !defect.On("H2-frozen-run") {`,
			"./pkg/rke2", "TestFrozenArgumentsAreNotKnown", false},
		{"H3-skips", "a check that was skipped is not listed", "pkg/verify/report.go",
			"		for _, res := range r.Results {\n			m.add(res)", "		for _, res := range r.Results {\n			if res.Status == Skip && defect.On(\"H3-skips\") {\n\t\t\t\tcontinue\n\t\t\t}\n			m.add(res)",
			"./pkg/verify", "TestMerge|TestSkips", false},
		{"H4-second", "a second manager of the cloud controllers is taken for the first", "pkg/verify/downstream/stray.go",
			"		if !m.expected {", `		if !m.expected && !defect.On("H4-second") {`,
			"./pkg/verify/checks", "TestSecondManagerIsNeverGreen", false},
		{"H4-loose", "pods that no workload made are not read", "pkg/verify/kube/loosepods.go",
			"	if madeBy(p, makers()...) ||", `	if defect.On("H4-loose") || madeBy(p, makers()...) ||`,
			"./pkg/verify/kube", "TestManagers", false},
		{"H4-uncovered", "a control-plane Node without a pod of the CCM is taken for covered", "pkg/verify/downstream/coverage.go",
			"return has[node] })", `return has[node] || defect.On("H4-uncovered") })`,
			"./pkg/verify/checks", "TestNodeWithoutPodIsNeverGreen", false},
	}
}
