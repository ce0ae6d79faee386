package main

// life returns the defects of the promises that a run ends.
func life() []seeded {
	return []seeded{
		{"L1-intent", "the journal is written after the action", "pkg/runner/tx.go",
			"	ctx = retry.WithoutStop(ctx)\n	in.Step", "	if defect.On(\"L1-intent\") {\n\t\tif err := do(ctx); err != nil {\n\t\t\treturn err\n\t\t}\n\t\tdo = func(context.Context) error { return nil }\n\t}\n	ctx = retry.WithoutStop(ctx)\n	in.Step",
			runnerTest, "TestRun_killedTwiceAnywhere_completes|TestEffect_anyKill_followsIntent", false},
		{"L1-helm", "an interrupted release is not repaired", "pkg/awsccm/release/installer.go",
			"	case RepairMarkFailed:\n", "	case RepairMarkFailed:\n		if defect.On(\"L1-helm\") {\n\t\t\treturn nil\n\t\t}\n",
			simulated, "TestKilledAtEveryCall/rke$", true},
		{"L1-moving", "a run does not wait for the rollout of an earlier run", "pkg/migration/procedure/inflight.go",
			"	record := snap.Record\n", "	if defect.On(\"L1-moving\") {\n\t\treturn nil\n\t}\n	record := snap.Record\n",
			simulated, "TestTakenUpWhileRancherWorksOnTheManifest", false},
		{"L2-orphans", "an undo leaves the objects that an interrupted upgrade would have deleted", "pkg/awsccm/release/uninstall.go",
			"	if len(records) < 2 {", `	if len(records) < 2 || defect.On("L2-orphans") {`,
			"./pkg/awsccm/release", "TestOnAPIServer/kill_at_every_point", false},
		{"L2-uninstall", "an undo does not finish an interrupted uninstall", "pkg/migration/chart/leftover.go",
			"	if down.CCM != nil || ", `	if defect.On("L2-uninstall") || down.CCM != nil || `,
			simulated, "TestUndoOfACutOffInstallKilledAtEveryCall", false},
		{"L2-turned", "a reversed undo hides the edits of earlier steps", "pkg/runner/journal/inverses.go",
			"	for i := len(r.Intents) - 1; i >= r.undoneIntents(step); i-- {\n", `	for i := len(r.Intents) - 1; i >= r.undoneIntents(step); i-- {
		if defect.On("L2-turned") && i+1 < len(r.Intents) && isUndo(r.Intents[i].Step) && !isUndo(r.Intents[i+1].Step) {
			return found
		}
`,
			simulated, "TestUndoTurnedRound$", false},
		{"L2-settled", "an undone edit is undone again", "pkg/runner/journal/inverses.go",
			"	var at map[StepID]int\n	if _, err := r.NoteInto(takenBackNote, &at); err != nil {\n", "	var at map[StepID]int\n	if _, err := r.NoteInto(takenBackNote, &at); err != nil || defect.On(\"L2-settled\") {\n",
			"./pkg/runner/journal", "TestToTakeBack$|TestTakenBack$", false},
		{"L2-nothing", "an undo waits for a file that it does not edit", "pkg/rke/takeback.go",
			"	if found := stepTrace(file.Config(), step); found != \"\" {", `	if found := stepTrace(file.Config(), step); found != "" && !defect.On("L2-nothing") {`,
			"./pkg/rke", "TestTakeBackOfNothing$", false},
		{"L2-beginning", "an undo succeeds with traces of the migration in the configuration", "pkg/migration/beginning.go",
			"	case len(left) > 0:\n", "	case len(left) > 0 && !defect.On(\"L2-beginning\"):\n",
			"./pkg/migration", "TestCompareBeginning$", false},
		{"L3-wait", "a wait has no end", "pkg/runner/watch.go",
			"	if !deadline && now.Sub(w.progressed) <= w.r.o.Timeout {", `	if !deadline && now.Sub(w.progressed) <= w.r.o.Timeout || defect.On("L3-wait") {`,
			simulated, "TestEveryWaitEnds", false},
		{"L4-lock", "the lock of a dead owner is watched forever", "pkg/runner/lock/lease_acquire.go",
			"	return w.seen != nil && w.seen.UID == now.UID &&", `	return !defect.On("L4-lock") && w.seen != nil && w.seen.UID == now.UID &&`,
			simulated, "TestDeadOwnersLockIsTakenOver", false},
		{"L5-watch", "a hang-up leaves a rollout unwatched", "pkg/runner/hangup.go",
			"(r.gone.requested() || r.pull.requested()) && !tx.hasBegun()", `(r.gone.requested() || r.pull.requested()) && (!tx.hasBegun() || defect.On("L5-watch"))`,
			runnerTest, "TestRun_harmAfterHangUp_pauses", false},
		{"L5-begin", "another step begins although the terminal is disconnected", "pkg/runner/hangup.go",
			"return r.stop.requested() || r.gone.requested() || r.pull.requested()", `return r.stop.requested() || r.gone.requested() && !defect.On("L5-begin") || r.pull.requested()`,
			runnerTest, "TestRun_hangUpDuringEffect_completesStep", false},
		{"L5-ask", "a requested pause is not carried out", "pkg/runner/watch.go",
			"case w.r.pull.requested():", `case w.r.pull.requested() && !defect.On("L5-ask"):`,
			runnerTest, "TestRun_pauseRequest_pauses", false},
		{"L5-release", "a run ends a pause that it made because of observed harm", "pkg/rke2/pause.go",
			`	return by != "" && by == snap.Record.AskedBrake`, `	return by != "" && (by == snap.Record.AskedBrake || defect.On("L5-release"))`,
			"./pkg/rke2", "TestPauseIsReleased", false},
		{"L5-held", "a step begins while the user is still asked whether to continue", "internal/cli/signals.go",
			"	if open == nil {\n		return nil", `	if open == nil || defect.On("L5-held") {
		return nil`,
			"./internal/cli", "TestInterruptedWhileRancherGoesOn", false},
		{"L5-settled", "a waiting run continues before it is interrupted", "internal/cli/signals.go",
			"	s.phase.asking = false\n	defer s.settle()", "	s.phase.asking = false\n	if defect.On(\"L5-settled\") {\n		s.settle()\n	}\n	defer s.settle()",
			"./internal/cli", "TestWhoWaitedFindsTheAnswerCarriedOut", false},
	}
}
