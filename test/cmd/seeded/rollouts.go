package main

const rolloutTest = "./pkg/fleet/rollout"

// rollouts returns the defects of the promise of waves.
func rollouts() []seeded {
	return []seeded{
		{"S23-failed", "a wave goes on after more failures than it may have", "pkg/fleet/rollout/turn.go",
			"	case int64(count(members, Failed)) > wave.FailuresAllowed,", "	case int64(count(members, Failed)) > wave.FailuresAllowed && !defect.On(\"S23-failed\"),",
			rolloutTest, "TestDecide$|TestDecide_property", false},
		{"S23-wave", "a wave begins before the previous one is over", "pkg/fleet/rollout/turn.go",
			"	case count(members, Looking, Waiting, Active) > 0:", "	case count(members, Looking, Waiting, Active) > 0 && !(defect.On(\"S23-wave\") && count(members, Waiting) == 0):",
			rolloutTest, "TestDecide$|TestDecide_property", false},
		{"S23-canary", "a wave whose plans all changed is passed over", "pkg/fleet/rollout/turn.go",
			" isUnapproved(members):", " isUnapproved(members) && !defect.On(\"S23-canary\"):",
			rolloutTest, "TestDecide$|TestDecide_property", false},
		{"S23-limit", "a wave has no limit", "pkg/fleet/rollout/turn.go",
			"	if working >= orDefault(wave.MaxConcurrent, DefaultInWave) ||", "	if working >= orDefault(wave.MaxConcurrent, DefaultInWave) && !defect.On(\"S23-limit\") ||",
			rolloutTest, "TestDecide$|TestDecide_property", false},
		{"S23-unseen", "a cluster begins while one that has begun is not seen", "pkg/fleet/rollout/turn.go",
			"		if p.Begun && p.Standing == Looking {", "		if p.Begun && p.Standing == Looking && !defect.On(\"S23-unseen\") {",
			rolloutTest, "TestDecide$", false},
		{"S23-plan", "a cluster begins with a plan that was not approved", "pkg/fleet/rollout/standing.go",
			"	return m.Plan != approved && !unknown", "	return m.Plan != approved && !unknown && !defect.On(\"S23-plan\")",
			rolloutTest, "TestStandings|TestDecide$", false},
		{"S23-person", "a goal that a person set is changed", "pkg/fleet/rollout/standing.go",
			"	case goal != GoalOf(r):", "	case goal != GoalOf(r) && !defect.On(\"S23-person\"):",
			rolloutTest, "TestStandings", false},
		{"S23-gate", "a cluster begins before its turn", "pkg/fleet/rollout/gate.go",
			"	case mark.Began.IsZero():", "	case mark.Began.IsZero() && !defect.On(\"S23-gate\"):",
			rolloutTest, "TestGate", false},
		{"S23-pause", "a block begins while the rollout is paused", "pkg/fleet/gates.go",
			`	case f.Held != "":`, `	case f.Held != "" && !defect.On("S23-pause"):`,
			"./pkg/fleet", "TestDecide$", false},
		{"S23-stale", "a mark is written over one that changed meanwhile", "pkg/fleet/rollout/decide.go",
			"	return m.Spec.Goal.OrDefault() == c.Goal && MarkOf(m) == c.From", "	return defect.On(\"S23-stale\") || m.Spec.Goal.OrDefault() == c.Goal && MarkOf(m) == c.From",
			rolloutTest, "TestApplies", false},
		{"S23-soak", "a wave ends without the audits after its soak", "pkg/fleet/rollout/turn.go",
			"	s.over = len(s.audit) == 0", "	s.over = len(s.audit) == 0 || defect.On(\"S23-soak\")",
			rolloutTest, "TestDecide$", false},
	}
}
