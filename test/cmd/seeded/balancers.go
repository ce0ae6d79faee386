package main

// balancers returns the defects of the promise about load balancers in AWS.
func balancers() []seeded {
	return []seeded{
		{"S22-first", "a holder is fenced in the observation that read the load balancers, before they are recorded", "pkg/migration/procedure/step_handover.go",
			"	if read, err := s.noteBalancers(ctx, tx, snap); err != nil || read {", "	if read, err := s.noteBalancers(ctx, tx, snap); (err != nil || read) && !defect.On(\"S22-first\") {",
			"./pkg/migration/procedure", "TestHandOver_", false},
		{"S22-early", "load balancers are compared before the CCM has reconciled them", "pkg/migration/procedure/balancers.go",
			"	if len(pending) > 0 && leadTime", `	if len(pending) > 0 && !defect.On("S22-early") && leadTime`,
			"./pkg/migration/procedure", "TestJudgeBalancers", false},
		{"S22-again", "a later run takes what the CCM changed for the state before the hand-over", "pkg/migration/procedure/balancers.go",
			`run != "" && hasHandedOver(tx.Record())`, `run != "" && hasHandedOver(tx.Record()) && !defect.On("S22-again")`,
			"./pkg/migration/procedure", "TestNoteBalancers_laterRun", false},
		{"S22-young", "a load balancer that is still being created is compared", "pkg/verify/continuity/balancers.go",
			"len(s.Hostnames) == 0 ||", `len(s.Hostnames) == 0 && !defect.On("S22-young") ||`,
			"./pkg/verify/continuity", "TestTake_balancers", false},
		{"S22-change", "a change of a load balancer passes", "pkg/migration/procedure/balancers.go",
			"	if len(changes) == 0 {", `	if len(changes) == 0 || defect.On("S22-change") {`,
			"./pkg/migration/procedure", "TestJudgeBalancers", false},
		{"S22-gone", "a load balancer that was not read counts as gone", "pkg/verify/aws/elb/reader.go",
			"	found, err := r.all(ctx)\n	if err != nil {\n", "	found, err := r.all(ctx)\n	if err != nil && !defect.On(\"S22-gone\") {\n",
			"./test/balancers", "TestFindings_denied_unknown", false},
		{"S22-pace", "the readings of an account do not share their limit of requests", "pkg/verify/aws/elb/pace.go",
			"	if !has {", `	if !has || defect.On("S22-pace") {`,
			"./pkg/verify/aws/elb", "TestPace", false},
		{"S22-targets", "the targets of Nodes that did not change are not compared", "pkg/verify/continuity/balancers.go",
			"		return !steady[id]\n", "		return !steady[id] || defect.On(\"S22-targets\")\n",
			"./test/balancers", "TestBalancerChanges_foreignHand_named", false},
	}
}
