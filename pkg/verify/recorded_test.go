package verify

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/awsmigrate/awsmigrate/pkg/verify/position"
)

func TestRecordedChecksComeBack(t *testing.T) {
	bad := Finding{Status: Fail, Object: "a", Seen: "x"}
	checks := []Bound{says(Meta{ID: "AWSM-901"}, bad), says(Meta{ID: "AWSM-902"}), Bind(0, Check[int]{Meta: Meta{ID: "AWSM-903"}, Judge: func(int) []Finding { panic("x") }})[0]}
	metas := []Meta{{ID: "AWSM-901"}, {ID: "AWSM-902"}, {ID: "AWSM-903"}, {ID: "AWSM-904"}}
	r := RunAll(t.Context(), Replay(metas, Record(checks)), Options{})
	for id, want := range map[string]Status{"AWSM-901": Fail, "AWSM-902": OK, "AWSM-903": Unknown, "AWSM-904": Unknown} {
		if got := result(t, r, id); got.Status != want {
			t.Errorf("%s is %s, want %s", id, got.Status, want)
		}
	}
	if got := RunAll(t.Context(), Unjudged(metas, "forbidden"), Options{}); got.Counts[Unknown] != len(metas) {
		t.Errorf("unjudged checks are %v", got.Counts)
	}
}

func TestReadsAsJSON(t *testing.T) {
	for name, read := range map[string]Read[[]string]{
		"not checked": {}, "nothing there": Got[[]string](nil), "values": Got([]string{"a"}), "failed": Failed[[]string](errors.New("forbidden")),
	} {
		text, err := json.Marshal(read)
		if err != nil {
			t.Fatal(err)
		}
		var back Read[[]string]
		if err := json.Unmarshal(text, &back); err != nil {
			t.Fatal(err)
		}
		if back.Looked != read.Looked || back.OK() != read.OK() || (back.Err == nil) != (read.Err == nil) || !cmp.Equal(back.Value, read.Value) {
			t.Errorf("%s came back as %+v, by way of %s", name, back, text)
		}
	}
}

// A check that never ends must not delay the others.
func TestDeadlineOfOneCheck(t *testing.T) {
	forever := make(chan struct{})
	t.Cleanup(func() { close(forever) })
	stuck := Bind(0, Check[int]{Meta: Meta{ID: "AWSM-901"}, Judge: func(int) []Finding { <-forever; return nil }})[0]
	r := RunAll(t.Context(), []Bound{stuck, says(Meta{ID: "AWSM-902"})}, Options{Deadline: time.Second})
	if got := result(t, r, "AWSM-901"); got.Status != Unknown || !strings.Contains(got.Reason, "took longer") {
		t.Errorf("%s: %s", got.Status, got.Reason)
	}
	if got := result(t, r, "AWSM-902"); got.Status != OK {
		t.Errorf("the next check is %s", got.Status)
	}
}

func TestAlsoAtJudgesAnUnknownPositionAsThose(t *testing.T) {
	before := []position.Position{position.P0, position.P1}
	checks := []Bound{says(Meta{ID: "AWSM-901", Applies: before[:1]}), says(Meta{ID: "AWSM-902", Applies: []position.Position{position.P5}}), says(Meta{ID: "AWSM-903"})}
	r := RunAll(t.Context(), checks, Options{Position: position.Unknown, AlsoAt: before})
	for id, want := range map[string]Status{"AWSM-901": OK, "AWSM-902": Skip, "AWSM-903": OK} {
		if got := result(t, r, id); got.Status != want || r.Elsewhere(got) != (want == Skip) {
			t.Errorf("%s is %s (%s), want %s", id, got.Status, got.Reason, want)
		}
	}
}
