package status

import (
	"regexp"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/awsmigrate/awsmigrate/pkg/apis/awsmigrate.io/v1alpha1"
)

var noon = time.Date(2024, 5, 1, 12, 0, 0, 5, time.UTC)

// Every state has a presentation with a message, and is at most one of done, working and stalled.
func TestPresentations_everyState_exists(t *testing.T) {
	reason := regexp.MustCompile(`^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$`) // metav1.Condition
	for _, state := range States() {
		m := Moment{State: state, Generation: 7}
		shown, display := presentations[state], m.Display()
		if display.State == "" || display.Message == "" || len(display.State) > 32 {
			t.Errorf("%s: %+v", state, display)
		}
		conditions := m.Conditions(nil, noon)
		is := 0
		for _, of := range []string{v1alpha1.ConditionReady, v1alpha1.ConditionReconciling, v1alpha1.ConditionStalled} {
			if meta.IsStatusConditionTrue(conditions, of) {
				is++
			}
		}
		if is > 1 || display.Error != shown.stalled || len(conditions) != 4 {
			t.Errorf("%s: %d of Ready, Reconciling and Stalled, %+v", state, is, conditions)
		}
		for _, c := range conditions {
			if !reason.MatchString(c.Reason) || c.Message == "" || c.ObservedGeneration != 7 {
				t.Errorf("%s: %+v", state, c)
			}
		}
	}
	if len(presentations) != len(States()) {
		t.Errorf("%d looks, %d states", len(presentations), len(States()))
	}
}

// An unchanged condition keeps its time, so that no write is needed.
func TestConditions_unchangedStatus_keepsTime(t *testing.T) {
	before := Moment{State: Running}.Conditions(nil, noon)
	same := Moment{State: Guarding, Message: "another"}.Conditions(before, noon.Add(time.Hour))
	after := Moment{State: Succeeded}.Conditions(same, noon.Add(2*time.Hour))
	at := func(conditions []metav1.Condition, of string) time.Time {
		return meta.FindStatusCondition(conditions, of).LastTransitionTime.Time
	}
	begin := noon.Truncate(time.Second)
	if !at(same, v1alpha1.ConditionReconciling).Equal(begin) || meta.FindStatusCondition(same, v1alpha1.ConditionReconciling).Message != "another" {
		t.Errorf("%+v", same)
	}
	for of, want := range map[string]time.Time{
		v1alpha1.ConditionReconciling: begin.Add(2 * time.Hour), v1alpha1.ConditionReady: begin.Add(2 * time.Hour),
		v1alpha1.ConditionStalled: begin, v1alpha1.ConditionOwnerAgrees: begin,
	} {
		if got := at(after, of); !got.Equal(want) {
			t.Errorf("%s changed at %s, wanted %s", of, got, want)
		}
	}
}

// Every revert means that the owner disagrees, and its name has a limited length.
func TestOwnerAgrees(t *testing.T) {
	for name, tt := range map[string]struct {
		moment Moment
		want   metav1.ConditionStatus
		reason Reason
	}{
		"nothing written": {Moment{State: Running}, metav1.ConditionUnknown, ownerUnknown},
		"as it is":        {Moment{State: Succeeded, Owner: Agreement{State: metav1.ConditionTrue}}, metav1.ConditionTrue, ownerAgrees},
		"by fleet":        {Moment{State: Guarding, Owner: Agreement{State: metav1.ConditionFalse, Manager: "fleet"}}, metav1.ConditionFalse, Reverted},
		"stalled by it":   {Moment{State: Stalled, Reason: Reverted, Owner: Agreement{State: metav1.ConditionTrue}}, metav1.ConditionFalse, Reverted},
	} {
		got := meta.FindStatusCondition(tt.moment.Conditions(nil, noon), v1alpha1.ConditionOwnerAgrees)
		if got.Status != tt.want || got.Reason != string(tt.reason) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
