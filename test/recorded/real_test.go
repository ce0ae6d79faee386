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

// Bounds of how wide a gap may be told on a quiet machine. Behind a kubelet's report: up to a second
// that its times leave out, a second until controllers run, and half a second that is added to what
// is known of the clock. By the lease's rule: retry period and renew deadline.
const (
	widestByReport = 2200 * time.Millisecond
	widestByRule   = 15500 * time.Millisecond
)

// Records of real runs in the lab are judged as its observer saw them, and no wider than they have to
// be: a migration on RKE2 and one on RKE, and a CCM that was installed with the flag alone and runs
// services beside kube-controller-manager.
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
			r := judgedFile(t, filepath.Join(test.folder, name+".jsonl.gz"))
			problems, tally := Wrong(r, Truth{Ran: truths[name]})
			for _, problem := range problems {
				t.Error(problem)
			}
			if r.Verdict() != test.verdict || tally.Gaps != test.gaps || tally.Intervals < 4 {
				t.Errorf("%s, %+v", r.Verdict(), tally)
			}
			if reports := widths(t, r); reports != test.reports {
				t.Errorf("%d gaps behind an end that a kubelet reported, wanted %d", reports, test.reports)
			}
		})
	}
}

// widths holds how wide gaps between two processes are told, and counts those behind a report.
func widths(t *testing.T, r judge.Result) (reports int) {
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
			widest := widestByRule
			if reported[g.Before.Identity] {
				reports, widest = reports+1, widestByReport
			}
			if width := g.Greatest - g.Least; width > widest {
				t.Errorf("%s: the gap behind %s is told as %s to %s, %s wide, wanted at most %s", l.Controller, g.Before.Identity, g.Least, g.Greatest, width, widest)
			}
		}
	}
	return reports
}

func judgedFile(t *testing.T, path string) judge.Result {
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
