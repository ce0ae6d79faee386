package verify

import "testing"

func TestDefer(t *testing.T) {
	for name, tt := range map[string]struct {
		status   Status
		subjects []Subject
		urgent   bool
		changed  []Subject
		want     Status
	}{
		"fail_changed_isPending":       {Fail, []Subject{Rollout, Leases}, false, []Subject{Rollout}, Pending},
		"warn_changed_isPending":       {Warn, []Subject{Rollout}, false, []Subject{Kubelets, Rollout}, Pending},
		"fail_otherSubject_fails":      {Fail, []Subject{CCM}, false, []Subject{Rollout}, Fail},
		"fail_noSubject_fails":         {Fail, nil, false, []Subject{Rollout}, Fail},
		"fail_urgent_fails":            {Fail, []Subject{Rollout}, true, []Subject{Rollout}, Fail},
		"fail_nothingChanges_fails":    {Fail, []Subject{Rollout}, false, nil, Fail},
		"unknown_changed_staysUnknown": {Unknown, []Subject{Rollout}, false, []Subject{Rollout}, Unknown},
		"ok_changed_staysOK":           {OK, []Subject{Rollout}, false, []Subject{Rollout}, OK},
	} {
		t.Run(name, func(t *testing.T) {
			before := Report{Counts: map[Status]int{}}
			before.add(Result{Meta: Meta{ID: "a", Subjects: tt.subjects, Urgent: tt.urgent}, Status: tt.status,
				Findings: []Finding{{Status: tt.status, Seen: "seen", Fix: "fix"}}})
			got := before.Defer(tt.changed, "why")
			if res := got.Results[0]; res.Status != tt.want || got.Counts[tt.want] != 1 || res.Findings[0].Seen != "seen" || (res.Findings[0].Fix == "") != (tt.want == Pending) {
				t.Errorf("%+v, counts %v", res, got.Counts)
			}
			if blocks := got.Err() != nil; blocks != (tt.want == Fail || tt.want == Unknown) {
				t.Errorf("blocks: %t", blocks)
			}
			if before.Results[0].Status != tt.status || before.Results[0].Findings[0].Fix != "fix" {
				t.Error("the report was changed in place")
			}
		})
	}
}
