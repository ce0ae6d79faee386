package recorded

import (
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/awsmigrate/awsmigrate/pkg/record"
	"github.com/awsmigrate/awsmigrate/pkg/record/judge"
)

// Bounds of the width of a gap on a quiet machine. After a kubelet's report: up to a second that
// its times leave out, a second until controllers run, and 0.6 seconds of clock uncertainty. By
// the lease's rule: retry period and renew deadline.
const (
	maxWidthByReport = 2300 * time.Millisecond
	maxWidthByRule   = 15500 * time.Millisecond
)

// The judgement of real records agrees with the lab's observer, and its bounds are no wider than
// necessary. The records are a migration on RKE2, one on RKE, and a CCM installed with the flag
// alone. The CCM then runs services at the same time as kube-controller-manager.
func TestRealRecords(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "truth.json"))
	if err != nil {
		t.Fatal(err)
	}
	var truths map[string][]Ran
	if err := json.Unmarshal(text, &truths); err != nil {
		t.Fatal(err)
	}
	reports := filepath.Join("..", "..", "internal", "report", "testdata")
	for name, test := range map[string]struct {
		folder        string
		verdict       judge.Verdict
		gaps, reports int
	}{
		"demo":   {reports, judge.ByRule, 8, 2},
		"rke":    {reports, judge.ByRule, 2, 2},
		"double": {"testdata", judge.Double, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			r := judgeFile(t, filepath.Join(test.folder, name+".jsonl.gz"))
			problems, tally := Wrong(r, Truth{Ran: truths[name]})
			for _, problem := range problems {
				t.Error(problem)
			}
			if r.Verdict() != test.verdict || tally.Gaps != test.gaps || tally.Intervals < 4 {
				t.Errorf("%s, %+v", r.Verdict(), tally)
			}
			if reports := checkWidths(t, r); reports != test.reports {
				t.Errorf("%d gaps follow an end that a kubelet reported, wanted %d", reports, test.reports)
			}
		})
	}
}

// checkWidths checks the widths of the gaps between two processes. It returns the number of gaps
// that follow a report.
func checkWidths(t *testing.T, r judge.Result) (reports int) {
	t.Helper()
	for _, l := range r.Lanes {
		reported := map[string]bool{}
		for _, i := range l.Intervals {
			reported[i.Process.Identity] = !i.End.Latest.IsZero()
		}
		for _, g := range l.Gaps {
			if g.After == nil {
				continue
			}
			maxWidth := maxWidthByRule
			if reported[g.Before.Identity] {
				reports, maxWidth = reports+1, maxWidthByReport
			}
			if width := g.Greatest - g.Least; width > maxWidth {
				t.Errorf("%s: the gap after %s is %s to %s, %s wide, wanted at most %s", l.Controller, g.Before.Identity, g.Least, g.Greatest, width, maxWidth)
			}
		}
	}
	return reports
}

func judgeFile(t *testing.T, path string) judge.Result {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	in, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	j := judge.New()
	if torn, err := record.Read(in, j.Put); err != nil || len(torn) > 0 {
		t.Fatal(torn, err)
	}
	return j.Result()
}
