package lease

import (
	"strings"
	"testing"
	"time"
)

var t0 = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)

// held returns two readings of a lease that are span apart, renewed in between or not.
func held(holder, manager string, renewed bool, span time.Duration) Series {
	o := Observation{Exists: true, Holder: holder, Manager: manager, Renew: t0, Duration: 15 * time.Second, UID: "u"}
	last := o
	last.At = span
	if renewed {
		last.Renew = t0.Add(2 * time.Second)
	}
	return Series{o, last}
}

const (
	kcm = "kube-controller-manager"
	ccm = "aws-cloud-controller-manager"
)

func TestJudgeMigration(t *testing.T) {
	short, long := 3*time.Second, 10*time.Second
	kcmMain, ccmMain := held("cp-a_1", kcm, true, short), held("cp-b_2", ccm, true, short)
	cases := []struct {
		name      string
		migration Series
		owner     Owner
		life      Life
		why       string
	}{
		{"no lease", Series{}, NoLease, NotHeld, "does not exist"},
		{"no holder", held("", kcm, false, long), NoHolder, NotHeld, "no holder"},
		{"KCM", held("cp-a_1", kcm, true, short), KCM, Alive, "same identity"},
		{"CCM", held("cp-b_2", ccm, true, short), CCM, Alive, "same identity"},
		{"CCM, reading too short", held("cp-b_2", ccm, false, short), CCM, Silent, ""},
		{"CCM, frozen", held("cp-b_2", ccm, false, long), CCM, Dead, ""},
		{"managedFields stripped", held("cp-b_2", "", true, short), CCM, Alive, "not delivered"},
		{"evidence disagrees", held("cp-a_1", ccm, true, short), Undecided, Alive, "identity is that of"},
		{"written by hand", held("cp-a_1", "kubectl-edit", true, short), Undecided, Alive, "kubectl-edit"},
		{"old holder dead", held("cp-c_9", kcm, false, long), KCM, Dead, "no longer holds a main lease"},
		{"old holder gone recently", held("cp-c_9", kcm, false, short), KCM, Silent, "no longer holds a main lease"},
		{"foreign holder alive", held("laptop_9", "my-operator", true, short), Undecided, Alive, "neither main lease"},
		{"foreign holder dead", held("laptop_9", "my-operator", false, long), Foreign, Dead, "my-operator"},
		{"stranger of the right name alive", held("pod-7_9", kcm, true, short), Undecided, Alive, "neither main lease"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			got := JudgeMigration(Leases{tc.migration, kcmMain, ccmMain}, 10*time.Second)
			if got.Owner != tc.owner || got.Life != tc.life || !strings.Contains(got.Why, tc.why) {
				t.Errorf("got %+v, want %s, %s, %q", got, tc.owner, tc.life, tc.why)
			}
		})
	}
}

// Judgements do not compare timestamps with the local clock.
func TestJudgeMain_skewedClocks_ignored(t *testing.T) {
	s := held("cp-a_1", kcm, true, 3*time.Second)
	s.First.Renew, s.Last.Renew = t0.AddDate(40, 0, 0), t0.AddDate(-40, 0, 0)
	if got := JudgeMain(s, 10*time.Second); got.Life != Alive || got.Owner != KCM {
		t.Errorf("got %+v", got)
	}
}

func TestRenewed_recreatedLease_true(t *testing.T) {
	s := held("cp-a_1", kcm, false, 3*time.Second)
	s.Last.UID = "other"
	if !s.Renewed() {
		t.Error("a recreated lease was not seen as renewed")
	}
}

func TestHost(t *testing.T) {
	for in, want := range map[string]string{"cp_a_0b1c": "cp_a", "plain": "plain", "": ""} {
		if got := Host(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// A fenced lease is handing over while a waiting candidate may still acquire it.
func TestJudgeMigration_fencedLease_handingOver(t *testing.T) {
	fenced := func(span time.Duration) Series { return held("awsmigrate-fence_r1", "awsmigrate", false, span) }
	begins := held("cp-a_1", kcm, false, 3*time.Second)
	begins.Last = fenced(3 * time.Second).Last
	begins.Last.Renew = t0.Add(time.Second)
	for name, tt := range map[string]struct {
		series Series
		life   Life
	}{
		"fenced between the readings": {begins, Silent},
		"read for 3 s":                {fenced(3 * time.Second), Silent},
		"nearly expired":              {fenced(23 * time.Second), Silent},
		"acquired by no candidate":    {fenced(24 * time.Second), Dead},
	} {
		v := JudgeMigration(Leases{tt.series, held("cp-a_1", kcm, true, time.Second), held("cp-b_2", ccm, true, time.Second)}, 10*time.Second)
		if v.Owner != HandingOver || v.Life != tt.life || !strings.Contains(v.Why, "run r1") {
			t.Errorf("%s: %+v", name, v)
		}
		if tt.series.Renewed() {
			t.Errorf("%s: counted as a renewal", name)
		}
	}
}
